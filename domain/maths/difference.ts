/** How far two samples or two values differ, with the 95 % interval of the difference. */
import { chanceBeyond, mean, smallest, squaredDeviations, studentQuantile, sum, varianceOf } from './statistics';
import type { Bounds, Interval } from './interval';
import { elementAt, groupBy } from './elements';
import type { EstimatedVariance } from './moderated-variance';

/** The difference of two means, later minus earlier. Each sample needs at least two values. */
export function differenceOfMeans(earlier: readonly number[], later: readonly number[]): Interval {
  return judgedDifference(differenceOfSamples(earlier, later)).interval;
}

/**
 * The difference of two values with intervals of their own, which need not be symmetric, later minus earlier. The
 * variances are recovered from the ends of the intervals (Zou and Donner 2008, DOI 10.1002/sim.3095).
 */
export function differenceOfIntervals(earlier: Interval, later: Interval): Interval {
  const value = later.value - earlier.value;
  return {
    value,
    low: value - Math.hypot(later.value - later.low, earlier.high - earlier.value),
    high: value + Math.hypot(later.high - later.value, earlier.value - earlier.low),
  };
}

/** Whether zero lies outside of the interval of a difference. */
export function isBeyondNoise({ low, high }: Bounds): boolean {
  return low > 0 || high < 0;
}

/** The difference, later minus earlier, with the variance of a single value, which other samples can moderate. */
export interface EstimatedDifference {
  readonly value: number;
  /** The variance of one value. */
  readonly single: EstimatedVariance;
  /** The variance of the difference as a multiple of that of one value. */
  readonly multiple: number;
}

/** A value and the block that it shares with others; an effect on a whole block is no noise of the difference. */
export interface BlockedValue {
  readonly value: number;
  readonly block?: string;
}

/**
 * | blocks                                                   | the difference                          |
 * | -------------------------------------------------------- | --------------------------------------- |
 * | all are known, and both samples have two of them or more | within the blocks, by least squares     |
 * | otherwise, with two values or more in each sample        | of the means, by Welch                  |
 * | otherwise, with two values or more in one of them        | the scatter of that one stands for both |
 *
 * Within the blocks (randomised complete block design; Box, Hunter and Hunter, Statistics for Experimenters, 2005,
 * chapter 4): what a block adds to all its values cancels. With one value per block and sample it is the paired t.
 *
 * @returns undefined if nothing scatters: a single value in each sample
 */
export function estimatedDifference(
  earlier: readonly BlockedValue[],
  later: readonly BlockedValue[],
): { readonly isBlocked: boolean; readonly difference: EstimatedDifference } | undefined {
  const blocked = differenceWithinBlocks(earlier, later);
  if (blocked !== undefined) return { isBlocked: true, difference: blocked };
  if (earlier.length < 2 && later.length < 2) return undefined;
  return { isBlocked: false, difference: differenceOfSamples(valuesOf(earlier), valuesOf(later)) };
}

const valuesOf = (sample: readonly BlockedValue[]) => sample.map(({ value }) => value);

function differenceWithinBlocks(
  earlier: readonly BlockedValue[],
  later: readonly BlockedValue[],
): EstimatedDifference | undefined {
  if ([...earlier, ...later].some(({ block }) => block === undefined)) return undefined;
  const [before, after] = [groupBy(earlier, ({ block }) => block), groupBy(later, ({ block }) => block)];
  const pairs = [...before].flatMap(([block, first]) => {
    const second = after.get(block);
    if (second === undefined) return [];
    const weight = (first.length * second.length) / (first.length + second.length);
    return [{ weight, difference: mean(valuesOf(second)) - mean(valuesOf(first)) }];
  });
  if (pairs.length < 2) return undefined;
  const weight = sum(pairs.map((pair) => pair.weight));
  const value = sum(pairs.map((pair) => pair.weight * pair.difference)) / weight;
  const groups = [...before.values(), ...after.values()].map(valuesOf);
  const squares =
    sum(pairs.map((pair) => pair.weight * (pair.difference - value) ** 2)) + sum(groups.map(squaredDeviations));
  const degrees = pairs.length - 1 + sum(groups.map(({ length }) => length - 1));
  return { value, single: { variance: squares / degrees, degrees }, multiple: 1 / weight };
}

/**
 * The difference of the means by Welch (1947, DOI 10.1093/biomet/34.1-2.28), who does not assume that both samples
 * scatter alike. At least one of the samples must have two values.
 */
function differenceOfSamples(earlier: readonly number[], later: readonly number[]): EstimatedDifference {
  const value = mean(later) - mean(earlier);
  const multiple = 1 / earlier.length + 1 / later.length;
  const repeated = [earlier, later].filter(({ length }) => length > 1);
  const least = smallest(repeated.map(({ length }) => length - 1));
  const [only, other] = repeated;
  if (only && !other) return { value, single: { variance: varianceOf(only), degrees: least }, multiple };
  const variances = repeated.map((values) => varianceOf(values) / values.length);
  const variance = sum(variances);
  const squares = sum(variances.map((each, index) => each ** 2 / (elementAt(repeated, index).length - 1)));
  // Except for rounding, Welch's degrees of freedom are never below those of the smaller sample; without scatter they
  // are 0 / 0.
  const degrees = variance === 0 ? least : Math.max(variance ** 2 / squares, least);
  return { value, single: { variance: variance / multiple, degrees }, multiple };
}

/** The 95 % interval of a difference, and the probability of one at least as large if there is none. */
export function judgedDifference({ value, single, multiple }: EstimatedDifference): {
  readonly interval: Interval;
  readonly chance: number;
} {
  const error = Math.sqrt(single.variance * multiple);
  const half = studentQuantile(single.degrees) * error;
  const chance = value === 0 ? 1 : chanceBeyond(value / error, single.degrees);
  return { interval: { value, low: value - half, high: value + half }, chance };
}
