/**
 * The statistics of repeated measurements, with 95 % intervals that assume independent repetitions. With several modes
 * there is no mean and no median (null), because both would be values that were never measured.
 */
import { elementAt } from './elements';
import type { Bounds, Interval } from './interval';
import { ascending, mean, NORMAL_QUANTILE_95, quantileOfSorted, studentQuantile, varianceOf } from './statistics';
import { modesOf, type Mode } from './modes';

export interface RepetitionStatistics {
  readonly count: number;
  readonly mean: number | null;
  /** Computed by Student's t, or its logarithmic form for skewed values; never below 0; null for a single value. */
  readonly meanInterval: Bounds | null;
  readonly median: number | null;
  /** Computed from order statistics, for any distribution; null for fewer than six values. */
  readonly medianInterval: Bounds | null;
  readonly min: number;
  readonly max: number;
  /** In ascending order; most sets of repetitions have a single mode. */
  readonly modes: readonly Mode[];
}

export interface Scatter {
  /** The usual standard deviation within a mode, as a share of the value. */
  readonly usualScatter?: number;
  /** Whether they scatter farther upwards than downwards, as round trips do. */
  readonly isSkewed?: boolean;
}

/**
 * @param values rates, volumes and times, which are never negative
 * @returns undefined for no values
 */
export function repetitionStatistics(
  values: readonly number[],
  { usualScatter, isSkewed = false }: Scatter = {},
): RepetitionStatistics | undefined {
  if (values.length === 0) return undefined;
  const sorted = ascending(values);
  const modes = modesOf(sorted, usualScatter);
  const common = { count: sorted.length, min: elementAt(sorted, 0), max: elementAt(sorted, -1), modes };
  if (modes.length > 1) return { ...common, mean: null, meanInterval: null, median: null, medianInterval: null };
  return {
    ...common,
    mean: mean(sorted),
    meanInterval: isSkewed ? logMeanInterval(sorted) : meanInterval(sorted),
    median: quantileOfSorted(sorted, 0.5),
    medianInterval: medianInterval(sorted),
  };
}

function meanInterval(values: readonly number[]): Bounds | null {
  if (values.length < 2) return null;
  const centre = mean(values);
  const half = studentQuantile(values.length - 1) * Math.sqrt(varianceOf(values) / values.length);
  // Measured values are never negative, so the interval is cut off at 0.
  return { low: Math.max(0, centre - half), high: centre + half };
}

/**
 * The interval of a positive mean whose logarithm is taken to be normal: from mean / C to mean · C, where
 * C = exp(t √ln(1 + cv²)) and cv is the standard error as a share of the mean (Burnham et al. 1987, p. 212; Buckland et
 * al., Introduction to Distance Sampling, 2001, section 3.6, with Student's t for few values). It is never negative,
 * and for a small cv it is Student's interval.
 */
function logMeanInterval(values: readonly number[]): Bounds | null {
  const centre = mean(values);
  if (values.length < 2 || centre <= 0) return meanInterval(values);
  const squaredVariation = varianceOf(values) / values.length / centre ** 2;
  const factor = Math.exp(studentQuantile(values.length - 1) * Math.sqrt(Math.log1p(squaredVariation)));
  return { low: centre / factor, high: centre * factor };
}

/** Above this count, 0.5 ** count is too small for a double, and the normal approximation is good to one rank. */
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

/**
 * The prediction interval of one more pair. The recorded factor is between two single pairs; around the mean of n
 * measured pairs, the interval is narrower by √((1 + 1/n) / 2), but never narrower than the range of the measured
 * values.
 *
 * @returns undefined if the scatter between pairs is not recorded, or the values form several modes
 */
export function intervalOfAnotherPair(
  { mean, count, min, max }: Pick<RepetitionStatistics, 'mean' | 'count' | 'min' | 'max'>,
  { ofAnotherPair }: { readonly ofAnotherPair?: Interval },
): Bounds | undefined {
  if (mean === null || ofAnotherPair === undefined) return undefined;
  const narrower = Math.sqrt((1 + 1 / count) / 2);
  return {
    low: Math.min(min, mean * ofAnotherPair.low ** narrower),
    high: Math.max(max, mean * ofAnotherPair.high ** narrower),
  };
}
