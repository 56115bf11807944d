/** The token bucket of a throttled series, each of its figures with its 95 % interval. */
import { cleanSeries } from '../series/clean';
import type { CleanSeries, RateInterval } from '../series/rate-series';
import { sum } from '../maths/statistics';
import type { SeriesShape, ShapeSegment, Throttle } from '../detection/series-shape';
import { intervalAround, mapInterval, notNegative, propagate, type Interval } from '../maths/interval';
import { NORMAL_QUANTILE_95 } from '../maths/student-t';
import { levelInterval } from './level-interval';

export interface ThrottleModel {
  /** Level right before the fall. */
  readonly burst: Interval;
  readonly baseline: Interval;
  /** Mean of all that went before the fall: the rate at which the volume was spent. */
  readonly spending: Interval;
  /** From the start of the load to the fall. */
  readonly durationSeconds: Interval;
  readonly bucketBits: Interval;
  /**
   * One bucket and one baseline explain the series; false after several steps and where credits come back under load.
   */
  readonly isSingleBucket: boolean;
}

/** A duty cycle's pauses. */
export interface Pauses {
  /** Credits that came back in those before the fall, already taken off the shape's volume. */
  readonly earnedBits: number;
}

/** @returns null where the series shows no throttle */
export function estimateThrottle(
  shape: SeriesShape,
  series: readonly RateInterval[],
  pauses?: Pauses,
): ThrottleModel | null {
  const { throttle } = shape;
  const clean = throttle ? cleanSeries(series) : null;
  if (!throttle || !clean) return null;
  const fallen: FallenSeries = { shape, throttle, clean };
  const durationSeconds = mapInterval(throttle.onset, (seconds) => Math.max(0, seconds - shape.loadStartSeconds));
  const levels = burstSegments(fallen).map((segment) => levelOf(segment, fallen));
  const baseline = intervalAround(throttle.baselineBitsPerSecond, baselineInterval(fallen));
  const spending = spendingOf(fallen, levels, baseline.value, durationSeconds.value, pauses?.earnedBits ?? 0);
  return {
    burst: intervalAround(throttle.burstBitsPerSecond, levels.at(-1)?.interval ?? null),
    baseline,
    spending,
    durationSeconds,
    bucketBits: notNegative(
      propagate([spending, baseline, durationSeconds], (spent, earned, seconds) => (spent - earned) * seconds),
    ),
    isSingleBucket:
      shape.seriesClass === 'burst_then_throttle' ||
      // In the pauses of a duty cycle, credits come back to the same bucket.
      (shape.seriesClass === 'periodic_recharge' && pauses !== undefined),
  };
}

/** A throttled series: what the detector found in it, and its samples. */
interface FallenSeries {
  readonly shape: SeriesShape;
  readonly throttle: Throttle;
  readonly clean: CleanSeries;
}

interface BurstLevel {
  readonly seconds: number;
  readonly interval: Interval;
}

/**
 * The levels up to the one that fell. Where the detector found cycles instead of levels, everything before the fall is
 * one.
 */
function burstSegments({ shape, throttle }: FallenSeries): readonly ShapeSegment[] {
  const { burstBitsPerSecond, onset } = throttle;
  const fell = shape.segments.findLastIndex(({ bitsPerSecond }) => bitsPerSecond === burstBitsPerSecond);
  const whole = { startSeconds: shape.loadStartSeconds, endSeconds: onset.value, bitsPerSecond: burstBitsPerSecond };
  return fell < 0 ? [whole] : shape.segments.slice(0, fell + 1);
}

function levelOf(segment: ShapeSegment, { shape, throttle, clean }: FallenSeries): BurstLevel {
  const { startSeconds, bitsPerSecond } = segment;
  const endSeconds = Math.min(segment.endSeconds, throttle.onset.value);
  const from = firstFrom(clean, startSeconds);
  const to = firstUntil(clean, Math.min(endSeconds, throttle.onset.low));
  // A level with too few samples for an interval of its own gets the scatter of the whole series.
  const scatter = NORMAL_QUANTILE_95 * bitsPerSecond * (shape.noise?.standardDeviation ?? 0);
  const interval = levelInterval(clean, from, to) ?? {
    low: Math.max(0, bitsPerSecond - scatter),
    high: bitsPerSecond + scatter,
  };
  return {
    seconds: endSeconds - Math.max(startSeconds, shape.loadStartSeconds),
    interval: intervalAround(bitsPerSecond, interval),
  };
}

/** Of the samples after the fall that the detector made the baseline of. */
function baselineInterval({ shape, throttle, clean }: FallenSeries): Interval | null {
  const { onset, burstBitsPerSecond, baselineBitsPerSecond } = throttle;
  const lastStep = shape.seriesClass === 'multi_step' ? shape.segments.at(-1) : undefined;
  const from = firstFrom(clean, lastStep?.startSeconds ?? onset.high);
  if (shape.seriesClass !== 'periodic_recharge') return levelInterval(clean, from, clean.startSeconds.length);
  const middle = (burstBitsPerSecond + baselineBitsPerSecond) / 2;
  const isLow = clean.bitsPerSecond.map((rate, index) => Number(index >= from && rate < middle));
  const low = {
    startSeconds: clean.startSeconds.filter((_, index) => isLow[index] === 1),
    bitsPerSecond: clean.bitsPerSecond.filter((_, index) => isLow[index] === 1),
    binSeconds: clean.binSeconds,
  };
  return levelInterval(low, 0, low.startSeconds.length);
}

/**
 * A level omits its dips, but traffic that was not sent did not spend credits either. The interval therefore reaches to
 * the plain mean of all samples before the fall, which is also the mean of a skewed scatter.
 */
function spendingOf(
  { throttle, clean }: FallenSeries,
  levels: readonly BurstLevel[],
  baseline: number,
  duration: number,
  earnedBits: number,
): Interval {
  const value = duration > 0 ? baseline + throttle.bucketBits / duration : throttle.burstBitsPerSecond;
  const weights = levels.map((level) => level.seconds);
  const combined = propagate(
    levels.map((level) => level.interval),
    (...rates) => sum(rates.map((rate, index) => rate * (weights[index] ?? 0))) / sum(weights),
  );
  const to = firstUntil(clean, throttle.onset.low);
  const sent = sum(clean.bitsPerSecond.subarray(0, to)) / Math.max(1, to);
  const spent = duration > 0 ? sent - earnedBits / duration : sent;
  const moved = value - combined.value;
  const { low, high } = { low: combined.low + moved, high: combined.high + moved };
  return to === 0 ? { value, low, high } : { value, low: Math.min(low, spent), high: Math.max(high, spent) };
}

/** The first sample that starts at this time or later. */
function firstFrom({ startSeconds }: CleanSeries, seconds: number): number {
  const index = startSeconds.findIndex((start) => start >= seconds);
  return index < 0 ? startSeconds.length : index;
}

/** One past the last sample that has ended by this time. */
function firstUntil({ startSeconds, binSeconds }: CleanSeries, seconds: number): number {
  const index = startSeconds.findIndex((start) => start + binSeconds > seconds);
  return index < 0 ? startSeconds.length : index;
}
