/**
 * The figures of a measurement, with their names, formats and columns in `measurements`. Repetitions, comparisons and
 * charts use them. A figure is read by its column's definition, so that a result and its row in Athena always agree.
 */
import { intervalOfAnotherPair, type RepetitionStatistics } from '../maths/repetition-statistics';
import type { Bounds, Interval } from '../maths/interval';
import { isSupported, percentileName, type PercentileField } from '../model/percentiles';
import type { MeasurementResult } from '../model/result';
import { latencyOf } from '../model/statistics';
import {
  BASELINE_OF_ANOTHER_PAIR,
  BURST_OF_ANOTHER_PAIR,
  FULL_CREDITS_OF_ANOTHER_PAIR,
  ONSET_OF_ANOTHER_PAIR,
} from '../model/token-bucket';
import { MEASUREMENT_COLUMNS } from './measurement-columns';
import { gigabits, kilopackets, micros, seconds, threeDigits } from '../text/format';

export interface Figure {
  /** The figure's name in `summary.json`, with its unit. */
  readonly key: string;
  readonly name: string;
  readonly unit: string;
  /** The size of the unit in stored units: 1e9 for Gbit, because bits are stored. 1 if absent. */
  readonly unitSize?: number;
  readonly format: (value: number) => string;
  readonly column: string;
  /** The columns of the figure's 95 % interval within one measurement. */
  readonly boundColumns?: { readonly low: string; readonly high: string };
  /** The percentile of a figure that needs a minimum number of observations. */
  readonly percentile?: PercentileField;
  /** The usual scatter of repetitions within a mode, as a share of the value; a wider gap separates modes. */
  readonly usualScatter: number;
  /** The recorded 95 % range of the figure on another pair of the same types, as a multiple of the measured value. */
  readonly ofAnotherPair?: Interval;
  /** Whether repetitions scatter farther upwards than downwards, as round trips do. */
  readonly isSkewed?: boolean;
  readonly of: (result: MeasurementResult) => number | undefined;
  readonly intervalOf: (result: MeasurementResult) => Interval | undefined;
}

const VALUES = new Map(MEASUREMENT_COLUMNS.map(({ name, value }) => [name, value]));

/** @throws when the table has no such column */
function columnValue(column: string): Figure['of'] {
  const value = VALUES.get(column);
  if (value === undefined) throw new Error(`figure: must be of a column of measurements, got ${column}`);
  return (result) => {
    const stored = value(result);
    return typeof stored === 'number' ? stored : undefined;
  };
}

/** Finds the columns of a column's interval: `onset_low_seconds` and `onset_high_seconds` for `onset_seconds`. */
function boundsOf(column: string): Figure['boundColumns'] {
  const [low, high] = [column.replace('_', '_low_'), column.replace('_', '_high_')];
  return VALUES.has(low) && VALUES.has(high) ? { low, high } : undefined;
}

/** @throws when `measurements` has no such column */
export function figure(facts: Omit<Figure, 'boundColumns' | 'of' | 'intervalOf'>): Figure {
  const { column, percentile } = facts;
  const boundColumns = boundsOf(column);
  const stored = columnValue(column);
  const bounds = boundColumns && { low: columnValue(boundColumns.low), high: columnValue(boundColumns.high) };
  const valueOf: Figure['of'] = (result) =>
    percentile === undefined || supports(result, percentile) ? stored(result) : undefined;
  return {
    ...facts,
    boundColumns,
    of: valueOf,
    intervalOf: (result) => {
      const [value, low, high] = [valueOf(result), bounds?.low(result), bounds?.high(result)];
      return value === undefined || low === undefined || high === undefined ? undefined : { value, low, high };
    },
  };
}

/** A percentile of too few round trips is not shown or compared, because it is only the longest of them. */
function supports(result: MeasurementResult, percentile: PercentileField): boolean {
  return isSupported(percentile, latencyOf(result)?.observations ?? 0);
}

const rate = (key: string, name: string, column: string, ofAnotherPair?: Interval) =>
  figure({ key, name, unit: 'Gbit/s', unitSize: 1e9, format: gigabits, column, ofAnotherPair, usualScatter: 0.05 });

const roundTrip = (key: string, name: string, usualScatter: number, column: string, percentile?: PercentileField) =>
  figure({ key, name, unit: 'µs', format: micros, column, percentile, usualScatter, isSkewed: true });

