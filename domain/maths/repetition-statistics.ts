/**
 * The statistics of repeated measurements, with 95 % intervals that assume independent repetitions. With several modes
 * there is no mean and no median (null), because both would be values that were never measured.
 */
import { elementAt } from './elements';
import type { Bounds } from './interval';
import { mean, quantileOfSorted, varianceOf } from './statistics';
import { modesOf, type Mode } from './modes';
import { ascending } from './quantiles';
import { NORMAL_QUANTILE_95, studentQuantile } from './student-t';

export interface RepetitionStatistics {
  readonly count: number;
  readonly mean: number | null;
  /** By Student's t; null for a single value. */
  readonly meanInterval: Bounds | null;
  readonly median: number | null;
  /** By order statistics, for any distribution; null for fewer than six values. */
  readonly medianInterval: Bounds | null;
  readonly min: number;
  readonly max: number;
  /** In ascending order; most sets of repetitions have a single mode. */
  readonly modes: readonly Mode[];
}

/** @returns undefined for no values */
export function repetitionStatistics(
  values: readonly number[],
  usualScatter?: number,
): RepetitionStatistics | undefined {
  if (values.length === 0) return undefined;
  const sorted = ascending(values);
  const modes = modesOf(sorted, usualScatter);
  const common = { count: sorted.length, min: elementAt(sorted, 0), max: elementAt(sorted, -1), modes };
  if (modes.length > 1) return { ...common, mean: null, meanInterval: null, median: null, medianInterval: null };
  return {
    ...common,
    mean: mean(sorted),
    meanInterval: meanInterval(sorted),
    median: quantileOfSorted(sorted, 0.5),
    medianInterval: medianInterval(sorted),
  };
}

function meanInterval(values: readonly number[]): Bounds | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  const half = studentQuantile(values.length - 1) * Math.sqrt(varianceOf(values) / values.length);
  return { low: centre - half, high: centre + half };
}

/**
 * Above this count, the probability that all values lie on one side of the median is too small for a double, and the
 * normal approximation is good to one rank.
 */
const MOST_COUNTED_OUT = 1000;

/** The narrowest symmetric pair of order statistics with the median between them in 95 of 100 cases. */
function medianInterval(sorted: readonly number[]): Bounds | null {
  const count = sorted.length;
  if (count > MOST_COUNTED_OUT) {
    const rank = Math.floor((count + 1 - NORMAL_QUANTILE_95 * Math.sqrt(count)) / 2);
    return { low: elementAt(sorted, rank - 1), high: elementAt(sorted, count - rank) };
  }
  let probability = 0.5 ** count;
  let outside = probability;
  let rank = 0;
  while (outside <= 0.025) {
    rank += 1;
    probability *= (count - rank + 1) / rank;
    outside += probability;
  }
  return rank === 0 ? null : { low: elementAt(sorted, rank - 1), high: elementAt(sorted, count - rank) };
}
