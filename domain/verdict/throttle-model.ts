/** The token bucket of a throttled series, each of its figures with its 95 % interval. */
import { cleanSeries, withoutIdle } from '../series/clean';
import type { CleanSeries, RateInterval } from '../series/rate-series';
import { numberAt } from '../maths/elements';
import { sum } from '../maths/statistics';
import { accountOf } from '../detection/load';
import type { LoadStretch, SeriesShape, ShapeSegment, Throttle } from '../detection/series-shape';
import { intervalAround, mapInterval, notNegative, propagate, type Interval } from '../maths/interval';
import { NORMAL_QUANTILE_95 } from '../maths/student-t';
import { levelInterval } from './level-interval';
import { EARNED_AT_REST, type TokenBucket } from '../model/token-bucket';

export interface ThrottleModel {
  /** Level right before the fall. */
  readonly burst: Interval;
  readonly baseline: Interval;
  /** null where the rests before the fall hide its volume. */
  readonly bucket: BucketEstimate | null;
  /** One bucket and one baseline explain the series: no several steps, and no credits that come back under load. */
  readonly isSingleBucket: boolean;
}

interface BucketEstimate {
  readonly bits: Interval;
  /**
   * The interval of a figure that follows from the bucket and from what a rest earns, a multiple of the baseline. The
   * bucket and its baseline do not err independently, but what both follow from does.
   *
   * @param fullCredits of the bucket that is meant, as a multiple of the measured one; by default the measured one
   */
  readonly figure: (answer: (bucket: TokenBucket, earnedAtRest: number) => number, fullCredits?: Interval) => Interval;
}

const THESE_CREDITS: Interval = { value: 1, low: 1, high: 1 };

/** @returns null where the series shows no throttle */
export function estimateThrottle(shape: SeriesShape, series: readonly RateInterval[]): ThrottleModel | null {
  const { throttle } = shape;
  const whole = throttle ? cleanSeries(series) : null;
  if (!throttle || !whole) return null;
  // Samples of a rest are no samples of a level.
  const hasRests = throttle.isRechargedAtRest || throttle.load.some(({ isRest }) => isRest);
  const clean = hasRests ? withoutIdle(whole) : whole;
  const fallen: FallenSeries = { shape, throttle, clean };
  const levels = burstSegments(fallen).map((segment) => levelOf(segment, fallen));
  const baseline = intervalAround(throttle.baselineBitsPerSecond, baselineInterval(fallen));
  return {
    burst: intervalAround(throttle.burstBitsPerSecond, levels.at(-1)?.interval ?? null),
    baseline,
    bucket: throttle.bucketBits === null ? null : estimateBucket(fallen, throttle.bucketBits, baseline, levels),
    isSingleBucket: shape.kind === 'drop' || (shape.kind === 'cycle' && throttle.isRechargedAtRest),
  };
}

function estimateBucket(
  fallen: FallenSeries,
  bucketBits: number,
  baseline: Interval,
  levels: readonly BurstLevel[],
): BucketEstimate {
  const { load, onset } = fallen.throttle;
  const durationSeconds = mapInterval(onset, (end) => Math.max(0, end - fallen.shape.loadStartSeconds));
  const hasRests = load.some(({ isRest }) => isRest);
  const meanOfAll = () =>
    durationSeconds.value > 0
      ? baseline.value + bucketBits / durationSeconds.value
      : fallen.throttle.burstBitsPerSecond;
  const spending = spendingOf(fallen, levels, hasRests ? meanUnderLoad(load) : meanOfAll());
  const bitsFrom = (rate: number, earned: number, seconds: number, earnedAtRest: number) => {
    if (!hasRests) return Math.max(0, rate - earned) * seconds;
    const moved = movedLoad(load, rate - spending.value, seconds - durationSeconds.value);
    return accountOf(moved, earned, earnedAtRest).mostSpentBits;
  };
  const figure: BucketEstimate['figure'] = (answer, fullCredits = THESE_CREDITS) => {
    const inputs = [spending, baseline, durationSeconds, EARNED_AT_REST, fullCredits] as const;
    return notNegative(
      propagate(inputs, ([rate, earned, seconds, earnedAtRest, share]) => {
        const bits = share * bitsFrom(rate, earned, seconds, earnedAtRest);
        return answer({ baselineBitsPerSecond: earned, bucketBits: bits }, earnedAtRest);
      }),
    );
  };
  return { bits: figure((bucket) => bucket.bucketBits), figure };
}

function meanUnderLoad(load: readonly LoadStretch[]): number {
  const loaded = load.filter(({ isRest }) => !isRest);
  const seconds = sum(loaded.map((stretch) => stretch.seconds));
  return sum(loaded.map((stretch) => stretch.seconds * stretch.bitsPerSecond)) / seconds;
}

/** The same load if all of its rates and its end were others; the rests stay as they are. */
function movedLoad(load: readonly LoadStretch[], byBitsPerSecond: number, bySeconds: number): LoadStretch[] {
  return load.map((stretch, index) => {
    if (stretch.isRest) return stretch;
    const seconds = index === load.length - 1 ? Math.max(0, stretch.seconds + bySeconds) : stretch.seconds;
    return { ...stretch, seconds, bitsPerSecond: Math.max(0, stretch.bitsPerSecond + byBitsPerSecond) };
  });
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
  const lastStep = shape.kind === 'drops' ? shape.segments.at(-1) : undefined;
  const from = firstFrom(clean, lastStep?.startSeconds ?? onset.high);
  if (shape.kind !== 'cycle') return levelInterval(clean, from, clean.startSeconds.length);
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
function spendingOf({ throttle, clean }: FallenSeries, levels: readonly BurstLevel[], value: number): Interval {
  const weights = levels.map((level) => level.seconds);
  const combined = propagate(
    levels.map((level) => level.interval),
    (rates) => sum(rates.map((rate, index) => rate * (weights[index] ?? 0))) / sum(weights),
  );
  const moved = value - combined.value;
  const { low, high } = { low: combined.low + moved, high: combined.high + moved };
  const to = firstUntil(clean, throttle.onset.low);
  if (to === 0) return { value, low, high };
  const sent = sum(clean.bitsPerSecond.subarray(0, to)) / to;
  return { value, low: Math.min(low, sent), high: Math.max(high, sent) };
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
