/** How long a rate can be held, and how long until the credits are back: with an interval, or as a lower bound. */
import type { HoldTime } from '../model/verdict';
import { notNegative, propagate, type Interval } from '../maths/interval';
import type { ThrottleModel } from './throttle-model';
import { holdSeconds, refillSeconds, type TokenBucket } from './token-bucket';

/** The answers are the rows of a table that a person reads. */
const MOST_STEPS = 5;
/** Nearer to the baseline than this, as a share of the span, the error of the baseline decides the answer. */
const NEAREST_SHARE = 0.1;
/** Factors of a power of ten; after the last, the next power is the step. */
const ROUND_FACTORS = [1, 2, 2.5, 5];

/** The inputs err independently, unlike the volume, which follows from them. */
function fromModel(
  { spending, baseline, durationSeconds }: ThrottleModel,
  answer: (bucket: TokenBucket) => number,
): Interval {
  return notNegative(
    propagate([spending, baseline, durationSeconds], ([rate, earned, seconds]) =>
      answer({ baselineBitsPerSecond: earned, bucketBits: Math.max(0, rate - earned) * seconds }),
    ),
  );
}

/** @returns none where one bucket does not explain the series */
export function holdTimes(model: ThrottleModel): HoldTime[] {
  if (!model.isSingleBucket) return [];
  return heldRates(model.baseline.value, model.burst.value).map((bitsPerSecond) => {
    const seconds = fromModel(model, (bucket) => holdSeconds(bucket, bitsPerSecond));
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

/** From empty credits to full ones while nothing is sent; null where one bucket does not explain the series. */
export function idleRefill(model: ThrottleModel): Interval | null {
  return model.isSingleBucket ? fromModel(model, (bucket) => refillSeconds(bucket)) : null;
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
