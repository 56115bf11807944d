/**
 * Rule `lastingDrop`: a drop between two levels that is deep and abrupt, stays down, is not the far side of an excursion, and is
 * believed (`fall-evidence.ts`). Where several follow each other, each to a level that stays, the rate fell in steps.
 * Durations are shares of the recording, so that the same rule holds for a minute and for a day.
 *
 * Source: EC2 user guide, "Amazon EC2 instance network bandwidth": spent credits do not come back under load, so that what
 * comes and goes is other traffic. Assumption that may fail: no competitor comes once and stays.
 */
import { elementAt, numberAt } from '../../maths/elements';
import { clamp, MEDIAN_VARIANCE, medianOfRange, smallest, sum } from '../../maths/statistics';
import { isBelievable, mayBeFirstStep, SHORT_SAMPLES } from '../drop-evidence';
import {
  DEEPEST_THROTTLED_RATIO,
  dropDepth,
  middleOf,
  THROTTLE_RESOLUTION,
  type Drop,
  type Observed,
} from '../observe';
import { locateOnset } from '../onset';
import type { Segment, SeriesShape } from '../series-shape';
import { endOfLower, throttledShape } from '../shape';
import { hasSlope } from './slope';

/** A level right after a drop that lasts longer is no undershoot. */
const LONGEST_SETTLING_SAMPLES = 20;
/** Shares of the time after the drop. */
const LONGEST_EXCURSION = 1 / 3;
const LONGEST_ALIKE = 0.05;
const LONGEST_RETURN = 0.05;
/** A share of the drop's depth, in the logarithm of the rate. */
const REGAINED_SHARE = 0.6;
/** A drop is a detail of another that is this many times as deep, in the logarithm. */
const DEEPER = 1.5;

/**
 * @param falls those that are believed
 * @returns null without any, and where a slope explains the first one better
 */
