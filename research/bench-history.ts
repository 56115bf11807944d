/**
 * What the change point over the history of runs is worth: false alarms on histories that have not changed, how soon a
 * change is found, how soon one could be found at all, and whether what `smallestDetectable` promises is kept. The same
 * of possible changes: how many stable histories are wrongly said to have one, and how many changes are noticed.
 * `npm run bench:history -- [--histories 1000] [--runs 60] [--change 0.15] [--seeds 1,2,3,4] [--only NOISE]`.
 */
import { parseArgs } from 'node:util';
import { watchHistory } from '../domain/history/change-point';
import { elementAt } from '../domain/maths/elements';
import { median } from '../domain/maths/statistics';
import { textTable } from '../domain/text/text-table';
import { historyNoises, recordedHistories, type HistoryNoise } from './history-noise';
import { smallestDetectable } from '../domain/history/smallest-detectable';
import { falseShares, foundShares } from './share-trials';
import { binomialInterval, changeTrials, foundWithAllKnown, stableTrials, type ChangeTrial } from './history-trials';

const RUNS_BEFORE = [10, 20, 40];
const RUNS_BEFORE_POSSIBLE = [5, ...RUNS_BEFORE];
/** What issue 14 asks for. */
const MOST_FALSE_ALARMS = 0.01;
const LEAST_FOUND = 0.95;
/** What is allowed to a possible change, which is no alarm. */
const MOST_WRONG_NOTICES = 0.05;

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
  readonly wrongNotices: number;
  /** In the order of `RUNS_BEFORE_POSSIBLE`. */
  readonly noticed: readonly number[];
  readonly allKnown: number;
  readonly promised: number;
  /** Undefined where nothing was promised. */
  readonly kept?: number;
  readonly smallest?: number;
}

const share = (trials: readonly ChangeTrial[], key: 'isFound' | 'isNoticed') =>
  trials.filter((trial) => trial[key]).length / trials.length;
const percent = (ratio: number | undefined, digits = 1) => (ratio === undefined ? '–' : (100 * ratio).toFixed(digits));

function figuresOf(noise: HistoryNoise): Figures {
  const stable = seeds.flatMap((seed) => stableTrials(noise, histories, runs, seed));
  const trialsAfter = (before: number) =>
    seeds.flatMap((seed) => changeTrials(noise, histories, { before, change }, seed));
  const changed = new Map(RUNS_BEFORE_POSSIBLE.map((before) => [before, trialsAfter(before)]));
  const trialsOf = (runsBefore: readonly number[]) => runsBefore.map((before) => changed.get(before) ?? []);
  const all = trialsOf(RUNS_BEFORE).flat();
  const promised = all.filter(({ smallestDetectable = Infinity }) => smallestDetectable <= change);
  const smallest = stable.flatMap(({ smallestDetectable }) => smallestDetectable ?? []);
  return {
    noise,
    alarms: stable.filter((watched) => watched.change !== undefined).length,
    stable: stable.length,
    found: trialsOf(RUNS_BEFORE).map((trials) => share(trials, 'isFound')),
    wrongNotices: stable.filter(({ wasNoticed }) => wasNoticed).length,
    noticed: trialsOf(RUNS_BEFORE_POSSIBLE).map((trials) => share(trials, 'isNoticed')),
    allKnown: foundWithAllKnown(noise, histories * seeds.length, { runs, change, mostFalseAlarms: MOST_FALSE_ALARMS }),
    promised: promised.length / all.length,
    kept: promised.length === 0 ? undefined : share(promised, 'isFound'),
    smallest: smallest.length === 0 ? undefined : median(smallest),
  };
}

const withInterval = (count: number, of: number) => {
  const [low, high] = binomialInterval(count, of);
  return `${percent(count / of, 2)} (${percent(low)}–${percent(high)})`;
};

function row({ noise, alarms, stable, found, allKnown, promised, kept, smallest }: Figures): string[] {
  return [
    noise.name,
    withInterval(alarms, stable),
    ...found.map((ratio) => percent(ratio)),
    percent(allKnown),
    percent(promised),
    percent(kept),
    percent(smallest, 0),
  ];
}

