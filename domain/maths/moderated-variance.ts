/**
 * The variance of few values, moderated by what other samples scatter like: three repetitions can't tell whether they
 * lie close together by chance, but the same figure of twenty other cells shows how much repetitions of it scatter.
 *
 * The variances of the samples are taken to be drawn from a scaled inverse χ² distribution, whose scale and degrees of
 * freedom are estimated from the logarithms of the samples' own variances (Smyth 2004, DOI 10.2202/1544-6115.1027,
 * section 6.2). Where the samples scatter unlike each other, the common variance counts for few degrees of freedom.
 */
import { mean, varianceOf } from './statistics';

export interface EstimatedVariance {
  readonly variance: number;
  /** Degrees of freedom: how many independent deviations it is estimated from. */
  readonly degrees: number;
}

/** From fewer samples, nobody can tell how unlike each other they are. */
const LEAST_SAMPLES = 8;
/** A common variance that counts for less would be more often wrong than it helps: the samples scatter unlike each other. */
const LEAST_DEGREES = 4;
/** More than this the common variance never counts for: of few samples, unlike ones may look alike by chance. */
const MOST_DEGREES = 12;

/** @returns undefined where there are too few samples with a variance */
export function commonVariance(samples: readonly EstimatedVariance[]): EstimatedVariance | undefined {
  const scattering = samples.filter(({ variance, degrees }) => variance > 0 && degrees >= 1);
  if (scattering.length < LEAST_SAMPLES) return undefined;
  // The logarithm of a variance of ν degrees of freedom is, in the mean, too low by this much.
  const logs = scattering.map(({ variance, degrees }) => Math.log(variance) + logBias(degrees));
  const ownVariance = mean(scattering.map(({ degrees }) => trigamma(degrees / 2)));
  const degrees = degreesOf(varianceOf(logs) - ownVariance);
  return degrees < LEAST_DEGREES ? undefined : { degrees, variance: Math.exp(mean(logs) - logBias(degrees)) };
}

export function moderatedVariance(own: EstimatedVariance, common: EstimatedVariance | undefined): EstimatedVariance {
  if (common === undefined) return own;
  const degrees = own.degrees + common.degrees;
  return { degrees, variance: (own.degrees * own.variance + common.degrees * common.variance) / degrees };
}

const logBias = (degrees: number) => Math.log(degrees / 2) - digamma(degrees / 2);

/** The degrees of freedom at which the logarithms of variances scatter by so much, by bisection. */
function degreesOf(scatter: number): number {
  if (trigamma(MOST_DEGREES / 2) >= scatter) return MOST_DEGREES;
  let [low, high] = [0, MOST_DEGREES];
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2;
    if (trigamma(middle / 2) > scatter) low = middle;
    else high = middle;
  }
  return low;
}

/** From here on, the asymptotic series below are good to ten digits. */
const ASYMPTOTIC_FROM = 10;

/** ψ(x): the asymptotic series (DLMF 5.11.2), reached from below by ψ(x + 1) = ψ(x) + 1 / x. */
function digamma(x: number): number {
  if (x < ASYMPTOTIC_FROM) return digamma(x + 1) - 1 / x;
  const square = 1 / x ** 2;
  return Math.log(x) - 1 / (2 * x) - square * (1 / 12 - square * (1 / 120 - square / 252));
}

/** ψ′(x), the derivative of the same series. */
function trigamma(x: number): number {
  if (x < ASYMPTOTIC_FROM) return trigamma(x + 1) + 1 / x ** 2;
  const square = 1 / x ** 2;
  return 1 / x + square / 2 + (square / x) * (1 / 6 - square * (1 / 30 - square / 42));
}
