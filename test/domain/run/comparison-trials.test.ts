/** What a comparison announces of made-up runs of 20 cells; `research/comparison-trials.ts` measures more of them. */
import {
  comparisonTrial,
  EVEN_SCATTER,
  mixtureTrial,
  SCATTERS,
  type ComparedRuns,
} from '../../../research/comparison-trial-runs';

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

describe('pairs at two modes', () => {
  const shareOf = (key: 'isFalse' | 'isFound', made: Parameters<typeof mixtureTrial>[0], trials = TRIALS) =>
    Array.from({ length: trials }, (_, index) => mixtureTrial(made, 7_000_003 + index)).filter((trial) => trial[key])
      .length / trials;

  test.each([3, 7, 14])('are announced in at most 5 %% of unchanged runs, alone: %d pairs', (repetitions) => {
    const same = { repetitions, share: 4 / 7, nowShare: 4 / 7 };
    expect(shareOf('isFalse', { ...same, cells: 1 }, 200)).toBeLessThanOrEqual(0.05);
  });

  // In 20 cells of three pairs, some show each mode by chance; this was announced in 43 of 100 runs.
  test.each([3, 7])('are announced in at most 5 %% of unchanged runs, in 20 cells: %d pairs', (repetitions) => {
    const same = { repetitions, share: 4 / 7, nowShare: 4 / 7 };
    expect(shareOf('isFalse', { ...same, cells: 20 })).toBeLessThanOrEqual(0.05);
  });

  // A single run finds 4 of 7 to 0 of 7 only by luck: p is 0.07 at just these counts.
  test.each([
    [1, 7, 0.3, 0.4],
    [1, 14, 0.9, 1],
    [20, 7, 0, 0.1],
  ])('of which four in seven fall to none, one of %d, are found: %d pairs', (cells, repetitions, least, most) => {
    const found = shareOf('isFound', { cells, repetitions, share: 4 / 7, nowShare: 0 });
    expect(found).toBeGreaterThanOrEqual(least);
    expect(found).toBeLessThanOrEqual(most);
  });
});
