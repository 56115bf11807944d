/** The detector's answer: the shape of a series, and the load that it contains. */
import type { Interval } from '../maths/interval';
import type { SeriesKind } from '../model/verdict';
import { elementAt, numberAt } from '../maths/elements';
import { clamp, mean, median, quantileOfSorted, trimmedMeanOfRange } from '../maths/statistics';
import { lengthOf, withoutIdle, type CleanSeries, type TimeSpan } from '../series/rate-series';
import { dropDepth, type Drop, type Noise, type Observed, type Segment } from './observe';

export interface ShapeSegment {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly bitsPerSecond: number;
}

/** A time of load at one rate, or a rest in which nothing was sent. */
export interface LoadStretch {
  readonly seconds: number;
  readonly bitsPerSecond: number;
  readonly isRest: boolean;
}

/** A fall to a lower level that stays. */
export interface Throttle {
  /** Seconds on the series' own time axis. */
  readonly onset: Interval;
  /** The level right before the drop, and the level after it. */
  readonly burstBitsPerSecond: number;
  readonly baselineBitsPerSecond: number;
  /** From the start of the load to the onset. */
  readonly load: readonly LoadStretch[];
  /** What `load` spent and did not earn back; null where its rests hide the volume of the credits. */
  readonly bucketBits: number | null;
  /** Later rests, in which nothing was sent, fill the same bucket again. */
  readonly isRefilledAtRest: boolean;
}

/** Later samples that are clearly lower than the earlier ones, up to the end. */
export interface LateDrop {
  readonly firstSampleCount: number;
  readonly firstBitsPerSecond: number;
  readonly lastSampleCount: number;
  readonly lastBitsPerSecond: number;
}

/** What the numbers alone show. */
export interface SeriesShape {
  readonly kind: SeriesKind;
  /** null where the series shows no fall to a lower level that stays. */
  readonly throttle: Throttle | null;
  readonly segments: readonly ShapeSegment[];
  /** null where there are too few samples to estimate it. */
  readonly noise: Noise | null;
  /** 0 to 1; null for `insufficient`, which claims nothing. */
  readonly confidence: number | null;
  readonly sampleCount: number;
  readonly loadStartSeconds: number;
  readonly endSeconds: number;
  /** The median of the samples; null when there is no traffic. */
  readonly typicalBitsPerSecond: number | null;
  readonly meanBitsPerSecond: number | null;
  readonly deadTailSeconds: number;
  /** For a duty cycle: the last runs end with so few low samples that they may be a dip or the end of the credits. */
  readonly lowEndSampleCount?: number;
  /** For a series that is too short to judge: the drop that its samples show all the same. */
  readonly lateDrop?: LateDrop;
}

/** The reported shape, from what the steps found. */

type ThrottledClass = 'drop' | 'drops' | 'cycle';

/** Two answers in a hundred are wrong on the benchmark, and real networks are more varied than the benchmark. */
const UNTHROTTLED_CONFIDENCE = 0.9;

export function throttledShape(
  kind: ThrottledClass,
  { clean, segments, noise }: Observed,
  drop: Drop,
  onset: Interval,
): SeriesShape {
  const baseline = {
    drop: () => trimmedMeanOfRange(clean.bitsPerSecond, drop.boundary, clean.bitsPerSecond.length),
    drops: () => elementAt(segments, -1).bitsPerSecond,
    cycle: () => drop.baselineBitsPerSecond,
  }[kind]();
  const shape = described(clean, segments, noise);
  const burst = drop.burstBitsPerSecond;
  const rests = findRests(clean, { burst, baseline }, onset.value);
  const load = loadUntil(onset.value, shape.segments.slice(0, drop.segment + 1), rests, clean);
  return {
    ...shape,
    kind,
    throttle: {
      onset,
      burstBitsPerSecond: burst,
      baselineBitsPerSecond: baseline,
      load,
      bucketBits: emptiedBits(load, baseline),
      isRefilledAtRest: false,
    },
    confidence: clamp(1 - noise.standardDeviation / dropDepth(drop), 0.5, 0.99),
  };
}

