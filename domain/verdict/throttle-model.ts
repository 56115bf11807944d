/** Estimates a series' token bucket, hold times and refill time, or their lower bounds if there is no drop. */
import {
  accountOf,
  findRests,
  loadUntil,
  type LoadStretch,
  type SeriesShape,
  type ShapeSegment,
  type Throttle,
} from '../detection/series-shape';
import { numberAt } from '../maths/elements';
import { intervalAround, mapInterval, notNegative, propagate, type Interval } from '../maths/interval';
import {
  clamp,
  mean,
  median,
  medianAbsoluteDeviation,
  NORMAL_QUANTILE_95,
  squaredDeviations,
  studentQuantile,
  sum,
  weightedMean,
} from '../maths/statistics';
import {
  EARNED_AT_REST,
  FULL_CREDITS_OF_ANOTHER_PAIR,
  heldRates,
  holdSeconds,
  refillSeconds,
  type TokenBucket,
} from '../model/token-bucket';
import type { CreditFigures, HoldTime } from '../model/verdict';
import { cleanSeries, withoutIdle, type CleanSeries, type RateInterval } from '../series/rate-series';
import { pausedLoad } from './duty-cycle';
import { creditBaselines, lowestLimit, type PublishedLimit, type ThroughputEvidence } from './evidence';

export interface ThrottleModel {
  /** Level right before the drop. */
  readonly burst: Interval;
  readonly baseline: Interval;
  /** null if the rests before the drop hide the volume of the bucket. */
  readonly bucket: BucketEstimate | null;
  /** Whether one bucket and one baseline explain the series: a single drop, or cycles that rests refill. */
  readonly isSingleBucket: boolean;
}

interface BucketEstimate {
  readonly bits: Interval;
  /**
   * The interval of a figure of the bucket and of the refill rate in a rest, as a multiple of the baseline. It is
   * propagated from the measured inputs, whose errors are independent, unlike those of the bucket and its baseline.
   *
   * @param fullCredits the volume of the bucket in question as a multiple of the measured one; by default 1
   */
  readonly figure: (answer: (bucket: TokenBucket, earnedAtRest: number) => number, fullCredits?: Interval) => Interval;
}

const THESE_CREDITS: Interval = { value: 1, low: 1, high: 1 };

/** @returns null if the series shows no throttle */
export function estimateThrottle(shape: SeriesShape, series: readonly RateInterval[]): ThrottleModel | null {
  const { throttle } = shape;
  const whole = throttle ? cleanSeries(series) : null;
  if (!throttle || !whole) return null;
  // The samples of a rest do not belong to a level.
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
  const { value: seconds } = durationSeconds;
  const meanOfAll = seconds > 0 ? baseline.value + bucketBits / seconds : fallen.throttle.burstBitsPerSecond;
  const loaded = load.filter(({ isRest }) => !isRest);
  const meanUnderLoad = weightedMean(loaded.map((each) => ({ value: each.bitsPerSecond, weight: each.seconds })));
  const spending = spendingOf(fallen, levels, hasRests ? (meanUnderLoad ?? NaN) : meanOfAll);
  const bitsFrom = (rate: number, earned: number, lasting: number, earnedAtRest: number) => {
    if (!hasRests) return Math.max(0, rate - earned) * lasting;
    const moved = movedLoad(load, rate - spending.value, lasting - seconds);
    return accountOf(moved, earned, earnedAtRest).mostSpentBits;
  };
  const figure: BucketEstimate['figure'] = (answer, fullCredits = THESE_CREDITS) => {
    const inputs = [spending, baseline, durationSeconds, EARNED_AT_REST, fullCredits] as const;
    return notNegative(
      propagate(inputs, ([rate, earned, lasting, earnedAtRest, share]) => {
        const bits = share * bitsFrom(rate, earned, lasting, earnedAtRest);
        return answer({ baselineBitsPerSecond: earned, bucketBits: bits }, earnedAtRest);
      }),
    );
  };
  return { bits: figure((bucket) => bucket.bucketBits), figure };
}

/** The load with all of its rates and its end shifted; the rests stay as they are. */
function movedLoad(load: readonly LoadStretch[], byBitsPerSecond: number, bySeconds: number): LoadStretch[] {
  return load.map((stretch, index) => {
    if (stretch.isRest) return stretch;
    const seconds = index === load.length - 1 ? Math.max(0, stretch.seconds + bySeconds) : stretch.seconds;
    return { ...stretch, seconds, bitsPerSecond: Math.max(0, stretch.bitsPerSecond + byBitsPerSecond) };
  });
}

