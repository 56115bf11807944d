/** Changes of the shares of modes; `npm run bench:history` measures more of the trials. */
import { shareSplits, watchShares, type RunOfPairs } from '../../../domain/history/share-change';
import { falseShares, foundShares } from '../../../research/share-trials';

const [FAST, SLOW] = [9.69e9, 5.02e9];

/** Runs of seven pairs, of which so many are fast. */
const runsOf = (fast: readonly number[]): RunOfPairs[] =>
  fast.map((count, index) => ({
    runId: `run-${index}`,
    at: new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
    values: Array.from({ length: 7 }, (_, pair) => (pair < count ? FAST : SLOW) * (1 + 0.001 * pair)),
  }));
const MIXED = [4, 5, 3, 4, 4, 2, 5, 4, 3, 4, 5, 4];

const NONE = { gaps: expect.any(Array) as [] };

test('four of seven fast pairs that become none are found with the third such run', () => {
  expect(watchShares(runsOf([...MIXED, 0, 0]))).toEqual(NONE);
  expect(watchShares(runsOf([...MIXED, 0, 0, 0])).change).toMatchObject({
    certainty: 'certain',
    firstRunId: 'run-12',
    foundRunId: 'run-14',
    runCount: 15,
    direction: 'fall',
    before: { runCount: 12 },
    after: { runCount: 3 },
    shares: { earlier: { count: 47, of: 84 }, now: { count: 0, of: 21 } },
  });
});

test('after five runs they are a possible change', () => {
  const { change, possibleChange } = watchShares(runsOf([...MIXED.slice(0, 5), 0, 0, 0]));
  expect(change).toBeUndefined();
  expect(possibleChange).toMatchObject({ certainty: 'possible', firstRunId: 'run-5' });
});

test('a level that moves with one value per run is no change of shares', () => {
  const runs = runsOf([...MIXED.map(() => 7), 0, 0, 0]);
  expect(watchShares(runs)).toEqual(NONE);
});

test('all modes that fall together are a change of level, not of shares', () => {
  const runs = runsOf([...MIXED, 4, 4, 5]);
  const fallen = runs.map((run, index) => ({
    ...run,
    values: run.values.map((value) => (index < 12 ? value : 0.8 * value)),
  }));
  expect(watchShares(fallen)).toEqual(NONE);
});

test('shares that change by less than a quarter are none, however sure they are', () => {
  const certainOf = (now: number) => {
    const runs = Array.from({ length: 52 }, (_, index) => ({ count: index < 40 ? 10 : now, of: 20 }));
    return [...shareSplits(runs, 1)].at(-1)?.certain?.at;
  };
  expect([certainOf(14), certainOf(15)]).toEqual([undefined, 40]);
});

test('pairs of a run that were always alike count as one', () => {
  // All seven pairs of a run are fast or slow: 21 slow pairs are three slow runs.
  const runs = runsOf([7, 7, 0, 7, 7, 7, 6, 7, 7, 7, 7, 7, 0, 0, 0]);
  expect(watchShares(runs)).toEqual(NONE);
});

const SEED = 21;

describe('histories of 60 runs whose shares did not change', () => {
  test.each([
    [2, 4 / 7, 0],
    [7, 4 / 7, 0],
    [7, 0.2, 0],
    [3, 4 / 7, 0.3],
  ])(
    'raise an alarm in at most 1 %%, a note in at most 5 %%: %d pairs, share %d, likeness %d',
    (pairs, share, likeness) => {
      const { certain, any } = falseShares({ pairs, share, likeness }, 300, 60, SEED);
      expect(certain).toBeLessThanOrEqual(0.01);
      expect(any).toBeLessThanOrEqual(0.05);
    },
  );
});

describe('shares that fall from four in seven to none', () => {
  test.each([
    [7, 10, 3, 0.6],
    [7, 20, 3, 0.85],
    [3, 20, 12, 0.8],
  ])('are found: %d pairs, %d runs before, %d after', (pairs, before, after, least) => {
    const made = { pairs, share: 4 / 7, nowShare: 0, likeness: 0 };
    expect(foundShares(made, 300, { before, after }, SEED).certain).toBeGreaterThanOrEqual(least);
  });

  test('are never certain after five runs and three, and possible in most', () => {
    const made = { pairs: 7, share: 4 / 7, nowShare: 0, likeness: 0 };
    const { certain, any } = foundShares(made, 300, { before: 5, after: 3 }, SEED);
    expect(certain).toBe(0);
    expect(any).toBeGreaterThanOrEqual(0.6);
  });
});