function possibleRow({ noise, wrongNotices, stable, noticed }: Figures): string[] {
  return [noise.name, withInterval(wrongNotices, stable), ...noticed.map((ratio) => percent(ratio))];
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
  const allKnown = figures.filter((each) => each.allKnown >= LEAST_FOUND).length;
  const promising = figures.flatMap(({ kept }) => kept ?? []);
  const kept = promising.filter((ratio) => ratio >= LEAST_FOUND).length;
  return [
    `False alarms: at most ${percent(MOST_FALSE_ALARMS, 0)} % of the histories with ${within} of ${figures.length} kinds of scatter. The worst has`,
    `${worst.alarms} of ${worst.stable}, ${percent(worst.alarms / worst.stable, 2)} % (95 % interval ${percent(low, 2)}–${percent(high, 2)} %): ${worst.noise.name}.`,
    `A change of ${100 * change} % found within three runs in at least ${percent(LEAST_FOUND, 0)} %: ${enough.join(', ')};`,
    `if level and scatter were known beforehand: ${allKnown} kinds, of ${figures.length}.`,
    `Promised to be found (smallestDetectable at most ${100 * change} %) with ${promising.length} kinds, found in at least ${percent(LEAST_FOUND, 0)} % of those histories with ${kept}.`,
  ];
}

/** The same of possible changes. */
function possibleAnswers(figures: readonly Figures[]): string[] {
  const shareOf = ({ wrongNotices, stable }: Figures) => wrongNotices / stable;
  const worst = figures.reduce((most, each) => (shareOf(each) > shareOf(most) ? each : most));
  const within = figures.filter((each) => shareOf(each) <= MOST_WRONG_NOTICES).length;
  const enough = RUNS_BEFORE_POSSIBLE.map((before, index) => {
    const count = figures.filter(({ noticed }) => elementAt(noticed, index) >= LEAST_FOUND).length;
    return `${count} kinds after ${before} runs`;
  });
  return [
    `Wrong notices: at most ${percent(MOST_WRONG_NOTICES, 0)} % of the histories with ${within} of ${figures.length} kinds of scatter. The worst has`,
    `${withInterval(worst.wrongNotices, worst.stable)} %: ${worst.noise.name}.`,
    `A change of ${100 * change} % called certain or possible within three runs in at least ${percent(LEAST_FOUND, 0)} %: ${enough.join(', ')}.`,
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

console.log(`
Possible changes, which are no alarms:

${possibleAnswers(figures).join('\n')}

Wrong notices: of the same histories without a change, those where one was called possible or certain at any time. Noticed: where a change is
called certain or possible within three runs.
`);
const possibleHeadings = [
  'scatter of the runs',
  'wrong notices (95 %)',
  ...RUNS_BEFORE_POSSIBLE.map((count) => `noticed after ${count}`),
];
console.log(
  textTable(possibleHeadings, figures.map(possibleRow), { hasRule: true, isRightAligned: (column) => column > 0 }),
);

console.log('\nRecorded histories of repeated measurements:\n');
const recorded = recordedHistories().map(({ id, runs: measured }) => {
  const points = measured.map(({ at, bps }, index) => ({ runId: String(index), at, value: bps }));
  const positive = points.filter(({ value }) => value > 0);
  const last = watchHistory(positive).change;
  const said = last && `${last.ratio.toFixed(2)} from run ${last.firstRunId} on`;
  return [id, String(measured.length), said ?? 'none', percent(smallestDetectable(positive), 0)];
});
console.log(textTable(['history', 'runs', 'last change', 'smallest %'], recorded, { hasRule: true }));

console.log('\nShares of pairs at two modes: histories with a false alarm, and with one or a false note, in %:');
for (const likeness of [0, 0.1, 0.3]) {
  for (const [pairs, share] of [2, 3, 7].flatMap((count) => [4 / 7, 0.2].map((each) => [count, each] as const))) {
    const { certain, any } = falseShares({ pairs, share, likeness }, histories, runs, seeds[0] ?? 1);
    console.log(
      `${pairs} pairs, ${percent(share, 0)} % upper, likeness ${likeness}: ${percent(certain)}, ${percent(any)}`,
    );
  }
}
console.log('\nThe same that fall from 4 in 7 to none: found, and found or noticed, in %:');
for (const pairs of [2, 3, 7]) {
  for (const before of RUNS_BEFORE_POSSIBLE) {
    const made = { pairs, share: 4 / 7, nowShare: 0, likeness: 0 };
    const found = [3, 6, 12].map((after) => {
      const { certain, any } = foundShares(made, histories, { before, after }, seeds[0] ?? 1);
      return `after ${after}: ${percent(certain)}, ${percent(any)}`;
    });
    console.log(`${pairs} pairs, ${before} runs before; ${found.join('; ')}`);
  }
}
