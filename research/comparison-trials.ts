/**
 * How often the comparison of two runs announces a change that is none, and how often it finds one that is:
 * `npx tsx research/comparison-trials.ts [--trials 1000] [--seed 1]`. Seeds 1 to 4 were used to choose constants.
 */
import { parseArgs } from 'node:util';
import { textTable } from '../domain/text/text-table';
import {
  comparisonTrial,
  EVEN_SCATTER,
  SCATTERS,
  type ComparedRuns,
  type ComparisonTrial,
} from './comparison-trial-runs';
import { binomialInterval } from './history-trials';

const { values } = parseArgs({
  options: { trials: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
});
const [trials, seed] = [values.trials, values.seed].map(Number) as [number, number];

const ZONES = [620, 800, 1010];

function shareOf(made: ComparedRuns, key: keyof ComparisonTrial): string {
  const results = Array.from({ length: trials }, (_, index) => comparisonTrial(made, seed * 1_000_003 + index));
  const count = results.filter((trial) => trial[key]).length;
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
