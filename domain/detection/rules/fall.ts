/**
 * Rule `lastingFall`: a fall between two levels that is deep and abrupt, stays down, is not the far side of an excursion, and is
 * believed (`fall-evidence.ts`). Where several follow each other, each to a level that stays, the rate fell in steps.
 * Durations are shares of the recording, so that the same rule holds for a minute and for a day.
 *
 * Source: EC2 user guide, "Amazon EC2 instance network bandwidth": spent credits do not come back under load, so that what
 * comes and goes is other traffic. Assumption that may fail: no competitor comes once and stays.
 */
import { elementAt, numberAt } from '../../maths/elements';
import { smallest } from '../../maths/extremes';
import { clamp, MEDIAN_VARIANCE, medianOfRange, sum } from '../../maths/statistics';
import { isBelievable, mayBeFirstStep, SHORT_SAMPLES } from '../fall-evidence';
import {
  DEEPEST_THROTTLED_RATIO,
  fallDepth,
  middleOf,
  THROTTLE_RESOLUTION,
  type Fall,
  type Observed,
} from '../observe';
import { locateOnset } from '../onset';
import type { Segment, SeriesShape } from '../series-shape';
import { endOfLower, throttledShape } from '../shape';
import { hasSlope } from './slope';

/** A level right after a fall that lasts longer is no undershoot. */
const LONGEST_SETTLING_SAMPLES = 20;
/** Shares of the time after the fall. */
const LONGEST_EXCURSION = 1 / 3;
const LONGEST_ALIKE = 0.05;
const LONGEST_RETURN = 0.05;
/** A share of the fall's depth, in the logarithm of the rate. */
const REGAINED_SHARE = 0.6;
/** A fall is a detail of another that is this many times as deep, in the logarithm. */
const DEEPER = 1.5;

/**
 * @param falls those that are believed
 * @returns null without any, and where a slope explains the first one better
 */
export function lastingFall(observed: Observed, [first, ...further]: readonly Fall[]): SeriesShape | null {
  if (!first) return null;
  const sampleCount = observed.clean.bitsPerSecond.length;
  if (sampleCount < SHORT_SAMPLES) {
    return throttledShape('drop', observed, first, locateOnset(observed, first, sampleCount));
  }
  if (hasSlope(observed, THROTTLE_RESOLUTION / 2, first)) return null;
  const isLast = further.length === 0;
  // After the last fall everything is the lower level, even if an undershoot or a sawtooth is a segment of its own.
  const isWhole = isLast && !risesLater(first, observed.segments);
  const onset = locateOnset(observed, first, isWhole ? sampleCount : endOfLower(first, observed));
  return throttledShape(isLast ? 'drop' : 'drops', observed, first, onset);
}

/**
 * The first fall that can be believed, and those that follow it. A first step that is too shallow to be believed by
 * itself is believed with a later fall.
 *
 * @param believesDoubted whether the samples need not show by themselves that a fall is none of the rate's own moves
 */
export function believedFalls(observed: Observed, believesDoubted = false): readonly Fall[] {
  const isBelieved = (fall: Fall) => believesDoubted || isBelievable(fall, observed);
  for (const index of observed.segments.keys()) {
    const first = fallAfter(index, observed);
    if (!first || !isThrottle(first, observed)) continue;
    const isAlone = isBelieved(first);
    if (!isAlone && !mayBeFirstStep(first, observed)) continue;
    const further = furtherFalls(first, observed);
    if (isAlone || further.some(isBelieved)) return [first, ...further];
  }
  return [];
}

/** Falls that follow the throttle, each to a new lower level that stays. */
function furtherFalls(first: Fall, observed: Observed): Fall[] {
  return observed.segments.flatMap((segment, index) => {
    const next = index > first.segment ? fallAfter(index, observed) : null;
    const isStep = next && isPlateau(segment, next, observed) && isThrottle(next, observed, first.segment + 1);
    return isStep ? [next] : [];
  });
}

function fallAfter(index: number, { segments }: Observed): Fall | null {
  const [before, after] = [elementAt(segments, index), segments[index + 1]];
  if (!after || after.bitsPerSecond > DEEPEST_THROTTLED_RATIO * before.bitsPerSecond) return null;
  return {
    segment: index,
    boundary: after.from,
    burstBitsPerSecond: before.bitsPerSecond,
    baselineBitsPerSecond: after.bitsPerSecond,
  };
}

/** Whether the rate rises from the level that the fall led to after longer than a limiter takes to settle. */
function risesLater({ segment }: Fall, segments: readonly Segment[]): boolean {
  const [lower, next] = [elementAt(segments, segment + 1), segments[segment + 2]];
  return (
    next !== undefined && next.bitsPerSecond > lower.bitsPerSecond && lower.to - lower.from > LONGEST_SETTLING_SAMPLES
  );
}

/** @param from the segment before which nothing counts */
function isThrottle(fall: Fall, observed: Observed, from = 0): boolean {
  const { segments } = observed;
  const rates = observed.clean.bitsPerSecond;
  const middle = middleOf(fall);
  const later = rates.length - fall.boundary;
  const [before, after] = [segments.slice(from, fall.segment), segments.slice(fall.segment + 1)];
  const stay = stayBeforeDeeperFall(fall, after);
  return (
    fall.baselineBitsPerSecond > 0.005 * fall.burstBitsPerSecond &&
    later >= shortestBaselineSamples(rates.length) &&
    shareAbove(rates, fall.boundary, middle) <= 0.5 &&
    (stay === later || !isRegained(fall, after, stay)) &&
    !comesAndGoes(fall, before, middle, stay) &&
    !comesBack(fall, after, middle, stay) &&
    !endsRecovered(rates, fall, middle) &&
    isAbrupt(fall, observed)
  );
}

/**
 * Whether the rate regains most of this fall after a far deeper fall. Then a competitor had taken it, and
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
function isAbrupt(fall: Fall, { clean: { bitsPerSecond: rates }, noise }: Observed): boolean {
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
function isPlateau({ from, to }: Segment, next: Fall, { clean: { bitsPerSecond: rates }, noise }: Observed): boolean {
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
