/**
 * Which of the falls between levels is a throttle: one that is deep enough, abrupt, stays down, and is not the far side
 * of an excursion. Durations are shares of the recording, never constants in seconds: the same rules hold for one
 * minute and for one day.
 */
import { elementAt, numberAt } from '../maths/elements';
import type { Noise, Segment } from './series-shape';
import { clamp, medianOfRange } from '../maths/statistics';

/** A lower level must be below this share of the higher one: published baselines are at most 3/4 of the burst. */
export const DEEPEST_THROTTLED_RATIO = 0.88;

/** Shares of the time after the fall. */
const LONGEST_EXCURSION = 1 / 3;
const LONGEST_ALIKE = 0.05;
const LONGEST_RETURN = 0.05;
/** Shares of the fall's depth, in the logarithm of the rate. */
const REGAINED_SHARE = 0.6;
/** A fall is a detail of another that is this many times as deep, in the logarithm. */
const DEEPER = 1.5;
/** Variance of a median relative to that of a mean. */
const MEDIAN_VARIANCE = 1.57;

export interface Fall {
  /** Index of the segment that ends with the fall. */
  readonly segment: number;
  /** Index of the first sample of the lower level. */
  readonly boundary: number;
  readonly burstBitsPerSecond: number;
  readonly baselineBitsPerSecond: number;
}

/** The first throttle; null where no fall is one. */
export function findThrottle(segments: readonly Segment[], rates: Float64Array, noise: Noise): Fall | null {
  for (let index = 0; index + 1 < segments.length; index += 1) {
    const fall = fallAfter(segments, index);
    if (fall && isThrottle(fall, segments, rates, noise)) return fall;
  }
  return null;
}

/** Falls that follow the throttle, each to a new lower level that stays. */
export function findFurtherFalls(segments: readonly Segment[], first: Fall, rates: Float64Array, noise: Noise): Fall[] {
  const offset = first.segment + 1;
  const later = segments.slice(offset);
  return later.slice(0, -1).flatMap((_, index) => {
    const fall = fallAfter(segments, offset + index);
    if (!fall || !isPlateau(elementAt(segments, offset + index), fall, rates, noise)) return [];
    return isThrottle(fall, later, rates, noise, offset) ? [fall] : [];
  });
}

function fallAfter(segments: readonly Segment[], index: number): Fall | null {
  const [before, after] = [elementAt(segments, index), elementAt(segments, index + 1)];
  if (after.bitsPerSecond > DEEPEST_THROTTLED_RATIO * before.bitsPerSecond) return null;
  return {
    segment: index,
    boundary: after.from,
    burstBitsPerSecond: before.bitsPerSecond,
    baselineBitsPerSecond: after.bitsPerSecond,
  };
}

function isThrottle(fall: Fall, segments: readonly Segment[], rates: Float64Array, noise: Noise, offset = 0): boolean {
  const middle = Math.sqrt(fall.burstBitsPerSecond * Math.max(fall.baselineBitsPerSecond, 1));
  const later = rates.length - fall.boundary;
  const [before, after] = [segments.slice(0, fall.segment - offset), segments.slice(fall.segment + 1 - offset)];
  const stay = stayBeforeDeeperFall(fall, after);
  return (
    fall.baselineBitsPerSecond > 0.005 * fall.burstBitsPerSecond &&
    later >= shortestBaselineSamples(rates.length) &&
    shareAbove(rates, fall.boundary, middle) <= 0.5 &&
    (stay === later || !isRegained(fall, after, stay)) &&
    !comesAndGoes(fall, before, middle, stay) &&
    !comesBack(fall, after, middle, stay) &&
    !endsRecovered(rates, fall, middle) &&
    isAbrupt(fall, rates, noise)
  );
}

/**
 * What was lost ahead of a far deeper fall comes back further down: it was a competitor's share, which comes back
 * wherever the rate is by then. A step down doesn't.
 */
function isRegained(fall: Fall, after: readonly Segment[], stay: number): boolean {
  const deeper = after.filter((segment) => segment.from >= fall.boundary + stay);
  const lowest = Math.min(...deeper.map((segment) => segment.bitsPerSecond));
  const regained = Math.log(elementAt(deeper, -1).bitsPerSecond / Math.max(lowest, 1));
  return regained >= REGAINED_SHARE * Math.log(fall.burstBitsPerSecond / fall.baselineBitsPerSecond);
}

/**
 * Samples until the rate falls for good to where the way down there is longer than this fall was, or to the end: what
 * comes after a far deeper fall says nothing of this one.
 */