const tail = (key: string, percentile: PercentileField, usualScatter: number) =>
  roundTrip(key, `Round trip, ${percentileName(percentile)}`, usualScatter, `rtt_${percentile}_micros`, percentile);

export const meanThroughput = rate('meanBitsPerSecond', 'Throughput, mean', 'throughput_mean_bits_per_second');

export const meanRoundTrip = roundTrip('rttMeanMicros', 'Round trip, mean', 0.1, 'rtt_mean_micros');

export const transactions = figure({
  key: 'transactionsPerSecond',
  name: 'Transactions',
  unit: 'per second',
  format: threeDigits,
  column: 'transactions_per_second',
  usualScatter: 0.1,
});

/** Returns the highest percentile from p99.99 to p99 that all results support, or p99 if there is none. */
export function tailRoundTrip(results: readonly MeasurementResult[]): Figure & { readonly shortName: string } {
  const tails: readonly PercentileField[] = ['p99_99', 'p99_9', 'p99'];
  const percentile = tails.find((each) => results.every((result) => supports(result, each))) ?? 'p99';
  return { ...tail(`rtt${percentile}`, percentile, 0.5), shortName: percentileName(percentile) };
}

/**
 * Returns the interval in which the bucket of another pair lies; undefined for other figures. A reader wants to know
 * the bucket of another instance of the type, which may differ by more than the interval of the mean says.
 */
export function bucketOfAnotherPair(figure: Figure, statistics: RepetitionStatistics): Bounds | undefined {
  return figure.key === 'bucketBits' ? intervalOfAnotherPair(statistics, figure) : undefined;
}

export const inUnit = ({ unitSize = 1 }: Figure, value: number) => value / unitSize;

/** Returns the values that charts draw: the mean, or the centre of each of several modes. */
export function centresOf(statistics: RepetitionStatistics | undefined): readonly number[] {
  if (statistics === undefined) return [];
  return statistics.mean === null ? statistics.modes.map(({ centre }) => centre) : [statistics.mean];
}

/** How hold times usually scatter within a mode, for the answer of a run and for expectations. */
export const HELD_SCATTER = { usualScatter: 0.1 };

/** In display order. High percentiles scatter more than medians. */
export const FIGURES: readonly Figure[] = [
  meanThroughput,
  rate('reverseMeanBitsPerSecond', 'Throughput, mean, reverse', 'reverse_throughput_mean_bits_per_second'),
  rate('burstBitsPerSecond', 'Burst', 'burst_bits_per_second', BURST_OF_ANOTHER_PAIR),
  rate('baselineBitsPerSecond', 'Baseline', 'baseline_bits_per_second', BASELINE_OF_ANOTHER_PAIR),
  figure({
    key: 'onsetSeconds',
    name: 'Throttle onset',
    unit: 's',
    format: seconds,
    column: 'onset_seconds',
    ofAnotherPair: ONSET_OF_ANOTHER_PAIR,
    usualScatter: 0.1,
  }),
  figure({
    key: 'bucketBits',
    name: 'Bucket',
    unit: 'Gbit',
    unitSize: 1e9,
    format: gigabits,
    column: 'bucket_bits',
    ofAnotherPair: FULL_CREDITS_OF_ANOTHER_PAIR,
    usualScatter: 0.1,
  }),
  ...['mean', 'burst', 'baseline'].map((level) => {
    const [key, name, column] = [`${level}PacketsPerSecond`, `Packets, ${level}`, `${level}_packets_per_second`];
    return figure({ key, name, unit: 'k packets/s', unitSize: 1e3, format: kilopackets, column, usualScatter: 0.05 });
  }),
  transactions,
  meanRoundTrip,
  roundTrip('rttP50Micros', 'Round trip, median', 0.1, 'rtt_p50_micros'),
  tail('rttP99Micros', 'p99', 0.25),
  tail('rttP99_99Micros', 'p99_99', 0.5),
  roundTrip('rttBeforeOnsetP50Micros', 'Round trip under load, median', 0.25, 'rtt_before_onset_p50_micros'),
  roundTrip('rttAfterOnsetP50Micros', 'Round trip when throttled, median', 0.25, 'rtt_after_onset_p50_micros'),
];

/** @throws for a key that no figure has */
export function figureByKey(key: string): Figure {
  const found = FIGURES.find((each) => each.key === key);
  if (found === undefined) throw new Error(`figure: must be a key of FIGURES, got ${key}`);
  return found;
}
