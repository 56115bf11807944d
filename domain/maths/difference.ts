/** How far two runs differ, at 95 %. */
import { mean } from './statistics';
import { varianceOf, type ValueInterval } from './repetitions';
import { studentQuantile } from './student-t';

export interface Difference extends ValueInterval {
  /** Later minus earlier. */
  readonly value: number;
}

/**
 * Of two means: Welch's interval, which does not assume that both scatter alike (Welch 1947, DOI 10.1093/biomet/34.1-2.28).
 * At least two values each.
 */
export function differenceOfMeans(earlier: readonly number[], later: readonly number[]): Difference {
  const value = mean(later) - mean(earlier);
  const [first, second] = [earlier, later].map((values) => varianceOf(values) / values.length) as [number, number];
  const variance = first + second;
  if (variance === 0) return { value, low: value, high: value };
  const degrees = variance ** 2 / (first ** 2 / (earlier.length - 1) + second ** 2 / (later.length - 1));
  // Rounding may leave a hair less than the least that there can be.
  const half = studentQuantile(Math.max(degrees, 1)) * Math.sqrt(variance);
  return { value, low: value - half, high: value + half };
}

export interface Estimate extends ValueInterval {
  readonly value: number;
}

/**
 * Of two estimates that bring their own intervals, which need not be symmetric: the ends recovered from the intervals (Zou
 * and Donner 2008, DOI 10.1002/sim.3095).
 */
export function differenceOfEstimates(earlier: Estimate, later: Estimate): Difference {
  const value = later.value - earlier.value;
  return {
    value,
    low: value - Math.hypot(later.value - later.low, earlier.high - earlier.value),
    high: value + Math.hypot(later.high - later.value, earlier.value - earlier.low),
  };
}

export function isBeyondNoise({ low, high }: ValueInterval): boolean {
  return low > 0 || high < 0;
}