export function lastingDrop(observed: Observed, [first, ...further]: readonly Drop[]): SeriesShape | null {
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
 * The first drop that can be believed, and those that follow it. A first step that is too shallow to be believed by
 * itself is believed with a later drop.
 *
 * @param believesDoubted whether the samples need not show by themselves that a drop is none of the rate's own moves
 */
export function believedDrops(observed: Observed, believesDoubted = false): readonly Drop[] {
  const isBelieved = (drop: Drop) => believesDoubted || isBelievable(drop, observed);
  for (const index of observed.segments.keys()) {
    const first = dropAfter(index, observed);
    if (!first || !isThrottle(first, observed)) continue;
    const isAlone = isBelieved(first);
    if (!isAlone && !mayBeFirstStep(first, observed)) continue;
    const further = furtherDrops(first, observed);
    if (isAlone || further.some(isBelieved)) return [first, ...further];
  }
  return [];
}

/** Falls that follow the throttle, each to a new lower level that stays. */
function furtherDrops(first: Drop, observed: Observed): Drop[] {
  return observed.segments.flatMap((segment, index) => {
    const next = index > first.segment ? dropAfter(index, observed) : null;
    const isStep = next && isPlateau(segment, next, observed) && isThrottle(next, observed, first.segment + 1);
    return isStep ? [next] : [];
  });
}

function dropAfter(index: number, { segments }: Observed): Drop | null {
  const [before, after] = [elementAt(segments, index), segments[index + 1]];
  if (!after || after.bitsPerSecond > DEEPEST_THROTTLED_RATIO * before.bitsPerSecond) return null;
  return {
    segment: index,
    boundary: after.from,
    burstBitsPerSecond: before.bitsPerSecond,
    baselineBitsPerSecond: after.bitsPerSecond,
  };
}

/** Whether the rate rises from the level that the drop led to after longer than a limiter takes to settle. */
function risesLater({ segment }: Drop, segments: readonly Segment[]): boolean {
  const [lower, next] = [elementAt(segments, segment + 1), segments[segment + 2]];
  return (
    next !== undefined && next.bitsPerSecond > lower.bitsPerSecond && lower.to - lower.from > LONGEST_SETTLING_SAMPLES
  );
}

/** @param from the segment before which nothing counts */
function isThrottle(drop: Drop, observed: Observed, from = 0): boolean {
  const { segments } = observed;
  const rates = observed.clean.bitsPerSecond;
  const middle = middleOf(drop);
  const later = rates.length - drop.boundary;
  const [before, after] = [segments.slice(from, drop.segment), segments.slice(drop.segment + 1)];
  const stay = stayBeforeDeeperDrop(drop, after);
  return (
    drop.baselineBitsPerSecond > 0.005 * drop.burstBitsPerSecond &&
    later >= shortestBaselineSamples(rates.length) &&
    (stay === later || !isRegained(drop, after, stay)) &&
    !comesAndGoes(drop, before, middle, stay) &&
    !comesBack(drop, after, middle, stay) &&
    !endsRecovered(rates, drop, middle) &&
    isAbrupt(drop, observed)
  );
}

/**
 * Whether the rate regains most of this drop after a far deeper drop. Then a competitor had taken it, and
 * gives it back at any level when it leaves; a step down does not come back.
 */
function isRegained(drop: Drop, after: readonly Segment[], stay: number): boolean {
  const deeper = after.filter((segment) => segment.from >= drop.boundary + stay);
  const lowest = smallest(deeper.map((segment) => segment.bitsPerSecond));
  const regained = Math.log(elementAt(deeper, -1).bitsPerSecond / Math.max(lowest, 1));
  return regained >= REGAINED_SHARE * dropDepth(drop);
}

/** Samples until the rate falls far deeper for good, or until the end: what follows says nothing about this drop. */
function stayBeforeDeeperDrop(drop: Drop, after: readonly Segment[]): number {
  const isDeeper = ({ bitsPerSecond }: Segment) =>
    Math.log(drop.baselineBitsPerSecond / Math.max(bitsPerSecond, 1)) > DEEPER * dropDepth(drop);
  let last = after.length - 1;
  while (last > 0 && isDeeper(elementAt(after, last))) last -= 1;
  return elementAt(after, last).to - drop.boundary;
}

/** A dip that is cut off by the end of the recording must not count as a baseline. */
function shortestBaselineSamples(sampleCount: number): number {
  return clamp(sampleCount / 90, 5, 20);
}

/**
 * Whether the rate was low before the burst, for long or at the very level of the supposed baseline: contention, or an
 * excursion upward. A load that began at the baseline had no credits to burst with, and none come back under load.
 */
function comesAndGoes(drop: Drop, before: readonly Segment[], middle: number, later: number): boolean {
  const low = before.filter((segment) => segment.bitsPerSecond < middle);
  const isAlike = ({ bitsPerSecond }: Segment) => Math.abs(bitsPerSecond / drop.baselineBitsPerSecond - 1) < 0.1;
  const alike = low.filter(isAlike);
  return (
    low.some(({ from, to }) => to - from >= LONGEST_EXCURSION * later) ||
    alike.some(({ from }) => from === 0) ||
    sum(alike.map(({ from, to }) => to - from)) >= LONGEST_ALIKE * later
  );
}

/** Whether the rate is back up for too long: a competitor left. Credits do not come back under load. */
function comesBack(drop: Drop, after: readonly Segment[], middle: number, later: number): boolean {
  const high = after.filter((segment) => segment.from >= drop.boundary && segment.bitsPerSecond > middle);
  return high.reduce((total, segment) => total + segment.to - segment.from, 0) > LONGEST_RETURN * later;
}

/** Whether the rate came back and stayed until the end: then the drop began an excursion. */
function endsRecovered(rates: Float64Array, drop: Drop, middle: number): boolean {
  const tail = Math.max(5, Math.floor((rates.length - drop.boundary) / 12));
  return medianOfRange(rates, Math.max(drop.boundary, rates.length - tail), rates.length) > middle;
}

/** Whether at least 60 % of the drop happens within a few samples, allowing for the noise of the two medians. */
function isAbrupt(drop: Drop, { clean: { bitsPerSecond: rates }, noise }: Observed): boolean {
  const reach = Math.round(clamp(rates.length / 40, 4, 45));
  const settle = settlingSamples(rates.length);
  const { boundary } = drop;
  const before = medianOfRange(rates, Math.max(0, boundary - reach), Math.max(1, boundary - 1));
  const until = Math.min(rates.length, boundary + settle + Math.max(3, 2 * settle));
  const after = medianOfRange(rates, Math.min(boundary + settle, rates.length - 1), until);
  const independent = reach / (MEDIAN_VARIANCE * noise.longRunFactor);
  const slack =
    (drop.burstBitsPerSecond * numberAt(noise.deviations, Math.max(0, boundary - 2))) / Math.sqrt(independent);
  return before - after >= 0.6 * (drop.burstBitsPerSecond - drop.baselineBitsPerSecond) - slack;
}

/** Whether a segment is flat, as a step on the way down is. One that still settles to the next level is no step. */
function isPlateau({ from, to }: Segment, next: Drop, { clean: { bitsPerSecond: rates }, noise }: Observed): boolean {
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
