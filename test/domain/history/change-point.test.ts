import { smallestDetectable } from '../../../domain/history/smallest-detectable';
import {
  LEAST_RUNS,
  LEAST_RUNS_OF_POSSIBLE,
  watchHistory,
  type HistoryPoint,
} from '../../../domain/history/change-point';

/** A run a day from 1 January 2026 on. */
function history(values: readonly number[]): HistoryPoint[] {
  return values.map((value, index) => ({
    runId: `run-${index}`,
    at: new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
    value,
  }));
}

const changeOf = (values: readonly number[]) => watchHistory(history(values)).change;

/** Values within half of `scatter` above and below the level, in no visible order: multiples of the golden ratio. */
function level(value: number, count: number, scatter = 0.01): number[] {
  return Array.from({ length: count }, (_, index) => value * (1 + scatter * (((index * 0.618) % 1) - 0.5)));
}

describe('a change of a figure over the history of runs', () => {
  test('has its first run, its direction and its size, and is found by the third run at the new level', () => {
    const change = changeOf([...level(750e6, 12), ...level(600e6, 3)]);
    expect(change).toMatchObject({
      firstRunId: 'run-12',
      foundRunId: 'run-14',
      at: '2026-01-13T00:00:00.000Z',
      runCount: 15,
      direction: 'fall',
      before: { runCount: 12 },
      after: { runCount: 3 },
    });
    expect(change?.ratio).toBeCloseTo(0.8, 2);
    expect(change?.before.low).toBeLessThan(750e6);
    expect(change?.before.high).toBeGreaterThan(750e6);
  });

  test('stays where it was found as further runs come', () => {
    const values = [...level(100, 12), ...level(120, 40)];
    expect(changeOf(values)).toMatchObject({
      firstRunId: 'run-12',
      foundRunId: 'run-14',
      direction: 'rise',
    });
  });

  test('is the last one of several, against the level before it', () => {
    const change = changeOf([...level(100, 12), ...level(120, 12), ...level(90, 5)]);
    expect(change).toMatchObject({ firstRunId: 'run-24', before: { runCount: 12 }, after: { runCount: 5 } });
    expect(change?.ratio).toBeCloseTo(0.75, 2);
  });

  test.each([
    [4, 10],
    [5, 7],
    [6, 6],
    [7, 5],
    [8, 4],
    [9, 4],
    [10, 3],
  ])('after %d runs is found by %d runs at the new level, and by no fewer', (before, after) => {
    expect(changeOf([...level(100, before), ...level(50, after - 1)])).toBeUndefined();
    expect(changeOf([...level(100, before), ...level(50, after)])).toMatchObject({
      firstRunId: `run-${before}`,
      foundRunId: `run-${before + after - 1}`,
    });
  });

  test('is found in no fewer runs than are said to be needed', () => {
    const foundIn = (runCount: number) =>
      Array.from({ length: runCount }, (_, at) => history([...level(100, at), ...level(50, runCount - at)])).filter(
        (points) => watchHistory(points).change !== undefined,
      );
    expect(foundIn(LEAST_RUNS - 1)).toEqual([]);
    expect(foundIn(LEAST_RUNS)).not.toEqual([]);
  });

  test('is found after many runs of which one was at the new level, and not after a few', () => {
    const withOne = (before: number) => changeOf([...level(100, before - 20), 80, ...level(100, 19), 80, 80.1, 79.9]);
    expect(withOne(39)).toBeUndefined();
    expect(withOne(40)).toMatchObject({ firstRunId: 'run-40', foundRunId: 'run-42' });
  });

  test('is found in runs that are independent where it would not be in runs that drift', () => {
    const independent = level(100, 40, 0.14);
    const drifting = [...independent].sort((left, right) => left - right);
    const waves = Array.from({ length: 40 }, (_, index) => drifting[index < 20 ? 2 * index : 79 - 2 * index] ?? 0);
    const after = [118, 117, 119];
    expect(changeOf([...independent, ...after])).toMatchObject({ firstRunId: 'run-40' });
    expect(changeOf([...waves, ...after])).toBeUndefined();
  });

  test.each([
    ['a level that stays', level(100, 60)],
    ['two runs that are far off', [...level(100, 20), 60, 60, ...level(100, 5)]],
    ['a change of less than 8 %', [...level(100, 20), ...level(107, 20)]],
    ['a kind of hosts that came before', [...level(9.5, 9), 5, 5, ...level(9.5, 9), 5, 5, 5]],
  ])('is not %s', (_, values) => {
    expect(changeOf(values)).toBeUndefined();
  });

  test('needs values above 0, because levels are compared by their ratio', () => {
    expect(() => changeOf([1, 1, 0, 1, 1])).toThrow('history: run-2: value must be above 0, got 0');
  });
});

