/**
 * Whether a trace empties the token bucket of a type, and what then happens. A file has averages over its intervals; how
 * the traffic lay within one is not known, nor exactly how large the bucket is and how fast it refills. So the credits
 * that the trace needs are computed at two corners, between which the truth lies:
 *
 * | corner       | baseline | credits at rest            | traffic within an interval               | where nothing is known |
 * | ------------ | -------- | -------------------------- | ---------------------------------------- | ---------------------- |
 * | favourable   | + 1 %    | 1.64 times the baseline    | at the peak, the rest of the time a rest | a rest                 |
 * | unfavourable | − 1 %    | the baseline               | at the peak, at the worst moment         | traffic at the peak    |
 *
 * Throttled for certain is what needs more than the largest bucket even at the favourable corner; never throttled is
 * what needs no more than the smallest one at the unfavourable corner. The expected figures are of the averages as they
 * are. Credits are full at the beginning, as after a launch; what can't be sent waits, and is sent as soon as possible.
 */
import { numberAt } from '../maths/elements';
import type { Bounds, Interval } from '../maths/interval';
import { EARNED_AT_REST } from '../model/token-bucket';
import type { RateInterval } from '../series/rate-series';
import { gapBefore } from './traces/trace';

/** A series as arrays, because every type runs through it: stretches without a gap between them. */
export interface Stretches {
  readonly startSeconds: Float64Array;
  readonly lengthSeconds: Float64Array;
  /** NaN where nothing is known. */
  readonly bitsPerSecond: Float64Array;
}

export function stretchesOf(intervals: readonly RateInterval[]): Stretches {
  const all = intervals.flatMap((each, index) => {
    const gap = gapBefore(each, intervals[index - 1]);
    const known = [each.startSeconds, each.lengthSeconds, each.bitsPerSecond] as const;
    return gap > 0 ? [[each.startSeconds - gap, gap, NaN] as const, known] : [known];
  });
  const column = (at: 0 | 1 | 2) => Float64Array.from(all, (each) => each[at]);
  return { startSeconds: column(0), lengthSeconds: column(1), bitsPerSecond: column(2) };
}

export interface Rates {
  readonly baselineBitsPerSecond: number;
  /** What the type carries while it has credits. */
  readonly peakBitsPerSecond: number;
}

/** The credits that keep a trace from being throttled. */
export interface NeededCredits {
  readonly bits: Interval;
  /** When the smallest bucket runs out at the unfavourable corner, and the largest at the favourable one; null: never. */
  readonly soonestSeconds: number | null;
  readonly latestSeconds: number | null;
  /** When the average of an interval first exceeds the peak, which credits don't change. */
  readonly abovePeakSeconds: number | null;
}

/** The rates of a trace and of a type are known to about so much. */
const ABOVE_PEAK = 1.01;

/** @param peak what the type carries while it has credits, and baseline in bits per second */
export function neededCredits(stretches: Stretches, peak: number, baseline: Interval, bucket: Bounds): NeededCredits {
  const { startSeconds, lengthSeconds, bitsPerSecond } = stretches;
  const isFlat = baseline.value >= peak;
  const spent = { low: 0, value: 0, high: 0 };
  const bits = { ...spent };
  let waiting = 0;
  let abovePeakSeconds: number | null = null;
  let soonestSeconds: number | null = null;
  let latestSeconds: number | null = null;
  for (let index = 0; index < bitsPerSecond.length; index += 1) {
    const from = numberAt(startSeconds, index);
    const seconds = numberAt(lengthSeconds, index);
    const rate = numberAt(bitsPerSecond, index);
    const isUnknown = Number.isNaN(rate);
    if (rate > ABOVE_PEAK * peak) abovePeakSeconds ??= from;
    if (isFlat) continue;
    const offered = isUnknown ? 0 : waiting + rate * seconds;
    const sent = Math.min(offered, peak * seconds);
    waiting = offered - sent;
    const restSeconds = seconds - sent / peak;
    spent.low = Math.max(0, spent.low + sent - baseline.high * (seconds + (EARNED_AT_REST.high - 1) * restSeconds));
    if (!isUnknown) spent.value = Math.max(0, spent.value + sent - baseline.value * seconds);
    // All of it in one block at the peak: at the beginning it meets what was spent before, at the end full credits.
    const block = ((isUnknown ? peak * seconds : sent) / peak) * (peak - baseline.low);
    const worst = spent.high + block;
    spent.high = Math.max(block, spent.high + (isUnknown ? block : sent - baseline.low * seconds));
    if (worst > bucket.low) soonestSeconds ??= from;
    if (spent.low > bucket.high) latestSeconds ??= from + seconds;
    bits.low = Math.max(bits.low, spent.low);
    bits.value = Math.max(bits.value, spent.value);
    bits.high = Math.max(bits.high, worst);
  }
  return { bits, soonestSeconds, latestSeconds, abovePeakSeconds };
}

