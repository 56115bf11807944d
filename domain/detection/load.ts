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
import { elementAt, numberAt, zip } from '../maths/elements';
import { ascending, mean, median } from '../maths/statistics';
import { lengthOf, withoutIdle, type CleanSeries, type TimeSpan } from '../series/rate-series';
import type { LoadStretch, SeriesShape, ShapeSegment, Throttle } from './series-shape';

/** In bins. A single late report of a tool is no gap. */
const LONGEST_LATE = 4;
/** A gap between two recordings of one series is at least this long. */
export const LONG_REST_SECONDS = 180;
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
function isIdle(gap: TimeSpan, idle: readonly TimeSpan[]): boolean {
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

/** A path that carries nothing for less than this may be broken, and not without load. */
const SHORTEST_IDLE_SECONDS = 30;
/** Two falls to rates that differ by less than this are falls to one baseline. */
const SAME_BASELINE = 1.1;

type ThrottledShape = SeriesShape & { readonly throttle: Throttle };

/**
 * Credits that ran out, came back in a rest and ran out again. As one series this is a fall from which the rate came
 * back, which competing traffic shows as well. Each time under load between two long rests is therefore judged on its
 * own. Assumption that may fail: nothing but credits makes two of them fall to the same rate.
 *
 * @param whole the shape of all samples of the load
 * @param classify what one time under load shows
 * @returns the shape with the fall in which the credits ran out first; null where no second drop agrees with it
 */
export function findRestCycles(
  clean: CleanSeries,
  whole: SeriesShape,
  classify: (part: CleanSeries) => SeriesShape,
): SeriesShape | null {
  const parts = partsBetweenRests(withoutIdle(clean));
  if (parts.length < 2) return null;
  const shapes = parts.map(classify);
  const first = shapes.findIndex(isThrottled);
  const fallen = shapes[first];
  if (!fallen || !isThrottled(fallen)) return null;
  const { throttle } = fallen;
  const again = shapes.slice(first + 1).filter(isThrottled);
  if (!again.some((shape) => isSameBaseline(shape.throttle, throttle))) return null;
  const load = [...loadBefore(parts.slice(0, first + 1), shapes), ...throttle.load];
  return {
    ...whole,
    kind: 'cycle',
    segments: shapes.flatMap((shape) => shape.segments),
    noise: fallen.noise,
    confidence: fallen.confidence,
    throttle: {
      ...throttle,
      load,
      bucketBits: emptiedBits(load, throttle.baselineBitsPerSecond),
      isRefilledAtRest: true,
    },
  };
}

function isThrottled(shape: SeriesShape): shape is ThrottledShape {
  return shape.throttle !== null && shape.kind === 'drop';
}

function isSameBaseline(one: Throttle, other: Throttle): boolean {
  const ratio = one.baselineBitsPerSecond / other.baselineBitsPerSecond;
  return ratio < SAME_BASELINE && ratio > 1 / SAME_BASELINE;
}

/** The load of all parts but the last one, each with the rest that follows it. */
function loadBefore(parts: readonly CleanSeries[], shapes: readonly SeriesShape[]): LoadStretch[] {
  return zip(parts.slice(0, -1), shapes.slice(0, parts.length - 1)).flatMap(([part, shape], index) => {
    const seconds = elementAt(parts, index + 1).loadStartSeconds - part.endSeconds;
    return [...loadUntil(part.endSeconds, shape.segments, [], part), { seconds, bitsPerSecond: 0, isRest: true }];
  });
}

function partsBetweenRests(clean: CleanSeries): CleanSeries[] {
  const { startSeconds, binSeconds } = clean;
  const parts: CleanSeries[] = [];
  let from = 0;
  for (let to = 1; to <= startSeconds.length; to += 1) {
    const end = numberAt(startSeconds, to - 1) + binSeconds;
    const isLast = to === startSeconds.length;
    if (!isLast && !isLongRest({ startSeconds: end, endSeconds: numberAt(startSeconds, to) }, clean.idle)) continue;
    parts.push(partOf(clean, from, to, isLast ? clean.endSeconds : end));
    from = to;
  }
  return parts;
}

/** A gap is known to be a rest only by its length, but samples without traffic show one. */
function isLongRest(gap: TimeSpan, idle: readonly TimeSpan[]): boolean {
  return lengthOf(gap) >= (isIdle(gap, idle) ? SHORTEST_IDLE_SECONDS : LONG_REST_SECONDS);
}

function partOf(clean: CleanSeries, from: number, to: number, endSeconds: number): CleanSeries {
  const startSeconds = clean.startSeconds.subarray(from, to);
  const bitsPerSecond = clean.bitsPerSecond.subarray(from, to);
  const first = numberAt(startSeconds, 0);
  return {
    startSeconds,
    bitsPerSecond,
    sortedBitsPerSecond: ascending(bitsPerSecond),
    binSeconds: clean.binSeconds,
    logRates: clean.logRates.subarray(from, to),
    loadStartSeconds: from === 0 ? clean.loadStartSeconds : first,
    endSeconds,
    native: clean.native?.filter((one) => one.startSeconds >= first && one.startSeconds < endSeconds) ?? null,
    idle: [],
    deadTailSeconds: 0,
  };
}
