/** What a comparison announces of made-up runs of 20 cells; `research/comparison-trials.ts` measures more of them. */
import { comparisonTrial, EVEN_SCATTER, SCATTERS, type ComparedRuns } from '../../../research/comparison-trial-runs';

const TRIALS = 60;
const countOf = (made: ComparedRuns, key: 'isFalse' | 'isFound', trials = TRIALS) =>
  Array.from({ length: trials }, (_, index) => comparisonTrial(made, 9_000_001 + index)).filter((trial) => trial[key])
    .length;

const runs: ComparedRuns = {
  cells: 20,
  repetitions: 3,
  scatter: EVEN_SCATTER,
  zoneMicros: [620, 800, 1010],
  factor: 1,
  isScatterShared: true,
};

// 5 % of 60 are 3; more than 9 come once in 1,000 draws of seeds, and these seeds are fixed.
test.each([3, 5])('of runs of 20 unchanged cells with %d repetitions few announce a change', (repetitions) => {
  expect(countOf({ ...runs, repetitions }, 'isFalse')).toBeLessThanOrEqual(9);
  expect(countOf({ ...runs, repetitions, zoneMicros: [620] }, 'isFalse')).toBeLessThanOrEqual(9);
});

test.each(SCATTERS)('of 100 such runs at a scatter of $name, no more than five announce a change', (scatter) => {
  expect(countOf({ ...runs, scatter, isScatterShared: false }, 'isFalse', 100)).toBeLessThanOrEqual(5);
});

test('20 % more is found in one cell of 20 with three repetitions in three zones', () => {
  expect(countOf({ ...runs, factor: 1.2 }, 'isFound')).toBeGreaterThanOrEqual(56);
});

test('10 % more is found in one cell of 20 with five repetitions and 3 % of scatter', () => {
  expect(countOf({ ...runs, repetitions: 5, factor: 1.1 }, 'isFound')).toBeGreaterThanOrEqual(45);
});
