/**
 * The token bucket of a series, each of its figures with its 95 % interval, and what follows from it: how long a rate can
 * be held, and how long until the credits are back. A rate without a drop shows lower bounds.
 */
import { accountOf, findRests, loadUntil } from '../detection/load';
import type { LoadStretch, SeriesShape, ShapeSegment, Throttle } from '../detection/series-shape';
import { numberAt } from '../maths/elements';
import { intervalAround, mapInterval, notNegative, propagate, type Interval } from '../maths/interval';
import { sum } from '../maths/statistics';
import { NORMAL_QUANTILE_95 } from '../maths/student-t';
import {
  EARNED_AT_REST,
  FULL_CREDITS_OF_ANOTHER_PAIR,
  holdSeconds,
  refillSeconds,
  type TokenBucket,
} from '../model/token-bucket';
import type { HoldTime } from '../model/verdict';
import { cleanSeries, withoutIdle, type CleanSeries, type RateInterval } from '../series/rate-series';
import { pausedLoad } from './duty-cycle';
import type { ThroughputEvidence } from './evidence';
import { levelInterval } from './level-interval';
import { creditBaselines, isNear, lowestLimit, publishedLimits, type PublishedLimit } from './published-limits';

export interface ThrottleModel {
  /** Level right before the drop. */
  readonly burst: Interval;
  readonly baseline: Interval;
  /** null where the rests before the drop hide its volume. */
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
  const hasRests = throttle.isRefilledAtRest || throttle.load.some(({ isRest }) => isRest);
  const clean = hasRests ? withoutIdle(whole) : whole;
  const fallen: FallenSeries = { shape, throttle, clean };
  const levels = burstSegments(fallen).map((segment) => levelOf(segment, fallen));
  const baseline = intervalAround(throttle.baselineBitsPerSecond, baselineInterval(fallen));
  return {
    burst: intervalAround(throttle.burstBitsPerSecond, levels.at(-1)?.interval ?? null),
    baseline,
    bucket: throttle.bucketBits === null ? null : estimateBucket(fallen, throttle.bucketBits, baseline, levels),
    isSingleBucket: shape.kind === 'drop' || (shape.kind === 'cycle' && throttle.isRefilledAtRest),
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

/** The levels up to the one that fell; where the detector found cycles, one level for everything before the drop. */
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

/** The interval of the samples after the drop that make up the detector's baseline. */
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
 * the plain mean of all samples before the drop, which is right for a skewed scatter as well.
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

export interface CensoredBucket {
  readonly bits: number;
  /** The rate that spent them. */
  readonly spendingBitsPerSecond: number;
  readonly baseline: PublishedLimit;
}

/** At a rate above a published baseline without a drop, credits were spent and did not run out. */
export function censoredBucket(shape: SeriesShape, evidence: ThroughputEvidence): CensoredBucket | null {
  const { typicalBitsPerSecond: spendingBitsPerSecond } = shape;
  if (shape.throttle || spendingBitsPerSecond === null) return null;
  const baseline = lowestLimit(creditBaselines(evidence));
  if (!baseline || spendingBitsPerSecond <= 1.1 * baseline.bitsPerSecond) return null;
  const load = wholeLoad(shape, evidence, spendingBitsPerSecond, baseline.bitsPerSecond);
  // A lower bound must hold for the rests that earned the most.
  const { mostSpentBits } = accountOf(load, baseline.bitsPerSecond, EARNED_AT_REST.high);
  return { bits: mostSpentBits, spendingBitsPerSecond, baseline };
}

/** The load until the end of the series, with its rests. */
function wholeLoad(shape: SeriesShape, evidence: ThroughputEvidence, burst: number, baseline: number): LoadStretch[] {
  const clean = cleanSeries(evidence.series);
  if (!clean) return [];
  const { loadStartSeconds: startSeconds, endSeconds } = shape;
  const rests = findRests(clean, { burst, baseline }, endSeconds);
  const level = { startSeconds, bitsPerSecond: shape.meanBitsPerSecond ?? 0 };
  const load = loadUntil(endSeconds, [level], rests, clean);
  return evidence.dutyCycle ? pausedLoad(load, startSeconds, evidence.dutyCycle) : load;
}

/** Whether both ends are published to sustain the rate: then there are no credits, and a short series is enough. */
export function isSustained(shape: SeriesShape, evidence: ThroughputEvidence): boolean {
  const baseline = lowestLimit(publishedLimits(evidence, 'baselineBitsPerSecond'));
  return (
    baseline !== null &&
    shape.typicalBitsPerSecond !== null &&
    creditBaselines(evidence).length === 0 &&
    isNear(shape.typicalBitsPerSecond, baseline.bitsPerSecond)
  );
}
