/**
 * What the change point over the history of runs is worth: false alarms on histories that have not changed, and how soon
 * a change is found. `npm run bench:history -- [--histories 1000] [--runs 60] [--change 0.15] [--seeds 1,2,3] [--only
 * NOISE]`. The seeds are those of tuning where none are given; others show that nothing was tuned to them.
 */
import { parseArgs } from 'node:util';
import { watchHistory } from '../domain/history/change-point';
import { median } from '../domain/maths/statistics';
import { textTable } from '../domain/text/text-table';
import { historyNoises, recordedHistories, type HistoryNoise } from './history-noise';
import { changeTrials, stableTrials, type ChangeTrial } from './history-trials';

const RUNS_BEFORE = [10, 20, 40];

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '60' },
    change: { type: 'string', default: '0.15' },
    seeds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});
const [histories, runs, change] = [values.histories, values.runs, values.change].map(Number) as [
  number,
  number,
  number,
];
const seeds = values.seeds.split(',').map(Number);

const percent = (part: number, whole: number) => (whole === 0 ? '–' : ((100 * part) / whole).toFixed(1));

function found(trials: readonly ChangeTrial[]): string {
  return percent(trials.filter(({ isFound }) => isFound).length, trials.length);
}

function row(noise: HistoryNoise): string[] {
  const stable = seeds.flatMap((seed) => stableTrials(noise, histories, runs, seed));
  const alarms = stable.filter((watched) => watched.change !== undefined).length;
  const changed = RUNS_BEFORE.map((before) =>
    seeds.flatMap((seed) => changeTrials(noise, histories, { before, change }, seed)),
  );
  const promised = changed.flat().filter(({ smallestDetectable = Infinity }) => smallestDetectable <= change);
  const smallest = stable.flatMap(({ smallestDetectable }) => smallestDetectable ?? []);
  return [
    noise.name,
    String(alarms),
    percent(alarms, stable.length),
    smallest.length === 0 ? '–' : (100 * median(smallest)).toFixed(0),
    ...changed.map(found),
    percent(promised.length, changed.flat().length),
    found(promised),
  ];
}

console.log(`${histories * seeds.length} histories of ${runs} runs without a change, tested after every run:`);
console.log(`a history with any alarm in its life counts. Then ${histories * seeds.length} histories with a change of`);
console.log(`${100 * change} % after 10, 20 and 40 runs, half of them upwards. All figures but the first are in %.\n`);
const headings = ['scatter of the runs', 'alarms', 'alarms %', `smallest after ${runs} runs`];
const names = [
  ...headings,
  ...RUNS_BEFORE.map((count) => `found in 3 after ${count}`),
  'promised',
  'found of promised',
];
const noises = historyNoises().filter(({ name }) => name.includes(values.only));
console.log(textTable(names, noises.map(row), { hasRule: true, isRightAligned: (column) => column > 0 }));

console.log('\nRecorded histories of repeated measurements:\n');
const recorded = recordedHistories().map(({ id, runs: measured }) => {
  const points = measured.map(({ at, bps }, index) => ({ runId: String(index), at, value: bps }));
  const watched = watchHistory(points.filter(({ value }) => value > 0));
  const said = watched.change && `${watched.change.ratio.toFixed(2)} from run ${watched.change.firstRunId} on`;
  const smallest =
    watched.smallestDetectable === undefined ? undefined : `${(100 * watched.smallestDetectable).toFixed(0)} %`;
  return [id, String(measured.length), said ?? 'none', smallest ?? '–'];
});
console.log(textTable(['history', 'runs', 'last change', 'smallest detectable'], recorded, { hasRule: true }));