describe('a possible change', () => {
  test('of 15 % is seen by three runs after five quiet ones, with direction, size and interval, and is not certain', () => {
    const watched = watchHistory(history([...level(750e6, 5), ...level(637.5e6, 3)]));
    expect(watched.change).toBeUndefined();
    expect(watched.possibleChange).toMatchObject({
      certainty: 'possible',
      firstRunId: 'run-5',
      foundRunId: 'run-7',
      at: '2026-01-06T00:00:00.000Z',
      runCount: 8,
      direction: 'fall',
      before: { runCount: 5 },
      after: { runCount: 3 },
    });
    expect(watched.possibleChange?.ratio).toBeCloseTo(0.85, 2);
  });

  test('keeps the run that showed it first, until enough runs make it certain', () => {
    const after = (count: number) => watchHistory(history([...level(100, 5), ...level(85, count)]));
    expect(after(6)).toMatchObject({ possibleChange: { firstRunId: 'run-5', foundRunId: 'run-7' } });
    expect(after(6).change).toBeUndefined();
    expect(after(7)).toMatchObject({ change: { certainty: 'certain', firstRunId: 'run-5', foundRunId: 'run-11' } });
    expect(after(7).possibleChange).toBeUndefined();
  });

  test('ends with the first run that is back', () => {
    expect(watchHistory(history([...level(100, 5), ...level(85, 3)])).possibleChange).toBeDefined();
    expect(watchHistory(history([...level(100, 5), ...level(85, 3), 100])).possibleChange).toBeUndefined();
  });

  test('comes after the last certain one, which stays', () => {
    const watched = watchHistory(history([...level(100, 12), ...level(85, 6), ...level(70, 3)]));
    expect(watched).toMatchObject({
      change: { certainty: 'certain', firstRunId: 'run-12', after: { runCount: 9 } },
      possibleChange: { certainty: 'possible', firstRunId: 'run-18', before: { runCount: 6 }, after: { runCount: 3 } },
    });
  });

  test('is seen where runs scatter too much for a certain one', () => {
    const watched = watchHistory(history([...level(100, 10, 0.1), 87, 86, 85]));
    expect(watched).toMatchObject({ possibleChange: { firstRunId: 'run-10' } });
    expect(watched.change).toBeUndefined();
  });

  test('is seen in no fewer runs than are said to be needed', () => {
    const seenIn = (runCount: number) =>
      Array.from({ length: runCount }, (_, at) => history([...level(100, at), ...level(50, runCount - at)])).filter(
        (points) => watchHistory(points).possibleChange !== undefined,
      );
    expect(LEAST_RUNS_OF_POSSIBLE).toBe(8);
    expect(seenIn(LEAST_RUNS_OF_POSSIBLE - 1)).toEqual([]);
    expect(seenIn(LEAST_RUNS_OF_POSSIBLE)).not.toEqual([]);
  });

  test.each([
    ['a level that stays', level(100, 60)],
    ['two runs that are far off', [...level(100, 8), 60, 60]],
    ['a change of less than 8 %', [...level(100, 8), ...level(107, 3)]],
    ['a kind of hosts that came before', [...level(100, 4), 85, ...level(100, 4), 85, 85, 85]],
  ])('is not %s', (_, values) => {
    expect(watchHistory(history(values))).not.toHaveProperty('possibleChange.firstRunId');
  });
});

describe('the smallest change that would be found', () => {
  test('is as small as the scatter allows, and no smaller than what is called a change', () => {
    expect(smallestDetectable(history(level(100, 20)))).toBeLessThan(0.1);
    expect(smallestDetectable(history(level(100, 20, 0.2)))).toBeGreaterThan(0.3);
  });

  test('is not known where it would have to double the figure, or where a run is far off', () => {
    expect(smallestDetectable(history(level(100, 20, 0.8)))).toBeUndefined();
    expect(smallestDetectable(history([...level(100, 10), 50, ...level(100, 10)]))).toBeUndefined();
  });

  test('is not known while the level has too few runs', () => {
    expect(smallestDetectable(history(level(100, 9)))).toBeUndefined();
    expect(smallestDetectable(history(level(100, 10)))).toBeDefined();
  });
});
