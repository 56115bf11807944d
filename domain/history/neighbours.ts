/**
 * How much neighbouring runs resemble each other, and how much less a mean of them is worth for that.
 *
 * Assumption that may fail: the resemblance fades from run to run by the same factor (autoregression of the first order).
 */
import { clamp, sum } from '../maths/statistics';
import { REACH, type RobustLevel } from './robust-level';

/** Two-sided 99 % point of the normal distribution. */
const NORMAL_99 = 2.576;
/** The largest correlation that is allowed for: neighbours that are more alike than this drift as if the level changed. */
const MOST_CORRELATION = 0.55;

/**
 * The largest correlation of neighbours that agrees with the runs: the upper end of its 99 % interval, with the standard
 * error of independent runs (Bartlett 1946, DOI 10.2307/2983611). Ten runs can't show that they are independent, so they
 * get the largest; forty can, and smaller changes are found in them. Runs that are far off are moved near, because one
 * of them would hide any resemblance of the others.
 */
export function mostCorrelation(runs: readonly number[], { level, scatter }: RobustLevel): number {
  const reach = REACH * scatter;
  const residuals = runs.map((log) => clamp(log - level, -reach, reach));
  const squares = sum(residuals.map((residual) => residual ** 2));
  if (squares === 0) return MOST_CORRELATION;
  let products = 0;
  residuals.reduce((previous, next) => {
    products += previous * next;
    return next;
  });
  return clamp(products / squares + NORMAL_99 / Math.sqrt(runs.length), 0, MOST_CORRELATION);
}

/** Variance of the mean of so many neighbours, relative to that of one run. */
export function varianceOfMean(count: number, correlation: number): number {
  const rest = 1 - correlation;
  return ((1 + correlation) / rest - (2 * correlation * (1 - correlation ** count)) / (count * rest ** 2)) / count;
}
