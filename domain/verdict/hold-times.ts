/** "How long can I hold X Gbit/s?" and "how long until the credits are back?", each with its interval or as a lower bound. */
import type { HoldTime } from '../model/verdict';
import { notNegative, propagate, type Interval } from '../maths/interval';
import type { ThrottleModel } from './throttle-model';
import { holdSeconds, refillSeconds, type TokenBucket } from './token-bucket';

/** Rows of a table that a person reads. */
const MOST_STEPS = 5;
/** Nearer to the baseline a rate can be held for so long that the baseline's own error decides. */
const NEAREST_SHARE = 0.1;
const ROUND_STEPS = [1, 2, 2.5, 5, 10];

/** The answer moves with the spending rate, the baseline and the duration at once: they, and not the volume, err independently. */
function fromModel(
  { spending, baseline, durationSeconds }: ThrottleModel,
  of: (bucket: TokenBucket) => number,
): Interval {
  return notNegative(
    propagate([spending, baseline, durationSeconds], (rate, earned, seconds) =>
      of({ baselineBitsPerSecond: earned, bucketBits: Math.max(0, rate - earned) * seconds }),
    ),
  );
}

/** Empty where more than one bucket would be needed to explain the series. */
export function holdTimes(model: ThrottleModel): HoldTime[] {
  if (!model.isSingleBucket) return [];
  return heldRates(model.baseline.value, model.burst.value).map((bitsPerSecond) => {
    const seconds = fromModel(model, (bucket) => holdSeconds(bucket, bitsPerSecond));
    return { bitsPerSecond, seconds, atLeastSeconds: null };
  });
}

/** No drop was seen: every rate up to the measured one lasts at least as long as what was spent would have carried it. */
export function leastHoldTimes(atLeast: TokenBucket, measuredBitsPerSecond: number): HoldTime[] {
  return heldRates(atLeast.baselineBitsPerSecond, measuredBitsPerSecond).map((bitsPerSecond) => ({
    bitsPerSecond,
    seconds: null,
    atLeastSeconds: holdSeconds(atLeast, bitsPerSecond),
  }));
}

/** From empty to full while nothing is sent. Twice as long at half the baseline. */
export function idleRefill(model: ThrottleModel): Interval | null {
  return model.isSingleBucket ? fromModel(model, (bucket) => refillSeconds(bucket)) : null;
}

/** Round rates between the baseline and the burst, in ascending order, and the burst itself. */
export function heldRates(baseline: number, burst: number): number[] {
  const span = burst - baseline;
  if (!(span > 0)) return [];
  const magnitude = 10 ** Math.floor(Math.log10(span / MOST_STEPS));
  const step = magnitude * ROUND_STEPS.find((factor) => factor * magnitude * MOST_STEPS >= span)!;
  const rates: number[] = [];
  for (let k = Math.ceil((baseline + NEAREST_SHARE * span) / step); k * step < burst - step / 4; k += 1)
    rates.push(k * step);
  return [...rates, burst];
}
