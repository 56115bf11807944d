/** Made-up runs of round trips, for trials of the comparison between two runs. */
import { randomNumbers } from '../domain/maths/random-order';
import type { MeasurementResult } from '../domain/model/result';
import { compareRuns } from '../domain/run/comparison';
import { host, steadyResult } from '../test/support/measurement-results';
import { roundTrips } from '../test/support/compared-results';

/** How the repetitions of one figure of one cell scatter, as a share. */
export interface CellScatter {
  readonly name: string;
  /** Between the measurements of a cell and a zone. */
  readonly ofCell: (random: Random) => number;
}

export interface Random {
  readonly uniform: () => number;
  readonly normal: () => number;
}

export const EVEN_SCATTER: CellScatter = { name: '3 % everywhere', ofCell: () => 0.03 };

export const SCATTERS: readonly CellScatter[] = [
  EVEN_SCATTER,
  { name: '1 to 10 % from cell to cell', ofCell: ({ uniform }) => 0.01 * 10 ** uniform() },
  { name: '0.1 or 5 %', ofCell: ({ uniform }) => (uniform() < 0.5 ? 0.001 : 0.05) },
];

export interface ComparedRuns {
  readonly cells: number;
  readonly repetitions: number;
  readonly scatter: CellScatter;
  /** The level of each zone; a repetition stands in the next one. A single level: all in one zone. */
  readonly zoneMicros: readonly number[];
  /** Of the first cell alone: the factor by which it differs in the later run. */
  readonly factor: number;
  /** Whether the figures of a measurement scatter together. */
  readonly isScatterShared: boolean;
}

export interface ComparisonTrial {
  /** Whether any cell that did not change is announced. */
  readonly isFalse: boolean;
  /** Whether the first cell is announced. */
  readonly isFound: boolean;
}

export function comparisonTrial(made: ComparedRuns, seed: number): ComparisonTrial {
  const random = randomOf(seed);
  const cells = Array.from({ length: made.cells }, (_, index) => ({ index, scatter: made.scatter.ofCell(random) }));
  const runOf = (factor: number) =>
    cells.flatMap(({ index, scatter }) =>
      Array.from({ length: made.repetitions }, (_, repetition) =>
        measured(made, random, { index, scatter, repetition, factor: index === 0 ? factor : 1 }),
      ),
    );
  const { compared } = compareRuns('earlier', runOf(1), runOf(made.factor));
  const announced = compared.filter(({ figures }) => figures.some(({ isBeyondNoise }) => isBeyondNoise === true));
  const isChanged = ({ now }: (typeof compared)[number]) => made.factor !== 1 && now.results[0].planPairIndex === 0;
  return { isFalse: announced.some((cell) => !isChanged(cell)), isFound: announced.some(isChanged) };
}

interface Placed {
  readonly index: number;
  readonly scatter: number;
  readonly repetition: number;
  readonly factor: number;
}

function measured(
  { zoneMicros, isScatterShared }: ComparedRuns,
  { normal }: Random,
  { index, scatter, repetition, factor }: Placed,
): MeasurementResult {
  const zone = repetition % zoneMicros.length;
  const shared = normal();
  const micros = (share: number) =>
    share * factor * (zoneMicros[zone] ?? 0) * Math.exp(scatter * (isScatterShared ? shared : normal()));
  const pairId = `p${index}-${repetition}`;
  const made = roundTrips(zoneMicros[zone] ?? 0, { messageBytes: 64 + index });
  const { rttMicros } = made.statistics as { rttMicros: object };
  const quantiles = { ...rttMicros, mean: micros(1), p50: micros(0.96), p99: micros(1.8) };
  return {
    ...made,
    statistics: { rttMicros: quantiles, observations: 5000, transactionsPerSecond: 1e6 / micros(1) },
    planPairIndex: index,
    repetition: repetition + 1,
    pairId,
    measurementId: `${pairId}-m01`,
    client: host('i-0aaaaaaaaaaaaaaa1', `eu-central-1${'abcdef'[zone]}`, 11),
    server: host('i-0bbbbbbbbbbbbbbb2', `eu-central-1${'abcdef'[zone]}`, 12),
  } as MeasurementResult;
}

/** Runs of throughput whose pairs are at 9.69 or at 5.02 Gbit/s. */
export interface MixedRuns {
  readonly cells: number;
  readonly repetitions: number;
  /** The share of pairs at the upper mode; `nowShare` is that of the first cell in the later run. */
  readonly share: number;
  readonly nowShare: number;
}

export function mixtureTrial({ cells, repetitions, share, nowShare }: MixedRuns, seed: number): ComparisonTrial {
  const random = randomOf(seed);
  const runOf = (ofFirst: number) =>
    Array.from({ length: cells }, (_, index) =>
      Array.from({ length: repetitions }, (_, repetition) => {
        const mode = random.uniform() < (index === 0 ? ofFirst : share) ? 9.69e9 : 5.02e9;
        const mean = mode * Math.exp(0.005 * random.normal());
        const pairId = `p${index}-${repetition}`;
        return steadyResult({
          statistics: { throughputBitsPerSecond: { mean } },
          parallelStreams: index + 1,
          planPairIndex: index,
          repetition: repetition + 1,
          pairId,
          measurementId: `${pairId}-m01`,
        });
      }),
    ).flat();
  const { compared } = compareRuns('earlier', runOf(share), runOf(nowShare));
  const announced = compared.filter(({ figures }) => figures.some(({ isBeyondNoise }) => isBeyondNoise === true));
  const isChanged = ({ now }: (typeof compared)[number]) => share !== nowShare && now.results[0].planPairIndex === 0;
  return { isFalse: announced.some((cell) => !isChanged(cell)), isFound: announced.some(isChanged) };
}

function randomOf(seed: number): Random {
  const next = randomNumbers(seed);
  const uniform = () => next();
  // Box and Muller's; 1 − u is never 0.
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return { uniform, normal };
}