type BurstLevel = ReturnType<typeof levelOf>;

interface FallenSeries {
  readonly shape: SeriesShape;
  readonly throttle: Throttle;
  readonly clean: CleanSeries;
}

/** The levels up to the drop; if the detector found cycles, one level for all samples before the drop. */
function burstSegments({ shape, throttle }: FallenSeries): readonly ShapeSegment[] {
  const { burstBitsPerSecond, onset } = throttle;
  const fell = shape.segments.findLastIndex(({ bitsPerSecond }) => bitsPerSecond === burstBitsPerSecond);
  const whole = { startSeconds: shape.loadStartSeconds, endSeconds: onset.value, bitsPerSecond: burstBitsPerSecond };
  return fell < 0 ? [whole] : shape.segments.slice(0, fell + 1);
}

function levelOf(segment: ShapeSegment, { shape, throttle, clean }: FallenSeries) {
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
 * The rate at which the load spent credits. Its interval includes the plain mean of all samples before the drop,
 * because a level ignores dips, but traffic that was not sent spent no credits.
 */
function spendingOf({ throttle, clean }: FallenSeries, levels: readonly BurstLevel[], value: number): Interval {
  const weights = levels.map((level) => level.seconds);
  const combined = propagate(
    levels.map((level) => level.interval),
    (rates) => sum(rates.map((rate, index) => rate * (weights[index] ?? 0))) / sum(weights),
  );
  const moved = value - combined.value;
  const [low, high] = [combined.low + moved, combined.high + moved];
  const before = clean.bitsPerSecond.subarray(0, firstUntil(clean, throttle.onset.low));
  const sent = before.length === 0 ? value : mean(before);
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

/**
 * The volume of the bucket and, if one bucket explains the series, its refill time while nothing is sent and its hold
 * times. The interval of the refill time reaches down to the fastest measured refill; its value assumes that credits
 * are earned at the baseline. The intervals of the hold times include how much another pair of the same types may
 * differ.
 */
export function creditFigures(model: ThrottleModel | null): CreditFigures {
  if (!model?.bucket) return { bucket: null, refill: null, holdTimes: [] };
  const { burst, baseline, bucket, isSingleBucket } = model;
  if (!isSingleBucket) return { bucket: bucket.bits, refill: null, holdTimes: [] };
  return {
    bucket: bucket.bits,
    refill: bucket.figure((full, earnedAtRest) => refillSeconds(full) / earnedAtRest),
    holdTimes: heldRates(baseline.value, burst.value).map((bitsPerSecond) => {
      const seconds = bucket.figure((full) => holdSeconds(full, bitsPerSecond), FULL_CREDITS_OF_ANOTHER_PAIR);
      return { bitsPerSecond, seconds, atLeastSeconds: null };
    }),
  };
}

/** Credits that did not run out, so that only lower bounds are known. */
export interface CensoredBucket {
  readonly bits: number;
  readonly baseline: PublishedLimit;
  /** The refill time at the fastest refill that was measured. */
  readonly refillSeconds: number;
  /** How long each rate can at least be held: until it has spent what was spent so far. */
  readonly holdTimes: HoldTime[];
}

/** At a rate above a published baseline without a drop, credits were spent and did not run out. */
export function censoredBucket(shape: SeriesShape, evidence: ThroughputEvidence): CensoredBucket | null {
  const { typicalBitsPerSecond: burst, loadStartSeconds: startSeconds, endSeconds } = shape;
  const baseline = lowestLimit(creditBaselines(evidence));
  const clean = cleanSeries(evidence.series);
  if (shape.throttle || burst === null || !clean || !baseline) return null;
  const { bitsPerSecond: baselineBitsPerSecond } = baseline;
  if (burst <= 1.1 * baselineBitsPerSecond) return null;
  const rests = findRests(clean, { burst, baseline: baselineBitsPerSecond }, endSeconds);
  const level = { startSeconds, bitsPerSecond: shape.meanBitsPerSecond ?? 0 };
  const whole = loadUntil(endSeconds, [level], rests, clean);
  const load = evidence.dutyCycle ? pausedLoad(whole, startSeconds, evidence.dutyCycle) : whole;
  // A lower bound must hold even if the rests refilled credits at the fastest measured rate.
  const { mostSpentBits: bits } = accountOf(load, baselineBitsPerSecond, EARNED_AT_REST.high);
  const spent = { baselineBitsPerSecond, bucketBits: bits };
  return {
    bits,
    baseline,
    refillSeconds: refillSeconds(spent) / EARNED_AT_REST.high,
    holdTimes: heldRates(baselineBitsPerSecond, burst).map((bitsPerSecond) => ({
      bitsPerSecond,
      seconds: null,
      atLeastSeconds: holdSeconds(spent, bitsPerSecond),
    })),
  };
}

/** In robust standard deviations; wide enough to keep the mean of a skewed scatter, as of a rate near a limit. */
const CUT = 5;
const HIGHEST_AUTOCORRELATION = 0.98;
/** The significant digits that tools print. */
const PRINTED_DIGITS = [3, 4, 5, 6];
const READ_FOR_DIGITS = 16;

type LevelSamples = Pick<CleanSeries, 'startSeconds' | 'bitsPerSecond' | 'binSeconds'>;

/**
 * How well the level of samples [from, to) is known: the 95 % interval of their mean.
 *
 * Method: neighbouring seconds resemble each other, so n samples are worth n (1 − φ) / (1 + φ) independent ones (Zwiers
 * and von Storch 1995, DOI 10.1175/1520-0442(1995)008<0336:TSCIAI>2.0.CO;2). φ comes from the level's own samples,
 * corrected for the bias of short series (Marriott and Pope 1954, DOI 10.1093/biomet/41.3-4.390); the interval is
 * Student's t for so many samples. Assumption that may fail: the scatter is AR(1), so that all of its memory shows
 * between neighbours.
 *
 * @returns null if there are too few samples for one
 */
export function levelInterval(
  { startSeconds, bitsPerSecond, binSeconds }: LevelSamples,
  from: number,
  to: number,
): Interval | null {
  if (to - from < 3) return null;
  const rates = bitsPerSecond.slice(from, to);
  const center = median(rates);
  const reach = CUT * medianAbsoluteDeviation(rates, center);
  const isInlier = (rate: number) => Math.abs(rate - center) <= reach;
  const isAdjacent = (i: number) =>
    numberAt(startSeconds, from + i) - numberAt(startSeconds, from + i - 1) < 1.5 * binSeconds;
  const inliers = rates.filter(isInlier);
  const count = inliers.length;
  const level = mean(inliers);
  const squares = squaredDeviations(inliers);
  let products = 0;
  let pairs = 0;
  for (let i = 1; i < rates.length; i += 1) {
    const [previous, rate] = [numberAt(rates, i - 1), numberAt(rates, i)];
    if (!isInlier(previous) || !isInlier(rate) || !isAdjacent(i)) continue;
    products += (rate - level) * (previous - level);
    pairs += 1;
  }
  const variance = count > 1 ? squares / (count - 1) : 0;
  const memory = pairs > 0 && squares > 0 ? products / pairs / (squares / count) : 0;
  const autocorrelation = clamp((count * memory + 1) / Math.max(1, count - 3), 0, HIGHEST_AUTOCORRELATION);
  const independent = Math.max(2, (count * (1 - autocorrelation)) / (1 + autocorrelation));
  const standardError = Math.sqrt(variance / independent);
  const halfWidth = studentQuantile(independent - 1) * standardError + roundingError(rates, Math.sqrt(variance));
  return { value: level, low: Math.max(0, level - halfWidth), high: level + halfWidth };
}

/** The rounding error of a mean: none where the scatter exceeds the last digit, otherwise half of the last digit. */
function roundingError(rates: Float64Array, deviation: number): number {
  const step = Math.ceil(rates.length / READ_FOR_DIGITS);
  const some = rates.filter((_, index) => index % step === 0);
  for (const digits of PRINTED_DIGITS) {
    if (!some.every((rate) => Number(rate.toPrecision(digits)) === rate)) continue;
    const lastDigit = 10 ** (Math.floor(Math.log10(Math.max(1, numberAt(some, 0)))) + 1 - digits);
    return deviation > lastDigit ? 0 : lastDigit / 2;
  }
  return 0;
}
