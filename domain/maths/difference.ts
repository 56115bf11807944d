/** How far two samples or two values differ, with the 95 % interval of the difference. */
import { mean, varianceOf } from './statistics';
import type { Bounds, Interval } from './interval';
import { studentQuantile } from './student-t';

/**
 * Later minus earlier, of two means: Welch's interval, which does not assume that both samples scatter alike (Welch
 * 1947, DOI 10.1093/biomet/34.1-2.28). Each sample needs at least two values.
 */
export function differenceOfMeans(earlier: readonly number[], later: readonly number[]): Interval {
  const value = mean(later) - mean(earlier);
  const [first, second] = [earlier, later].map((values) => varianceOf(values) / values.length) as [number, number];
  const variance = first + second;
  if (variance === 0) return { value, low: value, high: value };
  const degrees = variance ** 2 / (first ** 2 / (earlier.length - 1) + second ** 2 / (later.length - 1));
  // Welch's degrees of freedom are never below 1 but for rounding.
  const half = studentQuantile(Math.max(degrees, 1)) * Math.sqrt(variance);
  return { value, low: value - half, high: value + half };
}

/**
 * Later minus earlier, of two values that have intervals of their own, which need not be symmetric: the variances are
 * recovered from the ends of the intervals (Zou and Donner 2008, DOI 10.1002/sim.3095).
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
