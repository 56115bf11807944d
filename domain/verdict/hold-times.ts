/** How long a rate can be held, and how long until the credits are back: with an interval, or as a lower bound. */
import type { HoldTime } from '../model/verdict';
import type { Interval } from '../maths/interval';
import type { ThrottleModel } from './throttle-model';
import {
  EARNED_AT_REST,
  FULL_CREDITS_OF_ANOTHER_PAIR,
  holdSeconds,
  refillSeconds,
  type TokenBucket,
} from '../model/token-bucket';

/** The answers are the rows of a table that a person reads. */
const MOST_STEPS = 5;
/** Nearer to the baseline than this, as a share of the span, the error of the baseline decides the answer. */
const NEAREST_SHARE = 0.1;
/** Factors of a power of ten; after the last, the next power is the step. */
const ROUND_FACTORS = [1, 2, 2.5, 5];

/**
 * For full credits of the same types, so that the intervals include how far those of another pair may differ.
 *
 * @returns none where one bucket does not explain the series, or where its volume is not known
 */
export function holdTimes({ burst, baseline, bucket, isSingleBucket }: ThrottleModel): HoldTime[] {
  if (!isSingleBucket || bucket === null) return [];
  return heldRates(baseline.value, burst.value).map((bitsPerSecond) => {
    const seconds = bucket.figure((full) => holdSeconds(full, bitsPerSecond), FULL_CREDITS_OF_ANOTHER_PAIR);
    return { bitsPerSecond, seconds, atLeastSeconds: null };
  });
}

/** Without a drop, every rate up to the measured one can be held at least until it has spent what was spent so far. */
export function leastHoldTimes(atLeast: TokenBucket, measuredBitsPerSecond: number): HoldTime[] {
  return heldRates(atLeast.baselineBitsPerSecond, measuredBitsPerSecond).map((bitsPerSecond) => ({
    bitsPerSecond,
    seconds: null,
    atLeastSeconds: holdSeconds(atLeast, bitsPerSecond),
  }));
}

/**
 * From empty credits to full ones while nothing is sent. The value is the model's, which earns at the baseline; the
 * interval goes down to the fastest refill that was measured.
 *
 * @returns null where one bucket does not explain the series, or where its volume is not known
 */
export function idleRefill({ bucket, isSingleBucket }: ThrottleModel): Interval | null {
  if (!isSingleBucket || bucket === null) return null;
  return bucket.figure((full, earnedAtRest) => refillSeconds(full) / earnedAtRest);
}

/** The least time in which so much comes back: at the fastest refill that was measured. */
export function leastRefillSeconds(spent: TokenBucket): number {
  return refillSeconds(spent) / EARNED_AT_REST.high;
}

/** Round rates between the baseline and the burst, in ascending order, and the burst itself. */
export function heldRates(baseline: number, burst: number): number[] {
  const span = burst - baseline;
  if (!(span > 0)) return [];
  const magnitude = 10 ** Math.floor(Math.log10(span / MOST_STEPS));
  const step = magnitude * (ROUND_FACTORS.find((factor) => factor * magnitude * MOST_STEPS >= span) ?? 10);
  const rates: number[] = [];
  for (let k = Math.ceil((baseline + NEAREST_SHARE * span) / step); k * step < burst - step / 4; k += 1)
    rates.push(k * step);
  return [...rates, burst];
}
