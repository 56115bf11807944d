import { isWithinLookBack, LOOK_BACK_DAYS } from '../../../domain/tables/query-text';

test('a look back begins half a year ago and has the day of the run', () => {
  expect(isWithinLookBack('2026-11-20')).toBe("day BETWEEN date '2026-05-26' AND date '2026-11-20'");
});

test('a look back reads at most 400 objects of 200 runs in 90 days, one per run', () => {
  expect(((LOOK_BACK_DAYS + 1) * 200) / 90).toBeLessThanOrEqual(400);
});
