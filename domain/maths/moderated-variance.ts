/**
 * The variance of few values, moderated by what other samples scatter like: three repetitions can't tell whether they
 * lie close together by chance, but the same figure of twenty other cells shows how much repetitions of it scatter.
 *
 * Both are weighted by their degrees of freedom (Smyth 2004, DOI 10.2202/1544-6115.1027). Where the samples scatter
 * unlike each other, the common variance counts for few. How unlike they are is told from the squares of their
 * variances, not as by Smyth from the logarithms: by these, a sample whose values lie close together by chance makes all
 * look unlike, and ends the moderation in the very run in which it needs it.
 *
 * And which of many tests show something, when some of them look as if they did by chance alone.
 */
import { ascending, mean, smallest } from './statistics';

export interface EstimatedVariance {
  readonly variance: number;
  /** Degrees of freedom: how many independent deviations it is estimated from. */
  readonly degrees: number;
}

/** From fewer samples, nobody can tell how unlike each other they are. */
const LEAST_SAMPLES = 8;
/** The one-sided 95 % point of the normal distribution. */
const NORMAL_QUANTILE_ABOVE = 1.645;

/** @returns undefined where there are too few samples with a variance */
export function commonVariance(samples: readonly EstimatedVariance[]): EstimatedVariance | undefined {
  const scattering = samples.filter(({ variance, degrees }) => variance > 0 && degrees >= 1);
  if (scattering.length < LEAST_SAMPLES) return undefined;
  const squares = mean(scattering.map(({ variance, degrees }) => variance * degrees));
  const variance = squares / mean(scattering.map(({ degrees }) => degrees));
  // An estimate of ν degrees of freedom has a relative variance of 2 / ν.
  return { variance, degrees: 2 / mostUnlikeness(scattering, variance) };
}

/**
 * The relative variance of what the samples really scatter like, around the common variance. As unlike samples look
 * alike by chance, it is the upper end of a one-sided 95 % interval.
 */
function mostUnlikeness(samples: readonly EstimatedVariance[], common: number): number {
  // Of samples that scatter alike, the squares of the variances are 1 + 2 / ν times that of the common one in the mean.
  const squares = samples.map(({ variance, degrees }) => (variance / common) ** 2 / (1 + 2 / degrees));
  // Of such samples, the mean of these errs by so much: the delta method, with the moments of the χ² distribution.
  const error = Math.sqrt(mean(samples.map(({ degrees }) => 8 / (degrees * (degrees + 2)))) / samples.length);
  return Math.max(mean(squares) - 1, 0) + NORMAL_QUANTILE_ABOVE * error;
}

export function moderatedVariance(own: EstimatedVariance, common: EstimatedVariance | undefined): EstimatedVariance {
  if (common === undefined) return own;
  const degrees = own.degrees + common.degrees;
  return { degrees, variance: (own.degrees * own.variance + common.degrees * common.variance) / degrees };
}

/**
 * The chance of one finding that several tests of the same thing have together (Simes 1986, DOI
 * 10.1093/biomet/73.3.751). It is right for independent tests and for those that err alike, such as the mean and the
 * median of the same round trips; adding a test that agrees with the others costs nothing.
 */
export function combinedChance(chances: readonly number[]): number {
  const { length } = chances;
  return smallest([1, ...ascending(chances).map((chance, index) => (chance * length) / (index + 1))]);
}

/**
 * The largest chance that still counts as a finding, so that in the mean no more than `share` of the findings are false
 * (Benjamini and Hochberg 1995, DOI 10.1111/j.2517-6161.1995.tb02031.x); where there is nothing to find, that is the
 * probability of finding anything. Below 0 where nothing counts.
 */
export function findingsUpTo(chances: readonly number[], share: number): number {
  const sorted = ascending(chances);
  const last = sorted.findLastIndex((chance, index) => chance <= (share * (index + 1)) / sorted.length);
  return sorted[last] ?? -1;
}
