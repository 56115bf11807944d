/**
 * How often the comparison of two runs announces a change that is none, and how often it finds one that is:
 * `npx tsx research/comparison-trials.ts [--trials 1000] [--seed 1]`. Seeds 1 to 4 were used to choose constants.
 */
import { parseArgs } from 'node:util';
import { percent } from '../domain/text/format';
import { textTable } from '../domain/text/text-table';
import {
  comparisonTrial,
  mixtureTrial,
  EVEN_SCATTER,
  SCATTERS,
  type ComparedRuns,
  type ComparisonTrial,
  type MixedRuns,
} from './comparison-trial-runs';
import { binomialInterval } from './history-trials';

const { values } = parseArgs({
  options: { trials: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
});
const [trials, seed] = [values.trials, values.seed].map(Number) as [number, number];

const ZONES = [620, 800, 1010];

function shareOf(made: ComparedRuns | MixedRuns, key: keyof ComparisonTrial): string {
  const trial = (ofSeed: number) => ('share' in made ? mixtureTrial(made, ofSeed) : comparisonTrial(made, ofSeed));
  const results = Array.from({ length: trials }, (_, index) => trial(seed * 1_000_003 + index));
  const count = results.filter((each) => each[key]).length;
  const [low, high] = binomialInterval(count, trials);
  return `${((100 * count) / trials).toFixed(1)} (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)})`;
}

const of = (changes: Partial<ComparedRuns>): ComparedRuns => ({
  cells: 20,
  repetitions: 3,
  scatter: EVEN_SCATTER,
  zoneMicros: ZONES,
  factor: 1,
  isScatterShared: false,
  ...changes,
});

console.log(`Runs of 20 unchanged cells that announce any change, of ${trials}, in % (95 % interval):\n`);
const unchanged = SCATTERS.flatMap((scatter) =>
  [true, false].map((isScatterShared) => [
    `${scatter.name}, figures scatter ${isScatterShared ? 'together' : 'apart'}`,
    ...[3, 5].flatMap((repetitions) =>
      [ZONES, [620]].map((zoneMicros) => shareOf(of({ scatter, isScatterShared, repetitions, zoneMicros }), 'isFalse')),
    ),
  ]),
);
const headings = ['scatter', '3 rep., 3 zones', '3 rep., 1 zone', '5 rep., 3 zones', '5 rep., 1 zone'];
console.log(textTable(headings, unchanged, { hasRule: true, isRightAligned: (column) => column > 0 }));

console.log(
  `\nRuns in which the change of one cell is found, of ${trials}, in % (95 % interval), at a scatter of 3 %:\n`,
);
const changed = (
  [
    [1.2, 3],
    [1.1, 5],
  ] as const
).flatMap(([factor, repetitions]) =>
  [true, false].map((isScatterShared) => [
    `+${Math.round(100 * (factor - 1))} %, ${repetitions} repetitions, figures scatter ${isScatterShared ? 'together' : 'apart'}`,
    ...[1, 20].flatMap((cells) =>
      [ZONES, [620]].map((zoneMicros) =>
        shareOf(of({ factor, repetitions, cells, zoneMicros, isScatterShared }), 'isFound'),
      ),
    ),
  ]),
);
const powers = ['change', 'alone, 3 zones', 'alone, 1 zone', 'of 20 cells, 3 zones', 'of 20 cells, 1 zone'];
console.log(textTable(powers, changed, { hasRule: true, isRightAligned: (column) => column > 0 }));

console.log(`\nRuns of pairs at two modes that announce any change where there is none, of ${trials}, in %:\n`);
const COUNTS = [3, 5, 7, 14] as const;
const mixed = [1, 20].flatMap((cells) =>
  [4 / 7, 0.2].map((share) => [
    `${cells} cells, ${percent(share)} at the upper mode`,
    ...COUNTS.map((repetitions) => shareOf({ cells, repetitions, share, nowShare: share }, 'isFalse')),
  ]),
);
const pairHeadings = COUNTS.map((count) => `${count} pairs`);
console.log(textTable(['', ...pairHeadings], mixed, { hasRule: true, isRightAligned: (column) => column > 0 }));

console.log(`\nRuns in which the change of one mixture is found, of ${trials}, in %:\n`);
const powersOfShares = [1, 20].flatMap((cells) =>
  [
    [4 / 7, 0],
    [6 / 7, 0],
    [4 / 7, 1],
  ].map(([share = 0, nowShare = 0]) => [
    `${cells} cells, from ${percent(share)} to ${percent(nowShare)}`,
    ...COUNTS.map((repetitions) => shareOf({ cells, repetitions, share, nowShare }, 'isFound')),
  ]),
);
console.log(
  textTable(['', ...pairHeadings], powersOfShares, { hasRule: true, isRightAligned: (column) => column > 0 }),
);
