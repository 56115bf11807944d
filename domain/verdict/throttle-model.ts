/** The token bucket of a throttled series, each of its figures with its 95 % interval. */
import { cleanSeries } from '../series/clean';
import type { CleanSeries, RateInterval } from '../series/rate-series';
import type { SeriesShape, ShapeSegment } from '../detection/series-shape';
import { intervalAround, notNegative, propagate, type Interval } from '../maths/interval';
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
  /** One bucket and one baseline explain the series; false after several steps and where credits come back under load. */
  readonly isSingleBucket: boolean;
}

/** A duty cycle's pauses. */
export interface Pauses {
  /** Credits that came back in those before the fall, already taken off the shape's volume. */
  readonly earnedBits: number;
}

/** @returns null where no fall is seen. */
export function estimateThrottle(
  shape: SeriesShape,
  series: readonly RateInterval[],
  pauses?: Pauses,
): ThrottleModel | null {
  const clean = shape.isThrottled ? cleanSeries(series) : null;
  if (!clean) return null;
  const since = (seconds: number | null) => Math.max(0, seconds! - shape.loadStartSeconds);
  const durationSeconds = {
    value: since(shape.onsetSeconds),
    low: since(shape.onsetLowSeconds),
    high: since(shape.onsetHighSeconds),
  };
  const levels = burstSegments(shape).map((segment) => levelOf(segment, shape, clean));
  const baseline = intervalAround(shape.baselineBitsPerSecond!, baselineInterval(shape, clean));
  const spending = spendingOf(shape, clean, levels, baseline.value, durationSeconds.value, pauses?.earnedBits ?? 0);
  return {
    burst: intervalAround(shape.burstBitsPerSecond!, levels.at(-1)!.interval),
    baseline,
    spending,
    durationSeconds,
    bucketBits: notNegative(propagate([spending, baseline, durationSeconds], (rate, earned, s) => (rate - earned) * s)),
    isSingleBucket:
      shape.seriesClass === 'burst_then_throttle' ||
      // In pauses credits come back to the one bucket there is.
      (shape.seriesClass === 'periodic_recharge' && pauses !== undefined),
  };
}

interface BurstLevel {
  readonly seconds: number;
  readonly interval: Interval;
}

/** Up to the one that fell; where cycles were found instead of levels, all before the fall is one. */
function burstSegments(shape: SeriesShape): readonly ShapeSegment[] {
  const fell = shape.segments.findLastIndex(({ bitsPerSecond }) => bitsPerSecond === shape.burstBitsPerSecond);
  const startSeconds = shape.loadStartSeconds;
  const whole = { startSeconds, endSeconds: shape.onsetSeconds!, bitsPerSecond: shape.burstBitsPerSecond! };
  return fell < 0 ? [whole] : shape.segments.slice(0, fell + 1);
}

function levelOf(segment: ShapeSegment, shape: SeriesShape, clean: CleanSeries): BurstLevel {
  const { startSeconds, bitsPerSecond } = segment;
  const endSeconds = Math.min(segment.endSeconds, shape.onsetSeconds!);
  const [from, to] = [firstFrom(clean, startSeconds), firstUntil(clean, Math.min(endSeconds, shape.onsetLowSeconds!))];
  // Too few samples of its own: what scatters elsewhere scatters here.
  const scatter = NORMAL_QUANTILE_95 * bitsPerSecond * (shape.noise?.standardDeviation ?? 0);
  const interval = levelInterval(clean, from, to) ?? {
    value: bitsPerSecond,
    low: Math.max(0, bitsPerSecond - scatter),
    high: bitsPerSecond + scatter,
  };
  return {
    seconds: endSeconds - Math.max(startSeconds, shape.loadStartSeconds),
    interval: intervalAround(bitsPerSecond, interval),
  };
}

/** After the fall, as far as the level reaches that is called the baseline. */
function baselineInterval(shape: SeriesShape, clean: CleanSeries): Interval | null {
  const last = shape.segments.at(-1)!;
  const start = shape.seriesClass === 'multi_step' ? last.startSeconds : shape.onsetHighSeconds!;
  const from = firstFrom(clean, start);
  if (shape.seriesClass !== 'periodic_recharge') return levelInterval(clean, from, clean.startSeconds.length);
  const middle = (shape.burstBitsPerSecond! + shape.baselineBitsPerSecond!) / 2;
  const isLow = (_: number, index: number) => index >= from && clean.bitsPerSecond[index]! < middle;
  const low = {
    startSeconds: clean.startSeconds.filter(isLow),
    bitsPerSecond: clean.bitsPerSecond.filter(isLow),
    binSeconds: clean.binSeconds,
  };
  return levelInterval(low, 0, low.startSeconds.length);
}

/**
 * Dips are left out of a level, but what was not sent was not spent either: the interval reaches to the plain mean of all
 * samples before the fall, which is also where a lopsided scatter has its mean.
 */
function spendingOf(
  shape: SeriesShape,
  clean: CleanSeries,
  levels: readonly BurstLevel[],
  baseline: number,
  duration: number,
  earnedBits: number,
): Interval {
  const value = duration > 0 ? baseline + shape.bucketBits! / duration : shape.burstBitsPerSecond!;
  const seconds = levels.reduce((total, level) => total + level.seconds, 0);
  const combined = propagate(
    levels.map((level) => level.interval),
    (...rates) => rates.reduce((total, rate, index) => total + rate * levels[index]!.seconds, 0) / seconds,
  );
  const to = firstUntil(clean, shape.onsetLowSeconds!);
  const mean = clean.bitsPerSecond.subarray(0, to).reduce((total, rate) => total + rate, 0) / Math.max(1, to);
  const sent = duration > 0 ? mean - earnedBits / duration : mean;
  const moved = value - combined.value;
  const { low, high } = { low: combined.low + moved, high: combined.high + moved };
  return to === 0 ? { value, low, high } : { value, low: Math.min(low, sent), high: Math.max(high, sent) };
}

function firstFrom({ startSeconds }: CleanSeries, seconds: number): number {
  const index = startSeconds.findIndex((start) => start >= seconds);
  return index < 0 ? startSeconds.length : index;
}

/** One past the last sample that has ended by then. */
function firstUntil({ startSeconds, binSeconds }: CleanSeries, seconds: number): number {
  const index = startSeconds.findIndex((start) => start + binSeconds > seconds);
  return index < 0 ? startSeconds.length : index;
}