/** What a type with a bucket of this size makes of a trace. */
export interface Carried {
  readonly firstThrottleSeconds: number | null;
  /** How long it sends less than is there to be sent. */
  readonly heldBackSeconds: number;
  /** The share of the traffic that need not wait. */
  readonly onTimeShare: number;
  /** When the last of what was offered until `offeredUntil` is sent. */
  readonly sentSeconds: number;
}

export interface Corner extends Rates {
  readonly bucketBits: number;
  /** As a multiple of the baseline. */
  readonly earnedAtRest: number;
  /** Traffic where nothing is known. It spends credits, and nobody waits for it. */
  readonly unknownBitsPerSecond: number;
}

/** Amounts below this are rounding errors. */
const NO_BITS = 1;

/** @param onStep is told the credits at the beginning, and at the end of every time in which no rate changes */
export function carry(
  stretches: Stretches,
  corner: Corner,
  offeredUntil: number,
  onStep?: (seconds: number, creditBits: number) => void,
): Carried {
  const { baselineBitsPerSecond: baseline, peakBitsPerSecond: peak, bucketBits, earnedAtRest } = corner;
  const { startSeconds, lengthSeconds, bitsPerSecond } = stretches;
  let credits = bucketBits;
  let waiting = 0;
  let total = 0;
  let late = 0;
  let heldBackSeconds = 0;
  let firstThrottleSeconds: number | null = null;
  let sentSeconds: number | null = null;
  const last = bitsPerSecond.length - 1;
  onStep?.(numberAt(startSeconds, 0), credits);
  // After the end, nothing is offered, and what still waits is sent.
  for (let index = 0; index <= last + 1; index += 1) {
    const isAfter = index > last;
    const from = isAfter ? numberAt(startSeconds, last) + numberAt(lengthSeconds, last) : numberAt(startSeconds, index);
    let left = isAfter ? Infinity : numberAt(lengthSeconds, index);
    const known = isAfter ? 0 : numberAt(bitsPerSecond, index);
    if (Number.isNaN(known)) {
      credits = Math.min(bucketBits, Math.max(0, credits + (baseline - corner.unknownBitsPerSecond) * left));
      onStep?.(from + left, credits);
      continue;
    }
    if (!isAfter) total += known * left;
    let now = from;
    while (left > 0) {
      if (waiting < NO_BITS) waiting = 0;
      if (waiting === 0 && now >= offeredUntil) sentSeconds ??= now;
      if (isAfter && waiting === 0) break;
      const wanted = waiting > 0 ? peak : known;
      const isThrottled = credits < NO_BITS && wanted > baseline && baseline < peak;
      if (isThrottled) firstThrottleSeconds ??= now;
      const sent = isThrottled ? baseline : Math.min(wanted, peak);
      const earned = sent < baseline ? earnedAtRest * baseline : baseline;
      const isHeldBack = waiting > 0 || sent < known;
      // Until the credits or the waiting traffic run out, all rates stay as they are.
      let seconds = left;
      if (waiting > 0 && sent > known) seconds = Math.min(seconds, waiting / (sent - known));
      if (sent > earned && credits > 0) seconds = Math.min(seconds, credits / (sent - earned));
      credits = Math.min(bucketBits, Math.max(0, credits + (earned - sent) * seconds));
      if (credits < NO_BITS) credits = 0;
      waiting = Math.max(0, waiting + (known - sent) * seconds);
      if (isHeldBack) heldBackSeconds += seconds;
      late += Math.max(0, known - sent) * seconds;
      now += seconds;
      left -= seconds;
      onStep?.(now, credits);
    }
  }
  return {
    firstThrottleSeconds,
    heldBackSeconds,
    onTimeShare: total > 0 ? 1 - late / total : 1,
    sentSeconds: sentSeconds ?? offeredUntil,
  };
}

/** The part of a trace that is most of a transfer: a stretch above the baseline, with the most bits. */
export interface Transfer {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly bits: number;
}

/** @returns null where the trace never exceeds the baseline */
export function largestTransfer(stretches: Stretches, baselineBitsPerSecond: number): Transfer | null {
  let best: Transfer | null = null;
  let current: Transfer | null = null;
  for (const [index, rate] of stretches.bitsPerSecond.entries()) {
    const from = numberAt(stretches.startSeconds, index);
    const seconds = numberAt(stretches.lengthSeconds, index);
    const startSeconds: number = current?.startSeconds ?? from;
    const bits: number = (current?.bits ?? 0) + rate * seconds;
    current = rate > baselineBitsPerSecond ? { startSeconds, endSeconds: from + seconds, bits } : null;
    if (current !== null && current.bits > (best?.bits ?? 0)) best = current;
  }
  return best;
}
