/**
 * The model behind a throttle: credits of a fixed volume are spent by traffic above the baseline and earned at the
 * baseline rate. The burst therefore lasts volume / (rate − baseline), so that one run predicts all rates. The model
 * assumes that credits are full at first, are earned at the measured baseline, and are spent by nothing else.
 * docs/detection.md says how far EC2 was seen to differ from it, with the sources of both factors.
 */
import type { Interval } from '../maths/interval';

/**
 * How fast credits are earned while nothing is sent, as a multiple of the baseline. The model says 1; the bursts after
 * twelve rests of 900 and 1,800 s on C6gd instances were 1.01 to 1.64 (hpides/skyrise, 2024).
 */
export const EARNED_AT_REST: Interval = { value: 1, low: 1, high: 1.64 };

/**
 * The full credits of another pair of the same types, as a multiple of the measured ones: the range of 95 % of pairs,
 * from 31 C5 and C6gd instances of nine types (Uta et al., NSDI 2020; hpides/skyrise, 2024).
 */
export const FULL_CREDITS_OF_ANOTHER_PAIR: Interval = { value: 1, low: 1 / 1.13, high: 1.13 };

/**
 * The other figures of another pair, from the same recordings (`research/pair-scatter.ts`). Depending on placement, a
 * single flow bursts at about 5 or about 9.5 Gbit/s, and the onset follows from the burst.
 */
export const BASELINE_OF_ANOTHER_PAIR: Interval = { value: 1, low: 1 / 1.01, high: 1.01 };
export const BURST_OF_ANOTHER_PAIR: Interval = { value: 1, low: 1 / 1.95, high: 1.95 };
export const ONSET_OF_ANOTHER_PAIR: Interval = { value: 1, low: 1 / 2.9, high: 2.9 };

/** Widens the interval that one pair showed to the 95 % interval of another pair of the same types. */
export function ofAnotherPair({ value, low, high }: Interval): Interval {
  const { low: least, high: most } = FULL_CREDITS_OF_ANOTHER_PAIR;
  return { value, low: least * low, high: most * high };
}

export interface TokenBucket {
  readonly baselineBitsPerSecond: number;
  /** Traffic above the baseline that full credits allow. */
  readonly bucketBits: number;
}

/** Returns how long a rate can be held from full credits: Infinity up to the baseline. */
export function holdSeconds(bucket: TokenBucket, rateBitsPerSecond: number): number {
  assertRate(rateBitsPerSecond);
  if (rateBitsPerSecond <= bucket.baselineBitsPerSecond) return Infinity;
  return bucket.bucketBits / (rateBitsPerSecond - bucket.baselineBitsPerSecond);
}

/** Returns how long a refill takes while `rateBitsPerSecond` is sent: Infinity if that is at least the baseline. */
export function refillSeconds(bucket: TokenBucket, rateBitsPerSecond = 0): number {
  assertRate(rateBitsPerSecond);
  if (rateBitsPerSecond >= bucket.baselineBitsPerSecond) return Infinity;
  return bucket.bucketBits / (bucket.baselineBitsPerSecond - rateBitsPerSecond);
}

function assertRate(rateBitsPerSecond: number): void {
  if (!(rateBitsPerSecond >= 0)) {
    throw new RangeError(`rateBitsPerSecond: must be at least 0, got ${rateBitsPerSecond}`);
  }
}

/** The rates are rows of a table for people. */
const MOST_STEPS = 5;
/** Rates nearer to the baseline than this share of the span are left out: the baseline's error decides them. */
const NEAREST_SHARE = 0.1;
/** Round steps, as factors of a power of ten; after the last, the next power is the step. */
const ROUND_FACTORS = [1, 2, 2.5, 5];

/** Returns round rates between the baseline and the burst in ascending order, and the burst itself. */
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
