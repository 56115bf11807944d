/** Token buckets under a load with rests: the true account, second by second, and the samples that a tool would print. */
import type { RateInterval, TimeSpan } from '../../domain/series/rate-series';
import type { Random } from './random';

export interface RestingBucket {
  readonly burst: number;
  readonly baseline: number;
  readonly bucketBits: number;
  /** In whole seconds. */
  readonly rests: readonly TimeSpan[];
  /** Load after the credits ran out. */
  readonly tailSeconds: number;
  /** What a rest earns, as a multiple of the baseline; 1 by default. */
  readonly earnedAtRest?: number;
}

/** The mean rate of every second. The credits may run out within a second; rests begin and end with one. */
function ratesOf({ burst, baseline, bucketBits, rests, tailSeconds, earnedAtRest = 1 }: RestingBucket) {
  const rates: number[] = [];
  let credits = bucketBits;
  let onsetSeconds: number | null = null;
  for (let second = 0; onsetSeconds === null || second < onsetSeconds + tailSeconds; second += 1) {
    const isRest = rests.some(({ startSeconds, endSeconds }) => second >= startSeconds && second < endSeconds);
    const spending = burst - baseline;
    const atBurst = isRest ? 0 : Math.min(1, credits / spending);
    if (isRest) {
      credits = Math.min(bucketBits, credits + earnedAtRest * baseline);
    } else {
      credits -= atBurst * spending;
      // A drop after the last rest is the one that lasts.
      if (atBurst < 1 && onsetSeconds === null && rests.every((rest) => rest.endSeconds <= second)) {
        onsetSeconds = second + atBurst;
      }
    }
    rates.push(isRest ? 0 : baseline + atBurst * spending);
  }
  return { rates, onsetSeconds };
}

/**
 * @param deviation of the samples, relative
 */
export function measureResting(
  bucket: RestingBucket,
  deviation: number,
  random: Random,
): { readonly series: RateInterval[]; readonly onsetSeconds: number } {
  const { rates, onsetSeconds } = ratesOf(bucket);
  const series = rates.flatMap((rate, second): RateInterval[] => {
    const bitsPerSecond = Math.max(0, Number((rate * (1 + deviation * random.normal())).toPrecision(5)));
    return [{ startSeconds: second, lengthSeconds: 1, bitsPerSecond }];
  });
  return { series, onsetSeconds };
}