export function unthrottledShape(kind: SeriesShape['kind'], { clean, segments, noise }: Observed): SeriesShape {
  return { ...described(clean, segments, noise), kind, throttle: null, confidence: UNTHROTTLED_CONFIDENCE };
}

/** One past the last sample of the level that the drop led to. */
export function endOfLower({ segment }: Drop, { segments }: Observed): number {
  return elementAt(segments, segment + 1).to;
}

function described(clean: CleanSeries, segments: readonly Segment[], noise: Noise | null) {
  const { startSeconds, endSeconds } = clean;
  return {
    segments: segments.map(({ from, to, bitsPerSecond }) => ({
      startSeconds: numberAt(startSeconds, from),
      endSeconds: to < startSeconds.length ? numberAt(startSeconds, to) : endSeconds,
      bitsPerSecond,
    })),
    noise,
    sampleCount: clean.bitsPerSecond.length,
    loadStartSeconds: clean.loadStartSeconds,
    endSeconds,
    typicalBitsPerSecond: quantileOfSorted(clean.sortedBitsPerSecond, 0.5),
    meanBitsPerSecond: mean(clean.bitsPerSecond),
    deadTailSeconds: clean.deadTailSeconds,
  };
}

/** For a series that is too short to judge. `clean` is null where the series has no usable sample. */
export function insufficientShape(
  clean: CleanSeries | null,
  noise: Noise | null,
  segments: readonly Segment[] = [],
): SeriesShape {
  const base = clean
    ? described(clean, segments, noise)
    : {
        segments: [],
        noise,
        sampleCount: 0,
        loadStartSeconds: 0,
        endSeconds: 0,
        typicalBitsPerSecond: null,
        meanBitsPerSecond: null,
        deadTailSeconds: 0,
      };
  return { ...base, kind: 'insufficient', throttle: null, confidence: null };
}

/**
 * The load of a series: where it rested, what it spent of a token bucket that is full when it begins, and credits that
 * ran out again after a rest.
 *
 * Rests are the times before a fall in which no load was offered, so that credits came back. Samples without traffic show
 * a rest. A gap shows only that nothing is known, so the rates beside it have to say what it was:
 *
 * | rate before the gap | rate after it | the gap is                                                            |
 * | ------------------- | ------------- | --------------------------------------------------------------------- |
 * | low                 | high          | a rest: credits that are spent do not come back under load            |
 * | high                | high          | lost samples, however many: nothing shows that the load stopped       |
 * | any                 | low           | no rest: after a rest there are credits to spend                      |
 *
 * Assumption that may fail: no load rests in the middle of its burst without samples that show it. Several recordings in
 * one series may; where two of them fall to one rate, `findRestCycles` knows the gaps between them.
 *
 * The account: traffic above the baseline spends credits, rests earn them, and what is earned above full is lost.
 * Assumption that may fail: a load under the baseline earns nothing.
 */

/** In bins. A single late report of a tool is no gap. */
const LONGEST_LATE = 4;
/** Samples on either side of a gap that show the rate there. */
const BESIDE_SAMPLES = 5;

/**
 * The rests that end before `untilSeconds`, in order of time.
 *
 * @param levels before and after the drop, in bits per second
 */
export function findRests(
  clean: CleanSeries,
  levels: { readonly burst: number; readonly baseline: number },
  untilSeconds: number,
): TimeSpan[] {
  const { startSeconds, bitsPerSecond: rates, binSeconds } = withoutIdle(clean);
  const middle = Math.sqrt(levels.burst * levels.baseline);
  const rests: TimeSpan[] = [];
  for (let index = 0; index < rates.length && numberAt(startSeconds, index) < untilSeconds; index += 1) {
    const lastEnd = index === 0 ? clean.loadStartSeconds : numberAt(startSeconds, index - 1) + binSeconds;
    const gap = { startSeconds: lastEnd, endSeconds: numberAt(startSeconds, index) };
    if (lengthOf(gap) <= LONGEST_LATE * binSeconds) continue;
    if (isIdle(gap, clean.idle) || (index > 0 && isRest(rates, index, middle))) rests.push(gap);
  }
  return rests;
}

