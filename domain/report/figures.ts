/**
 * The figures that a measurement may come to, each in one place: what it is called, how it is written, and where in a result
 * it stands. Repetitions, comparisons and charts are of these.
 */
import type { MeasurementResult } from '../model/result';
import { latencyOf, throughputOf } from '../model/statistics';
import type { Interval } from '../maths/interval';
import type { RepetitionStatistics } from '../maths/repetitions';
import { isSupported, percentileName, type PercentileField } from '../model/percentiles';
import { gigabits, grouped, micros, seconds, threeDigits } from '../text/format';
import { drivenStatistics, rttOf } from './verdict-table';

export interface Figure {
  readonly key: string;
  readonly name: string;
  readonly unit: string;
  readonly format: (value: number) => string;
  readonly of: (result: MeasurementResult) => number | undefined;
  /** The figure's own 95 % interval within one measurement, where it has one. */
  readonly intervalOf?: (result: MeasurementResult) => Interval | undefined;
  /** How much repetitions scatter within a mode, as a share; for telling modes apart. */
  readonly usualScatter: number;
}

const written = (format: (value: number) => string | undefined) => (value: number) => format(value) ?? String(value);

function rate(key: string, name: string, of: Figure['of'], intervalOf?: Figure['intervalOf']): Figure {
  return { key, name, unit: 'Gbit/s', format: written(gigabits), of, intervalOf, usualScatter: 0.05 };
}

function roundTrip(key: string, name: string, usualScatter: number, of: Figure['of']): Figure {
  return { key, name, unit: 'µs', format: written(micros), of, usualScatter };
}

const verdictInterval =
  (figure: 'onset' | 'burst' | 'baseline' | 'bucket') =>
  ({ verdict }: MeasurementResult): Interval | undefined =>
    verdict?.[figure] ?? undefined;

const other = (result: MeasurementResult) => throughputOf(result)?.reverse;

export const meanThroughput = rate(
  'meanBitsPerSecond',
  'Throughput, mean',
  (result) => throughputOf(result)?.main.throughputBitsPerSecond?.mean,
);

export const meanRoundTrip = roundTrip('rttMeanMicros', 'Round trip, mean', 0.1, (it) => rttOf(it)?.mean);

export const transactions: Figure = {
  key: 'transactionsPerSecond',
  name: 'Transactions',
  unit: 'per second',
  format: (value) => (value < 1000 ? threeDigits(value) : grouped(Math.round(value))),
  of: (it) => latencyOf(it)?.transactionsPerSecond,
  usualScatter: 0.1,
};

/** A percentile of too few round trips is the longest of them under another name, and no figure to show or compare. */
const supported =
  (field: PercentileField): Figure['of'] =>
  (result) =>
    supports(result, field) ? rttOf(result)?.[field] : undefined;

const supports = (result: MeasurementResult, field: PercentileField) =>
  isSupported(field, latencyOf(result)?.observations ?? 0);

/** The farthest percentile that all results can support, from p99.99 to p99; where there is none, of those that can. */
export function tailRoundTrip(results: readonly MeasurementResult[]): Figure & { readonly shortName: string } {
  const tails: readonly PercentileField[] = ['p99_99', 'p99_9', 'p99'];
  const field = tails.find((tail) => results.every((result) => supports(result, tail))) ?? 'p99';
  const shortName = percentileName(field);
  return { ...roundTrip(`rtt${field}`, `Round trip, ${shortName}`, 0.5, supported(field)), shortName };
}

/** What is drawn as the value: the mean, or of several modes each centre. */
export function centresOf(statistics: RepetitionStatistics | undefined): readonly number[] {
  if (statistics === undefined) return [];
  return statistics.mean === null ? statistics.modes.map(({ centre }) => centre) : [statistics.mean];
}

/** In the order in which they are shown. Tails scatter more than middles, whatever is measured. */
export const FIGURES: readonly Figure[] = [
  meanThroughput,
  rate('reverseMeanBitsPerSecond', 'Throughput, mean, reverse', (it) => other(it)?.throughputBitsPerSecond?.mean),
  rate('burstBitsPerSecond', 'Burst', (it) => it.verdict?.burst?.value, verdictInterval('burst')),
  rate('baselineBitsPerSecond', 'Baseline', (it) => it.verdict?.baseline?.value, verdictInterval('baseline')),
  {
    key: 'onsetSeconds',
    name: 'Throttle onset',
    unit: 's',
    format: written(seconds),
    of: (it) => it.verdict?.onset?.value,
    intervalOf: verdictInterval('onset'),
    usualScatter: 0.1,
  },
  {
    key: 'bucketBits',
    name: 'Bucket',
    unit: 'Gbit',
    format: written(gigabits),
    of: (it) => it.verdict?.bucket?.value,
    intervalOf: verdictInterval('bucket'),
    usualScatter: 0.1,
  },
  transactions,
  meanRoundTrip,
  roundTrip('rttP50Micros', 'Round trip, median', 0.1, (it) => rttOf(it)?.p50),
  roundTrip('rttP99Micros', 'Round trip, p99', 0.25, supported('p99')),
  roundTrip('rttP99_99Micros', 'Round trip, p99.99', 0.5, supported('p99_99')),
  roundTrip('rttBeforeOnsetP50Micros', 'Round trip under load, median', 0.25, (it) => {
    return drivenStatistics(it)?.loadedLatency?.before?.rttMicros.p50;
  }),
  roundTrip('rttAfterOnsetP50Micros', 'Round trip when throttled, median', 0.25, (it) => {
    return drivenStatistics(it)?.loadedLatency?.after?.rttMicros.p50;
  }),
];
