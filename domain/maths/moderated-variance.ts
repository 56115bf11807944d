/**
 * Moderates the variance of few values by how much other samples scatter: three repetitions may lie close together by
 * chance, but the same figure of twenty other cells shows how much its repetitions scatter.
 *
 * Both variances are weighted by their degrees of freedom (Smyth 2004, DOI 10.2202/1544-6115.1027). The more the
 * variances of the samples differ, the fewer degrees of freedom the common variance has. The difference is estimated
 * from the squares of the variances, not from their logarithms as Smyth does: with logarithms, one sample whose values
 * lie close together by chance makes all samples look different, and stops the moderation just when it is needed.
 *
 * The module also decides which of many tests are findings, because some look significant by chance alone.
 */
import { ascending, mean, smallest } from './statistics';

export interface EstimatedVariance {
  readonly variance: number;
  /** Degrees of freedom: how many independent deviations it is estimated from. */
  readonly degrees: number;
}

/** With fewer samples, it is unknown how much their variances differ. */
const LEAST_SAMPLES = 8;
/** The one-sided 95 % point of the normal distribution. */
const NORMAL_QUANTILE_ABOVE = 1.645;

/** @returns undefined if there are too few samples with a variance */
export function commonVariance(samples: readonly EstimatedVariance[]): EstimatedVariance | undefined {
  const scattering = samples.filter(({ variance, degrees }) => variance > 0 && degrees >= 1);
  if (scattering.length < LEAST_SAMPLES) return undefined;
  const squares = mean(scattering.map(({ variance, degrees }) => variance * degrees));
  const variance = squares / mean(scattering.map(({ degrees }) => degrees));
  // An estimate of ν degrees of freedom has a relative variance of 2 / ν.
  return { variance, degrees: 2 / mostUnlikeness(scattering, variance) };
}

/**
 * The relative variance of the samples' true variances around the common one. It is the upper end of a one-sided 95 %
 * interval, because different variances may look alike by chance.
 */
function mostUnlikeness(samples: readonly EstimatedVariance[], common: number): number {
  // If all samples have the same true variance, the squares of their variances have a mean of 1 + 2 / ν times the
  // square of the common one.
  const squares = samples.map(({ variance, degrees }) => (variance / common) ** 2 / (1 + 2 / degrees));
  // The standard error of that mean, by the delta method with the moments of the χ² distribution.
  const error = Math.sqrt(mean(samples.map(({ degrees }) => 8 / (degrees * (degrees + 2)))) / samples.length);
  return Math.max(mean(squares) - 1, 0) + NORMAL_QUANTILE_ABOVE * error;
}

export function moderatedVariance(own: EstimatedVariance, common: EstimatedVariance | undefined): EstimatedVariance {
  if (common === undefined) return own;
  const degrees = own.degrees + common.degrees;
  return { degrees, variance: (own.degrees * own.variance + common.degrees * common.variance) / degrees };
}

/**
 * Combines the p-values of several tests of the same thing into one (Simes 1986, DOI 10.1093/biomet/73.3.751). It holds
 * for independent tests and for positively correlated ones, such as the mean and the median of the same round trips;
 * adding a test that agrees with the others costs nothing.
 */
export function combinedChance(chances: readonly number[]): number {
  const { length } = chances;
  return smallest([1, ...ascending(chances).map((chance, index) => (chance * length) / (index + 1))]);
}

/**
 * The largest p-value that still counts as a finding, so that on average no more than `share` of the findings are false
 * (Benjamini and Hochberg 1995, DOI 10.1111/j.2517-6161.1995.tb02031.x). If there is nothing to find, `share` is the
 * probability of finding anything. The result is below 0 if nothing counts.
 */
export function findingsUpTo(chances: readonly number[], share: number): number {
  const sorted = ascending(chances);
  const last = sorted.findLastIndex((chance, index) => chance <= (share * (index + 1)) / sorted.length);
  return sorted[last] ?? -1;
}
