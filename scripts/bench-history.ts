/**
 * What the change point over the history of runs is worth: false alarms on histories that have not changed, how soon a
 * change is found, how soon one could be found at all, and whether what `smallestDetectable` promises is kept.
 * `npm run bench:history -- [--histories 1000] [--runs 60] [--change 0.15] [--seeds 1,2,3,4] [--only NOISE]`.
 */
import { parseArgs } from 'node:util';
import { watchHistory } from '../domain/history/change-point';
import { elementAt } from '../domain/maths/elements';
import { median } from '../domain/maths/statistics';
import { textTable } from '../domain/text/text-table';
import { historyNoises, recordedHistories, type HistoryNoise } from './history-noise';
import { binomialInterval, changeTrials, foundWithAllKnown, stableTrials, type ChangeTrial } from './history-trials';

const RUNS_BEFORE = [10, 20, 40];
/** What issue 14 asks for. */
const MOST_FALSE_ALARMS = 0.01;
const LEAST_FOUND = 0.95;

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '60' },
    change: { type: 'string', default: '0.15' },
    seeds: { type: 'string', default: '1,2,3,4' },
    only: { type: 'string', default: '' },
  },
});
const [histories, runs, change] = [values.histories, values.runs, values.change].map(Number) as [
  number,
  number,
  number,
];
const seeds = values.seeds.split(',').map(Number);

interface Figures {
  readonly noise: HistoryNoise;
  readonly alarms: number;
  readonly stable: number;
  /** Of the histories with so many runs before the change, in the order of `RUNS_BEFORE`. */
  readonly found: readonly number[];
  readonly possible: number;
  readonly promised: number;
  /** Undefined where nothing was promised. */
  readonly kept?: number;
  readonly smallest?: number;
}

const share = (trials: readonly ChangeTrial[]) => trials.filter(({ isFound }) => isFound).length / trials.length;
const percent = (ratio: number | undefined, digits = 1) => (ratio === undefined ? '–' : (100 * ratio).toFixed(digits));

function figuresOf(noise: HistoryNoise): Figures {
  const stable = seeds.flatMap((seed) => stableTrials(noise, histories, runs, seed));
  const changed = RUNS_BEFORE.map((before) =>
    seeds.flatMap((seed) => changeTrials(noise, histories, { before, change }, seed)),
  );
  const all = changed.flat();
  const promised = all.filter(({ smallestDetectable = Infinity }) => smallestDetectable <= change);
  const smallest = stable.flatMap(({ smallestDetectable }) => smallestDetectable ?? []);
  return {
    noise,
    alarms: stable.filter((watched) => watched.change !== undefined).length,
    stable: stable.length,
    found: changed.map(share),
    possible: foundWithAllKnown(noise, histories * seeds.length, { runs, change, mostFalseAlarms: MOST_FALSE_ALARMS }),
    promised: promised.length / all.length,
    kept: promised.length === 0 ? undefined : share(promised),
    smallest: smallest.length === 0 ? undefined : median(smallest),
  };
}

function row({ noise, alarms, stable, found, possible, promised, kept, smallest }: Figures): string[] {
  const [low, high] = binomialInterval(alarms, stable);
  return [
    noise.name,
    `${percent(alarms / stable, 2)} (${percent(low)}–${percent(high)})`,
    ...found.map((ratio) => percent(ratio)),
    percent(possible),
    percent(promised),
    percent(kept),
    percent(smallest, 0),
  ];
}

/** The two figures, and whether promises are kept, in a sentence each. */
function answers(figures: readonly Figures[]): string[] {
  const worst = figures.reduce((most, each) => (each.alarms / each.stable > most.alarms / most.stable ? each : most));
  const [low, high] = binomialInterval(worst.alarms, worst.stable);
  const within = figures.filter(({ alarms, stable }) => alarms / stable <= MOST_FALSE_ALARMS).length;
  const enough = RUNS_BEFORE.map((before, index) => {
    const count = figures.filter(({ found }) => elementAt(found, index) >= LEAST_FOUND).length;
    return `${count} kinds after ${before} runs`;
  });
  const possible = figures.filter((each) => each.possible >= LEAST_FOUND).length;
  const promising = figures.flatMap(({ kept }) => kept ?? []);
  const kept = promising.filter((ratio) => ratio >= LEAST_FOUND).length;
  return [
    `False alarms: at most ${percent(MOST_FALSE_ALARMS, 0)} % of the histories with ${within} of ${figures.length} kinds of scatter. The worst has`,
    `${worst.alarms} of ${worst.stable}, ${percent(worst.alarms / worst.stable, 2)} % (95 % interval ${percent(low, 2)}–${percent(high, 2)} %): ${worst.noise.name}.`,
    `A change of ${100 * change} % found within three runs in at least ${percent(LEAST_FOUND, 0)} %: ${enough.join(', ')};`,
    `if level and scatter were known beforehand: ${possible} kinds, of ${figures.length}.`,
    `Promised to be found (smallestDetectable at most ${100 * change} %) with ${promising.length} kinds, found in at least ${percent(LEAST_FOUND, 0)} % of those histories with ${kept}.`,
  ];
}

const headings = [
  'scatter of the runs',
  'false alarms (95 %)',
  ...RUNS_BEFORE.map((count) => `found after ${count}`),
  'all known',
  'promised',
  'found of promised',
  'smallest',
];
const figures = historyNoises()
  .filter(({ name }) => name.includes(values.only))
  .map(figuresOf);
console.log(answers(figures).join('\n'));
console.log(`
All figures are in %. False alarms: of ${histories * seeds.length} histories of ${runs} runs without a change, those with any alarm in their life.
Found: of as many histories, half with a rise and half with a fall after so many runs, those where it is found within three.
All known: the same with level, scatter and threshold known beforehand. Promised: smallestDetectable was at most the change.
Smallest: its median after ${runs} runs.
`);
console.log(textTable(headings, figures.map(row), { hasRule: true, isRightAligned: (column) => column > 0 }));

console.log('\nRecorded histories of repeated measurements:\n');
const recorded = recordedHistories().map(({ id, runs: measured }) => {
  const points = measured.map(({ at, bps }, index) => ({ runId: String(index), at, value: bps }));
  const watched = watchHistory(points.filter(({ value }) => value > 0));
  const said = watched.change && `${watched.change.ratio.toFixed(2)} from run ${watched.change.firstRunId} on`;
  return [id, String(measured.length), said ?? 'none', percent(watched.smallestDetectable, 0)];
});
console.log(textTable(['history', 'runs', 'last change', 'smallest %'], recorded, { hasRule: true }));
