/**
 * Days of traffic with a known answer: rates that change every minute, a token bucket that is simulated second by second,
 * and what CloudWatch would show of it, averages over five minutes. The bucket differs from the recorded one and the
 * refill at rest from the baseline by as much as recordings of EC2 do. Nothing of `domain/fit` is used here.
 */
import { RECORDED_BUCKETS } from '../../../domain/forecast/credits';
import { randomNumbers } from '../../../domain/maths/random-order';
import type { RateInterval } from '../../../domain/series/rate-series';

const MINUTES = 1440;

export interface GeneratedCase {
  readonly instanceType: string;
  readonly kind: string;
  /** Bits per second in each minute. */
  readonly minutes: readonly number[];
  readonly isThrottled: boolean;
  readonly firstThrottleSeconds: number | null;
}

type Random = () => number;
const between = (random: Random, low: number, high: number) => low + (high - low) * random();

/** A day's rates as shares of the peak; `baseline` is the type's. */
const KINDS: Readonly<Record<string, (random: Random, baseline: number, peak: number) => number[]>> = {
  'nightly copy': (random, baseline, peak) => {
    const [from, length] = [Math.floor(between(random, 30, 900)), Math.floor(between(random, 3, 120))];
    const rate = between(random, 0.3, 1) * peak;
    return day((minute) => (minute >= from && minute < from + length ? rate : between(random, 0, 0.2) * baseline));
  },
  'hourly batches': (random, baseline, peak) => {
    const [length, rate] = [Math.floor(between(random, 1, 30)), between(random, 0.2, 1) * peak];
    return day((minute) => (minute % 60 < length ? rate : between(random, 0, 0.4) * baseline));
  },
  'busy hours': (random, baseline) => {
    const [low, high] = [between(random, 0.1, 0.8), between(random, 0.5, 2.5)];
    return day((minute) => {
      const share = Math.max(0, Math.sin(((minute - 360) / 960) * Math.PI));
      return baseline * (low + (high - low) * share) * between(random, 0.7, 1.3);
    });
  },
  'spikes of a minute': (random, baseline, peak) => {
    const [chance, rest] = [between(random, 0.02, 0.25), between(random, 0.1, 0.9)];
    return day(() => (random() < chance ? between(random, 0.5, 1) * peak : rest * baseline));
  },
  'random walk': (random, baseline, peak) => {
    let share = between(random, 0.2, 1);
    const pull = between(random, 0.6, 1.4);
    return day(() => {
      share = Math.max(0, share + 0.1 * (pull - share) + between(random, -0.5, 0.5));
      return Math.min(peak, share * baseline);
    });
  },
};

const day = (rateOf: (minute: number) => number) => Array.from({ length: MINUTES }, (_, minute) => rateOf(minute));

/** @returns `days` days of each recorded type */
export function generatedCases(seed: number, days: number): GeneratedCase[] {
  const random = randomNumbers(seed);
  return Array.from({ length: days }).flatMap((_, index) =>
    RECORDED_BUCKETS.map(({ instanceType, bucketBits, baselineBitsPerSecond, burstBitsPerSecond }) => {
      const kinds = Object.keys(KINDS);
      const kind = kinds[index % kinds.length]!;
      const minutes = KINDS[kind]!(random, baselineBitsPerSecond, burstBitsPerSecond);
      const bucket = {
        bits: bucketBits * between(random, 1 / 1.13, 1.13),
        baseline: baselineBitsPerSecond * between(random, 0.99, 1.01),
        earnedAtRest: random() < 0.5 ? 1 : between(random, 1, 1.64),
      };
      const firstThrottleSeconds = simulated(minutes, bucket);
      return { instanceType, kind, minutes, isThrottled: firstThrottleSeconds !== null, firstThrottleSeconds };
    }),
  );
}

function simulated(
  minutes: readonly number[],
  bucket: { bits: number; baseline: number; earnedAtRest: number },
): number | null {
  let credits = bucket.bits;
  for (let second = 0; second < MINUTES * 60; second += 1) {
    const rate = minutes[Math.floor(second / 60)]!;
    const earned = rate < bucket.baseline ? bucket.earnedAtRest * bucket.baseline : bucket.baseline;
    credits = Math.min(bucket.bits, credits + earned - rate);
    if (credits < 0) return second;
  }
  return null;
}

export function averages(minutes: readonly number[], minutesOfInterval: number): RateInterval[] {
  return Array.from({ length: minutes.length / minutesOfInterval }, (_, index) => ({
    startSeconds: index * minutesOfInterval * 60,
    lengthSeconds: minutesOfInterval * 60,
    bitsPerSecond:
      minutes.slice(index * minutesOfInterval, (index + 1) * minutesOfInterval).reduce((sum, rate) => sum + rate, 0) /
      minutesOfInterval,
  }));
}
