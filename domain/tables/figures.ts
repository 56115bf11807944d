/**
 * The figures of a measurement, and how they are read from a result: by the definition of their columns, so that a result
 * and its row in Athena always agree.
 */
import type { RepetitionStatistics } from '../maths/repetition-statistics';
import type { Interval } from '../maths/interval';
import { isSupported, percentileName, type PercentileField } from '../model/percentiles';
import type { MeasurementResult } from '../model/result';
import { latencyOf } from '../model/statistics';
import { FIGURE_FACTS, tailFacts, type FigureFacts } from './figure-facts';
import { MEASUREMENT_COLUMNS } from './measurement-columns';

export interface Figure extends FigureFacts {
  /** The columns of the figure's 95 % interval within one measurement. */
  readonly boundColumns?: { readonly low: string; readonly high: string };
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
export function figure(facts: FigureFacts): Figure {
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

/** Returns the highest percentile from p99.99 to p99 that all results support, or p99 if there is none. */
export function tailRoundTrip(results: readonly MeasurementResult[]): Figure & { readonly shortName: string } {
  const tails: readonly PercentileField[] = ['p99_99', 'p99_9', 'p99'];
  const percentile = tails.find((each) => results.every((result) => supports(result, each))) ?? 'p99';
  return { ...figure(tailFacts(`rtt${percentile}`, percentile, 0.5)), shortName: percentileName(percentile) };
}

export const inUnit = ({ unitSize = 1 }: Figure, value: number) => value / unitSize;

/** Returns the values that charts draw: the mean, or the centre of each of several modes. */
export function centresOf(statistics: RepetitionStatistics | undefined): readonly number[] {
  if (statistics === undefined) return [];
  return statistics.mean === null ? statistics.modes.map(({ centre }) => centre) : [statistics.mean];
}

/** How hold times usually scatter within a mode, for the answer of a run and for expectations. */
export const HELD_SCATTER = { usualScatter: 0.1 };

/** In display order. */
export const FIGURES: readonly Figure[] = FIGURE_FACTS.map(figure);

/** @throws for a key that no figure has */
export function figureByKey(key: string): Figure {
  const found = FIGURES.find((each) => each.key === key);
  if (found === undefined) throw new Error(`figure: must be a key of FIGURES, got ${key}`);
  return found;
}

export const meanThroughput = figureByKey('meanBitsPerSecond');
export const meanRoundTrip = figureByKey('rttMeanMicros');
export const transactions = figureByKey('transactionsPerSecond');
