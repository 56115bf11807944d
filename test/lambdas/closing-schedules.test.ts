/**
 * Whatever the order of requests and wherever a closing is cut off, a query shows each row once, as it was last written.
 * More orders than here are in `npm run search:folds`.
 */
import { faultsOfClosings } from '../support/closing-schedules';

const SCHEDULES = 250;

test.each([0, 1, 2, 3])('random orders of closings, late folds, deleted runs and queries: part %d', async (part) => {
  const { faults, closings, queries } = await faultsOfClosings(SCHEDULES, part * SCHEDULES);
  expect(faults.slice(0, 20)).toEqual([]);
  expect(closings).toBeGreaterThan(4 * SCHEDULES);
  expect(queries).toBeGreaterThan(4 * SCHEDULES);
});
