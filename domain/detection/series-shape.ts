/** The detector's result: the shape of a series, and the load that it contains. */
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

/** A drop to a lower level that lasts. */
export interface Throttle {
  /** Seconds on the series' own time axis. */
  readonly onset: Interval;
  /** The level right before the drop, and the level after it. */
  readonly burstBitsPerSecond: number;
  readonly baselineBitsPerSecond: number;
  /** From the start of the load to the onset. */
  readonly load: readonly LoadStretch[];
  /** The credits that `load` spent and its rests did not refill; null if the rests hide the volume of the bucket. */
  readonly bucketBits: number | null;
  /** Whether later rests refill the same bucket. */
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
  /** null without a drop to a lower level that lasts. */
  readonly throttle: Throttle | null;
  readonly segments: readonly ShapeSegment[];
  /** null if there are too few samples to estimate it. */
  readonly noise: Noise | null;
  /** From 0 to 1; null for `insufficient`, which claims nothing. */
  readonly confidence: number | null;
  readonly sampleCount: number;
  readonly loadStartSeconds: number;
  readonly endSeconds: number;
  /** The median of the samples; null when there is no traffic. */
  readonly typicalBitsPerSecond: number | null;
  readonly meanBitsPerSecond: number | null;
  readonly deadTailSeconds: number;
  /** The number of low samples at the ends of a duty cycle's last runs, if too few to tell a dip from spent credits. */
  readonly lowEndSampleCount?: number;
  /** The drop that the samples show in a series that is too short to judge. */
  readonly lateDrop?: LateDrop;
}

type ThrottledClass = 'drop' | 'drops' | 'cycle';

/** On the detection benchmark, 2 % of such results are wrong; real networks vary more than the benchmark. */
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

/** For a series that is too short to judge; `clean` is null if the series has no usable sample. */
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
 * The load of a series: its rests, and the credits that it spends from a token bucket that is full at its start.
 *
 * A rest is a time before a drop in which no load was offered, so that credits were refilled. Samples without traffic
 * show a rest. A gap shows only that samples are missing, so the rates beside it decide:
 *
 * | rate before the gap | rate after it | the gap is                                                      |
 * | ------------------- | ------------- | --------------------------------------------------------------- |
 * | low                 | high          | a rest: spent credits are not refilled under load               |
 * | high                | high          | lost samples, however many: nothing shows that the load stopped |
 * | any                 | low           | no rest: after a rest there are credits to spend                |
 *
 * Assumption that may fail: a load in the middle of its burst does not rest without samples that show it. A series of
 * several recordings may; if two of them drop to the same rate, `findRestCycles` recognises the gaps between them.
 *
 * The account: traffic above the baseline spends credits, rests earn them, and credits earned above full are lost.
 * Assumption that may fail: a load below the baseline earns nothing.
 */

/** A shorter gap, in bins, is only a late report of the tool. */
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
  /** Credits that were spent and not refilled yet. */
  readonly spentBits: number;
  /** The maximum of `spentBits` at the end or before a rest; the bucket holds at least this much. */
  readonly mostSpentBits: number;
}

/** Rates are known to a few percent, so a maximum that exceeds the final value by less does not count as larger. */
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
 * The volume, in bits, of a bucket that ran out at the end of a load. It is null if more credits were missing before a
 * rest than at the end: the bucket holds more than was missing at the end, and the rests hide how much.
 */
export function emptiedBits(load: readonly LoadStretch[], baselineBitsPerSecond: number): number | null {
  const { spentBits, mostSpentBits } = accountOf(load, baselineBitsPerSecond);
  return mostSpentBits > TOLERANCE * spentBits ? null : mostSpentBits;
}

/**
 * The load until a drop, level by level, because the last level alone would overstate what an earlier, lower one spent.
 * Missing seconds count at the level, a robust mean. If there are rests, the plain mean of the samples is used, because
 * the few samples beside a rest may be outliers of the level although they spent credits.
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
