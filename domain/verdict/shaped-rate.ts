/** Whether the rate was lower in the seconds in which the allowance counters grew. */
import { DEEPEST_THROTTLED_RATIO } from '../detection/observe';
import { median } from '../maths/statistics';
import type { RateInterval } from '../series/rate-series';

/** The hosts' clocks differ by up to so much; no difference is tried first. */
const CLOCK_SHIFTS_SECONDS = [0, 1, -1, 2, -2];

/** Fewer may be the edges of a recording, where the counters were not read. */
const FEWEST_OTHERS = 3;

export interface ShapedRate {
  /** Samples of the series in which the counters grew, and the median of their rates. */
  readonly sampleCount: number;
  readonly bitsPerSecond: number;
  readonly otherBitsPerSecond: number;
}

/**
 * @param growthSeconds the starts of the seconds in which a counter grew
 * @returns null where the rate was not lower then, or there are too few other seconds to compare with
 */
export function lowerRateWhileShaped(
  series: readonly RateInterval[],
  growthSeconds: readonly number[],
): ShapedRate | null {
  for (const shift of CLOCK_SHIFTS_SECONDS) {
    const shaped = new Set(growthSeconds.map((seconds) => Math.round(seconds + shift)));
    const isShaped = ({ startSeconds, lengthSeconds }: RateInterval) => {
      const first = Math.round(startSeconds);
      const end = Math.max(first + 1, Math.round(startSeconds + lengthSeconds));
      for (let second = first; second < end; second += 1) if (shaped.has(second)) return true;
      return false;
    };
    const rates: number[] = [];
    const others: number[] = [];
    for (const interval of series) (isShaped(interval) ? rates : others).push(interval.bitsPerSecond);
    if (rates.length === 0 || others.length < FEWEST_OTHERS) continue;
    const [bitsPerSecond, otherBitsPerSecond] = [median(rates), median(others)];
    if (bitsPerSecond > DEEPEST_THROTTLED_RATIO * otherBitsPerSecond) continue;
    return { sampleCount: rates.length, bitsPerSecond, otherBitsPerSecond };
  }
  return null;
}
