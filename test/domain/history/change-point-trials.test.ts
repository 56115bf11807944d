/** The figures of `npm run bench:history`, at a scale that runs in seconds. */
import { watchHistory } from '../../../domain/history/change-point';
import { historyNoises, recordedHistories } from '../../../research/history-noise';
import { changeTrials, stableTrials } from '../../../research/history-trials';

const SEED = 11;
const HISTORIES = 100;
/** Where so few would show the figure only to a percent. */
const MORE_HISTORIES = 400;
/** Where the figure is near its bound. */
const MANY_HISTORIES = 1000;

function noiseOf(name: string) {
  const found = historyNoises().find((noise) => noise.name === name);
  if (found === undefined) throw new Error(`noise: must be one of historyNoises, got ${name}`);
  return found;
}

describe('a history without a change', () => {
  test.each([
    'recorded on EC2: burst',
    'recorded on EC2: baseline',
    'recorded on EC2: bucket',
    'normal, 3 %',
    'normal, 20 %',
    'heavy tails (t with 3 degrees), 5 %',
    '1 %, one run in 20 far off, down',
    'two modes, 25 % of the runs at 52 % of the rate',
    'neighbours alike (correlation 0.5), 2 %',
    'a wave of 28 runs, ±3 %, and normal, 1 %',
  ])('is falsely alarmed at any time of 60 runs in at most 1 %% of all cases: %s', (name) => {
    const alarmed = stableTrials(noiseOf(name), HISTORIES, 60, SEED).filter(({ change }) => change !== undefined);
    expect(alarmed.length / HISTORIES).toBeLessThanOrEqual(0.01);
  });

  test('is falsely alarmed in at most 1 % of all cases, too, where neighbours resemble each other and scatter by 5 %', () => {
    const noise = noiseOf('neighbours alike (correlation 0.5), 5 %');
    const alarmed = stableTrials(noise, MANY_HISTORIES, 60, SEED).filter(({ change }) => change !== undefined);
    expect(alarmed.length / MANY_HISTORIES).toBeLessThanOrEqual(0.01);
  });
});

describe('a possible change', () => {
  test.each([
    'recorded on EC2: burst',
    'normal, 20 %',
    'heavy tails (t with 3 degrees), 5 %',
    'neighbours alike (correlation 0.3), 5 %',
  ])('is wrongly named at any time of 60 runs in at most 5 %% of all histories: %s', (name) => {
    const noticed = stableTrials(noiseOf(name), HISTORIES, 60, SEED).filter(({ wasNoticed }) => wasNoticed);
    expect(noticed.length / HISTORIES).toBeLessThanOrEqual(0.05);
  });

  test.each([
    ['recorded on EC2: baseline', 5],
    ['normal, 1 %', 5],
    ['normal, 2 %', 5],
    ['heavy tails (t with 3 degrees), 1 %', 5],
    ['neighbours alike (correlation 0.5), 2 %', 5],
  ])('of 15 %% is noticed within three runs in 95 %% of all cases: %s, after %d runs', (name, before) => {
    const trials = changeTrials(noiseOf(name), MORE_HISTORIES, { before, change: 0.15 }, SEED);
    expect(trials.filter(({ isNoticed }) => isNoticed).length / MORE_HISTORIES).toBeGreaterThanOrEqual(0.95);
    expect(trials.filter(({ isFound }) => isFound)).toEqual([]);
  });
});

describe('a change of 15 %', () => {
  test.each([
    ['recorded on EC2: baseline', 10],
    ['normal, 1 %', 10],
    ['normal, 2 %', 10],
    ['normal, 2 %', 20],
    ['normal, 2 %', 40],
    ['heavy tails (t with 3 degrees), 1 %', 20],
    ['heavy tails (t with 3 degrees), 2 %', 40],
    ['neighbours alike (correlation 0.5), 2 %', 20],
  ])('is found within three runs in 95 %% of all cases: %s, after %d runs', (name, before) => {
    const trials = changeTrials(noiseOf(name), MORE_HISTORIES, { before, change: 0.15 }, SEED);
    expect(trials.filter(({ isFound }) => isFound).length / MORE_HISTORIES).toBeGreaterThanOrEqual(0.95);
  });

  test.each([
    'recorded on EC2: baseline',
    'normal, 2 %',
    'heavy tails (t with 3 degrees), 3 %',
    'neighbours alike (correlation 0.5), 2 %',
    'a wave of 28 runs, ±3 %, and normal, 1 %',
  ])('is found within three runs in 95 %% of the histories to which it is promised: %s', (name) => {
    const promised = [10, 20, 40]
      .flatMap((before) => changeTrials(noiseOf(name), HISTORIES, { before, change: 0.15 }, SEED))
      .filter(({ smallestDetectable = Infinity }) => smallestDetectable <= 0.15);
    expect(promised.length).toBeGreaterThan(0.05 * 3 * HISTORIES);
    expect(promised.filter(({ isFound }) => isFound).length / promised.length).toBeGreaterThanOrEqual(0.95);
  });

  test.each(['normal, 5 %', 'normal, 20 %'])('is not promised where the runs scatter too much: %s', (name) => {
    const trials = changeTrials(noiseOf(name), HISTORIES, { before: 40, change: 0.15 }, SEED);
    expect(trials.filter(({ smallestDetectable = Infinity }) => smallestDetectable <= 0.15)).toEqual([]);
  });
});

test('of the recorded histories, the one that plainly fell by half is said to have, and no other', () => {
  const changes = recordedHistories().flatMap(({ id, runs }) => {
    const points = runs.map(({ at, bps }, index) => ({ runId: String(index), at, value: bps }));
    const { change } = watchHistory(points.filter(({ value }) => value > 0));
    return change === undefined ? [] : [{ id, firstRunId: change.firstRunId, ratio: Number(change.ratio.toFixed(1)) }];
  });
  expect(changes).toEqual([{ id: 'bouygues.iperf.fr', firstRunId: '109', ratio: 0.4 }]);
});
