/**
 * Which of the falls between levels is a throttle: one that is deep and abrupt, stays down, and is not the far side of
 * an excursion. Durations are shares of the recording, so that the same rules hold for a minute and for a day.
 */
import { elementAt, numberAt } from '../maths/elements';
import type { Noise, Segment } from './series-shape';
import { clamp, MEDIAN_VARIANCE, medianOfRange, sum } from '../maths/statistics';
import { smallest } from '../maths/extremes';

/** The lower level must be below this share of the higher one. Published baselines are at most 3/4 of the burst. */
export const DEEPEST_THROTTLED_RATIO = 0.88;

/** Shares of the time after the fall. */
const LONGEST_EXCURSION = 1 / 3;
const LONGEST_ALIKE = 0.05;
const LONGEST_RETURN = 0.05;
/** A share of the fall's depth, in the logarithm of the rate. */
const REGAINED_SHARE = 0.6;
/** A fall is a detail of another that is this many times as deep, in the logarithm. */
const DEEPER = 1.5;

export interface Fall {
  /** Index of the segment that ends with the fall. */
  readonly segment: number;
  /** Index of the first sample of the lower level. */
  readonly boundary: number;
  readonly burstBitsPerSecond: number;
  readonly baselineBitsPerSecond: number;
}

/** The falls that are throttles by their shape, in order of time. */
export function* findThrottles(segments: readonly Segment[], rates: Float64Array, noise: Noise): Iterable<Fall> {
  for (let index = 0; index + 1 < segments.length; index += 1) {
    const fall = fallAfter(segments, index);
    if (fall && isThrottle(fall, segments, rates, noise)) yield fall;
  }
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

/** The rate between the two levels, in the logarithm. */
export function middleOf({ burstBitsPerSecond, baselineBitsPerSecond }: Fall): number {
  return Math.sqrt(burstBitsPerSecond * Math.max(baselineBitsPerSecond, 1));
}

/** In the logarithm of the rate. */
export function fallDepth({ burstBitsPerSecond, baselineBitsPerSecond }: Fall): number {
  return Math.log(burstBitsPerSecond / baselineBitsPerSecond);
}

function isThrottle(fall: Fall, segments: readonly Segment[], rates: Float64Array, noise: Noise, offset = 0): boolean {
  const middle = middleOf(fall);
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
 * Whether the rate regains most of this fall after a far deeper one. Then a competitor had taken it, and
 * gives it back at any level when it leaves; a step down does not come back.
 */
function isRegained(fall: Fall, after: readonly Segment[], stay: number): boolean {
  const deeper = after.filter((segment) => segment.from >= fall.boundary + stay);
  const lowest = smallest(deeper.map((segment) => segment.bitsPerSecond));
  const regained = Math.log(elementAt(deeper, -1).bitsPerSecond / Math.max(lowest, 1));
  return regained >= REGAINED_SHARE * fallDepth(fall);
}

/** Samples until the rate falls far deeper for good, or until the end: what follows says nothing about this fall. */
function stayBeforeDeeperFall(fall: Fall, after: readonly Segment[]): number {
  const isDeeper = ({ bitsPerSecond }: Segment) =>
    Math.log(fall.baselineBitsPerSecond / Math.max(bitsPerSecond, 1)) > DEEPER * fallDepth(fall);
  let last = after.length - 1;
  while (last > 0 && isDeeper(elementAt(after, last))) last -= 1;
  return elementAt(after, last).to - fall.boundary;
}

/** A dip that is cut off by the end of the recording must not count as a baseline. */
function shortestBaselineSamples(sampleCount: number): number {
  return clamp(sampleCount / 90, 5, 20);
}

function shareAbove(rates: Float64Array, from: number, level: number): number {
  const later = rates.subarray(from);
  return later.filter((rate) => rate > level).length / Math.max(1, later.length);
}

/**
 * Whether the rate was low before the burst, for long or at the very level of the supposed baseline: contention, or an
 * excursion upward. A load that began at the baseline had no credits to burst with, and none come back under load.
 */
function comesAndGoes(fall: Fall, before: readonly Segment[], middle: number, later: number): boolean {
  const low = before.filter((segment) => segment.bitsPerSecond < middle);
  const isAlike = ({ bitsPerSecond }: Segment) => Math.abs(bitsPerSecond / fall.baselineBitsPerSecond - 1) < 0.1;
  const alike = low.filter(isAlike);
  return (
    low.some(({ from, to }) => to - from >= LONGEST_EXCURSION * later) ||
    alike.some(({ from }) => from === 0) ||
    sum(alike.map(({ from, to }) => to - from)) >= LONGEST_ALIKE * later
  );
}

/** Whether the rate is back up for too long: a competitor left. Credits do not come back under load. */
function comesBack(fall: Fall, after: readonly Segment[], middle: number, later: number): boolean {
  const high = after.filter((segment) => segment.from >= fall.boundary && segment.bitsPerSecond > middle);
  return high.reduce((total, segment) => total + segment.to - segment.from, 0) > LONGEST_RETURN * later;
}

/** Whether the rate came back and stayed until the end: then the fall began an excursion. */
function endsRecovered(rates: Float64Array, fall: Fall, middle: number): boolean {
  const tail = Math.max(5, Math.floor((rates.length - fall.boundary) / 12));
  return medianOfRange(rates, Math.max(fall.boundary, rates.length - tail), rates.length) > middle;
}

/** Whether at least 60 % of the fall happens within a few samples, allowing for the noise of the two medians. */
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

/** Whether a segment is flat, as a step on the way down is. One that still settles to the next level is no step. */
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
