/** The token bucket of a throttled series, each of its figures with its 95 % interval. */
import { cleanSeries } from '../series/clean';
import type { CleanSeries, RateInterval } from '../series/rate-series';
import { numberAt } from '../maths/elements';
import { sum } from '../maths/statistics';
import type { SeriesShape, ShapeSegment, Throttle } from '../detection/series-shape';
import { intervalAround, mapInterval, notNegative, propagate, type Interval } from '../maths/interval';
import { NORMAL_QUANTILE_95 } from '../maths/student-t';
import { levelInterval } from './level-interval';

export interface ThrottleModel {
  /** Level right before the fall. */
  readonly burst: Interval;
  readonly baseline: Interval;
  /** The mean of everything before the fall: the rate at which the volume was spent. */
  readonly spending: Interval;
  /** From the start of the load to the fall. */
  readonly durationSeconds: Interval;
  readonly bucketBits: Interval;
  /** One bucket and one baseline explain the series: no several steps, and no credits that come back under load. */
  readonly isSingleBucket: boolean;
}

/**
 * @param earnedBits for a duty cycle: the credits that came back in the pauses before the fall, which the volume of the
 * shape no longer includes
 * @returns null where the series shows no throttle
 */
export function estimateThrottle(
  shape: SeriesShape,
  series: readonly RateInterval[],
  earnedBits?: number,
): ThrottleModel | null {
  const { throttle } = shape;
  const clean = throttle ? cleanSeries(series) : null;
  if (!throttle || !clean) return null;
  const fallen: FallenSeries = { shape, throttle, clean };
  const durationSeconds = mapInterval(throttle.onset, (seconds) => Math.max(0, seconds - shape.loadStartSeconds));
  const levels = burstSegments(fallen).map((segment) => levelOf(segment, fallen));
  const baseline = intervalAround(throttle.baselineBitsPerSecond, baselineInterval(fallen));
  const spending = spendingOf(fallen, levels, baseline.value, durationSeconds.value, earnedBits ?? 0);
  return {
    burst: intervalAround(throttle.burstBitsPerSecond, levels.at(-1)?.interval ?? null),
    baseline,
    spending,
    durationSeconds,
    bucketBits: notNegative(
      propagate([spending, baseline, durationSeconds], ([spent, earned, seconds]) => (spent - earned) * seconds),
    ),
    isSingleBucket:
      shape.seriesClass === 'burst_then_throttle' ||
      // In the pauses of a duty cycle, credits come back to the same bucket.
      (shape.seriesClass === 'periodic_recharge' && earnedBits !== undefined),
  };
}

/** What the detector found in a throttled series, and its samples. */
interface FallenSeries {
  readonly shape: SeriesShape;
  readonly throttle: Throttle;
  readonly clean: CleanSeries;
}

interface BurstLevel {
  readonly seconds: number;
  readonly interval: Interval;
}

/** The levels up to the one that fell; where the detector found cycles, one level for everything before the fall. */
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

/** The interval of the samples after the fall that make up the detector's baseline. */
function baselineInterval({ shape, throttle, clean }: FallenSeries): Interval | null {
  const { onset, burstBitsPerSecond, baselineBitsPerSecond } = throttle;
  const lastStep = shape.seriesClass === 'multi_step' ? shape.segments.at(-1) : undefined;
  const from = firstFrom(clean, lastStep?.startSeconds ?? onset.high);
  if (shape.seriesClass !== 'periodic_recharge') return levelInterval(clean, from, clean.startSeconds.length);
  const middle = (burstBitsPerSecond + baselineBitsPerSecond) / 2;
  const isLow = (index: number) => index >= from && numberAt(clean.bitsPerSecond, index) < middle;
  const low = {
    startSeconds: clean.startSeconds.filter((_, index) => isLow(index)),
    bitsPerSecond: clean.bitsPerSecond.filter((_, index) => isLow(index)),
    binSeconds: clean.binSeconds,
  };
  return levelInterval(low, 0, low.startSeconds.length);
}

/**
 * A level omits its dips, but traffic that was not sent did not spend credits either. The interval therefore includes
 * the plain mean of all samples before the fall, which is right for a skewed scatter as well.
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
    (rates) => sum(rates.map((rate, index) => rate * (weights[index] ?? 0))) / sum(weights),
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

/** The first sample that ends after this time. */
function firstUntil({ startSeconds, binSeconds }: CleanSeries, seconds: number): number {
  const index = startSeconds.findIndex((start) => start + binSeconds > seconds);
  return index < 0 ? startSeconds.length : index;
}