function stayBeforeDeeperFall(fall: Fall, after: readonly Segment[]): number {
  const depth = Math.log(fall.burstBitsPerSecond / fall.baselineBitsPerSecond);
  const isDeeper = ({ bitsPerSecond }: Segment) =>
    Math.log(fall.baselineBitsPerSecond / Math.max(bitsPerSecond, 1)) > DEEPER * depth;
  let last = after.length - 1;
  while (last > 0 && isDeeper(elementAt(after, last))) last -= 1;
  return elementAt(after, last).to - fall.boundary;
}

/** A dip that the recording's end cut off must not pass for a baseline. */
function shortestBaselineSamples(sampleCount: number): number {
  return clamp(sampleCount / 90, 5, 20);
}

function shareAbove(rates: Float64Array, from: number, level: number): number {
  let above = 0;
  for (let i = from; i < rates.length; i += 1) if (numberAt(rates, i) > level) above += 1;
  return above / Math.max(1, rates.length - from);
}

/**
 * Low stretches before the burst are contention that comes and goes: one as long as a third of what follows, or one at
 * the very level of the supposed baseline.
 */
function comesAndGoes(fall: Fall, before: readonly Segment[], middle: number, later: number): boolean {
  const low = before.filter((segment) => segment.bitsPerSecond < middle);
  return low.some(({ from, to, bitsPerSecond }) => {
    const isAlike = Math.abs(bitsPerSecond / fall.baselineBitsPerSecond - 1) < 0.1;
    return to - from >= later * (isAlike ? LONGEST_ALIKE : LONGEST_EXCURSION);
  });
}

/**
 * Credits that ran out don't come back under load: time above the middle after the fall is competition that went away.
 */
function comesBack(fall: Fall, after: readonly Segment[], middle: number, later: number): boolean {
  const high = after.filter((segment) => segment.from >= fall.boundary && segment.bitsPerSecond > middle);
  return high.reduce((total, segment) => total + segment.to - segment.from, 0) > LONGEST_RETURN * later;
}

/** The rate came back and stayed until the end: an excursion, not a limit. */
function endsRecovered(rates: Float64Array, fall: Fall, middle: number): boolean {
  const tail = Math.max(5, Math.floor((rates.length - fall.boundary) / 12));
  return medianOfRange(rates, Math.max(fall.boundary, rates.length - tail), rates.length) > middle;
}

/** At least 60 % of the fall happens within a few samples, give or take what the noise does to two medians. */
function isAbrupt(fall: Fall, rates: Float64Array, noise: Noise): boolean {
  const reach = Math.round(clamp(rates.length / 40, 4, 45));
  const settle = settlingSamples(rates.length);
  const { boundary } = fall;
  const before = medianOfRange(rates, Math.max(0, boundary - reach), Math.max(1, boundary - 1));
  const until = Math.min(rates.length, boundary + settle + Math.max(3, 2 * settle));
  const after = medianOfRange(rates, Math.min(boundary + settle, rates.length - 1), until);
  const independent = reach / (MEDIAN_VARIANCE * noise.longRunFactor);
  const slack =
    (fall.burstBitsPerSecond * numberAt(noise.deviations, Math.max(0, boundary - 2))) / Math.sqrt(independent);
  return before - after >= 0.6 * (fall.burstBitsPerSecond - fall.baselineBitsPerSecond) - slack;
}

/** A step on the way down is flat; what still settles towards the next level is none. */
function isPlateau(segment: Segment, next: Fall, rates: Float64Array, noise: Noise): boolean {
  const { from, to } = segment;
  const length = to - from;
  if (length < settlingSamples(rates.length)) return false;
  const skipped = Math.floor(length / 5);
  const middle = Math.floor((from + skipped + to) / 2);
  const early = medianOfRange(rates, from + skipped, middle);
  const late = medianOfRange(rates, middle, Math.max(middle + 1, to - 1));
  const independent = Math.max(1, length / 3 / (MEDIAN_VARIANCE * noise.longRunFactor));
  const slack = (2 * next.burstBitsPerSecond * numberAt(noise.deviations, middle)) / Math.sqrt(independent);
  return Math.abs(early - late) <= 0.25 * (next.burstBitsPerSecond - next.baselineBitsPerSecond) + slack;
}

/** How long a new level may take to be reached. */
function settlingSamples(sampleCount: number): number {
  return Math.round(clamp(sampleCount / 20, 3, 10));
}