/** Whether samples without traffic show that a gap is a rest. */
export function isIdle(gap: TimeSpan, idle: readonly TimeSpan[]): boolean {
  return idle.some((time) => time.startSeconds < gap.endSeconds && time.endSeconds > gap.startSeconds);
}

/** Whether a gap right before sample `index` is a rest. */
function isRest(rates: Float64Array, index: number, middle: number): boolean {
  const isHighAfter = median(rates.subarray(index, index + BESIDE_SAMPLES)) > middle;
  return isHighAfter && median(rates.subarray(Math.max(0, index - BESIDE_SAMPLES), index)) <= middle;
}

type Level = Pick<ShapeSegment, 'startSeconds' | 'bitsPerSecond'>;

/** In bits. */
interface Account {
  /** What was spent and is not earned back yet. */
  readonly spentBits: number;
  /** The most that this was, at the end or before a rest: the credits hold at least so much. */
  readonly mostSpentBits: number;
}

/** Rates are known within a few percent, so that a maximum within them contradicts nothing. */
const TOLERANCE = 1.05;

/** @param earnedAtRest what a rest earns, as a multiple of the baseline */
export function accountOf(load: readonly LoadStretch[], baselineBitsPerSecond: number, earnedAtRest = 1): Account {
  let spent = 0;
  let mostBeforeRest = 0;
  for (const { seconds, bitsPerSecond, isRest } of load) {
    if (isRest) mostBeforeRest = Math.max(mostBeforeRest, spent);
    spent = isRest
      ? Math.max(0, spent - earnedAtRest * baselineBitsPerSecond * seconds)
      : spent + Math.max(0, bitsPerSecond - baselineBitsPerSecond) * seconds;
  }
  return { spentBits: spent, mostSpentBits: Math.max(mostBeforeRest, spent) };
}

/**
 * The volume, in bits, of a bucket that ran out at the end of a load. null where more had been spent before a rest, so
 * that the bucket cannot have run out at the end: the rests earned back what would show its volume.
 */
export function emptiedBits(load: readonly LoadStretch[], baselineBitsPerSecond: number): number | null {
  const { spentBits, mostSpentBits } = accountOf(load, baselineBitsPerSecond);
  return mostSpentBits > TOLERANCE * spentBits ? null : mostSpentBits;
}

/**
 * The load until a drop, level by level, because a burst that first shared its path spent less than its last level
 * would have. The level, a robust mean, also counts for the seconds that are missing. Beside rests it is what was
 * sent, because the few samples that a rest cuts off from a level are outliers to the level but not to the account.
 *
 * @param levels each lasts until the next one begins, the last one until the drop
 */
export function loadUntil(
  onsetSeconds: number,
  levels: readonly Level[],
  rests: readonly TimeSpan[],
  clean: CleanSeries,
): LoadStretch[] {
  const load: LoadStretch[] = [];
  levels.forEach(({ startSeconds, bitsPerSecond }, index) => {
    const to = Math.min(levels[index + 1]?.startSeconds ?? onsetSeconds, onsetSeconds);
    let from = index === 0 ? clean.loadStartSeconds : startSeconds;
    const addLoad = (until: number) => {
      if (until <= from) return;
      const sent = rests.length === 0 ? bitsPerSecond : (meanBetween(clean, from, until) ?? bitsPerSecond);
      load.push({ seconds: until - from, bitsPerSecond: sent, isRest: false });
      from = until;
    };
    for (const rest of rests) {
      const until = Math.min(rest.endSeconds, to);
      if (until <= from || rest.startSeconds >= to) continue;
      addLoad(rest.startSeconds);
      load.push({ seconds: until - from, bitsPerSecond: 0, isRest: true });
      from = until;
    }
    addLoad(to);
  });
  return load;
}

/** The mean of the samples within a time; null without one. */
function meanBetween({ startSeconds, bitsPerSecond, binSeconds }: CleanSeries, from: number, to: number) {
  const slack = binSeconds / 4;
  const inside = bitsPerSecond.filter((_, index) => {
    const start = numberAt(startSeconds, index);
    return start >= from - slack && start + binSeconds <= to + slack;
  });
  return inside.length === 0 ? null : mean(inside);
}
