/**
 * Rule `lastingDrop`: a drop between two levels that is deep, stays down, is no slope, is not the far side of an excursion,
 * and is believed. Where several follow each other, each to a level that stays, the rate fell in steps. Durations are
 * shares of the recording, so that the same rule holds for a minute and for a day.
 *
 * Rates that nothing limits fall as well: other senders come, a phone leaves its cell, noise drifts. A drop is believed
 * only where the samples themselves say all of this:
 *
 * | question                                              | a throttle                                                       |
 * | ----------------------------------------------------- | ---------------------------------------------------------------- |
 * | is either side longer than a few samples              | yes, or the drop is the clearer the fewer they are               |
 * | how far had the rate moved by itself before           | a fifth of the drop at most, in the logarithm                    |
 * | are the samples of either side on their own side      | yes; in a long recording as many as the scatter of a level leaves |
 * | how deep is it, in standard deviations of a sample    | six in a recording of up to five minutes, 50 if it is shallow    |
 *
 * Source: EC2 user guide, "Amazon EC2 instance network bandwidth": spent credits do not come back under load, so that what
 * comes and goes is other traffic. Assumption that may fail: no competitor comes once and stays, at a rate that is as even
 * as a limiter's.
 */
import { elementAt, numberAt } from '../../maths/elements';
import { clamp, median, MEDIAN_VARIANCE, medianOfRange, smallest, sum } from '../../maths/statistics';
import {
  DEEPEST_THROTTLED_RATIO,
  dropDepth,
  evidenceOf,
  isUsualMove,
  middleOf,
  SHORT_SAMPLES,
  THROTTLE_RESOLUTION,
  type Drop,
  type Observed,
  type Segment,
} from '../observe';
import { locateOnset } from '../onset';
import { endOfLower, throttledShape, type SeriesShape } from '../series-shape';
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
  if (hasSlope(observed, THROTTLE_RESOLUTION / 2)) return null;
  const isLast = further.length === 0;
  // After the last fall everything is the lower level, even if an undershoot or a sawtooth is a segment of its own.
  const isWhole = isLast && !risesLater(first, observed.segments);
  const onset = locateOnset(observed, first, isWhole ? sampleCount : endOfLower(first, observed));
  return throttledShape(isLast ? 'drop' : 'drops', observed, first, onset);
}

/**
 * The first drop that can be believed, and those that follow it. A first step that is too shallow to be believed by
 * itself is believed with a later drop, where its levels are apart.
 *
 * @param believesDoubted whether the samples need not show by themselves that a drop is none of the rate's own moves
 */
export function believedDrops(observed: Observed, believesDoubted = false): readonly Drop[] {
  const isBelieved = (drop: Drop) => believesDoubted || isBelievable(drop, observed);
  for (const index of observed.segments.keys()) {
    const first = dropAfter(index, observed);
    if (!first || !isThrottle(first, observed)) continue;
    const isAlone = isBelieved(first);
    if (!isAlone && !areApart(first, observed)) continue;
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
  const isHigher = next !== undefined && next.bitsPerSecond > lower.bitsPerSecond;
  return isHigher && lower.to - lower.from > LONGEST_SETTLING_SAMPLES;
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
    (stay === later || !isRegained(drop, after, stay)) &&
    !comesAndGoes(drop, before, middle, stay) &&
    !comesBack(drop, after, middle, stay) &&
    !endsRecovered(rates, drop, middle)
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

/** Up to five minutes of a real network without a bucket contain shallow falls and falls amid much scatter. */
const DRIFTING_SAMPLES = 300;
/** The highest ratio of a published baseline to its burst. */
const HIGHEST_PUBLISHED_RATIO = 0.75;
/** How many standard deviations of a sample the drop must be deep. */
const PLAIN_DEVIATIONS = 6;
const UNMISTAKABLE_DEVIATIONS = 20;
/** The same for a drop that is shallower than published ones. */
const SHALLOW_DEVIATIONS = 50;
const SHORTEST_UNMISTAKABLE = { before: 3, after: 15 } as const;

/** Whether the drop can be that of a limiter, by the table at the top. */
function isBelievable(drop: Drop, observed: Observed): boolean {
  if (!isEvident(drop, observed) || isUsualMove(drop, observed)) return false;
  const sampleCount = observed.clean.bitsPerSecond.length;
  if (sampleCount > DRIFTING_SAMPLES) return areApart(drop, observed) || isBeyondScatter(drop, observed);
  if (sampleCount >= SHORT_SAMPLES) return isPlain(drop, observed, PLAIN_DEVIATIONS);
  return (
    drop.boundary >= SHORTEST_UNMISTAKABLE.before &&
    sampleCount - drop.boundary >= SHORTEST_UNMISTAKABLE.after &&
    isPlain(drop, observed, UNMISTAKABLE_DEVIATIONS)
  );
}

/** Whether the drop is deep and far beyond the scatter, and the two levels are apart. */
function isPlain(drop: Drop, observed: Observed, deviations: number): boolean {
  const isShallow = drop.baselineBitsPerSecond > HIGHEST_PUBLISHED_RATIO * drop.burstBitsPerSecond;
  const least = (isShallow ? SHALLOW_DEVIATIONS : deviations) * observed.noise.standardDeviation;
  return dropDepth(drop) >= least && areApart(drop, observed);
}

/** Fewer samples than `few` or `some` on one side of a drop need so much evidence. */
const FEWEST_SAMPLES = { few: 10, some: 40 } as const;
/** A start of flows that overshoots, and a dip that the end cuts off, reach 72; limiters with so few samples 380. */
const EVIDENCE = { few: 75, some: 25 } as const;
/** Whether both sides of the drop have so many samples, or so even ones, that they are levels. */
function isEvident(drop: Drop, observed: Observed): boolean {
  const samples = fewestSamples(drop, observed);
  if (samples >= FEWEST_SAMPLES.some) return true;
  return evidenceOf(drop, observed.noise, samples) >= (samples < FEWEST_SAMPLES.few ? EVIDENCE.few : EVIDENCE.some);
}

/** Of the two sides of a drop, the samples of the shorter one. The last one before the drop may contain it. */
function fewestSamples({ boundary }: Drop, { clean }: Observed): number {
  return Math.min(boundary - 1, clean.bitsPerSecond.length - boundary);
}

/** Shares of the samples that must lie on their own side of the middle of the two levels. */
const OWN_SIDE = { before: 0.75, after: 0.9 } as const;
/** The same where the scatter of the levels brings samples to the other side. */
const OWN_SIDE_AMID_SCATTER = 0.6;
/** A limiter makes the rate more even, so that its side has about as many samples of its own as the burst's. */
const LESS_AFTER = 0.18;
const MORE_SCATTER_AFTER = 1.3;
/** The depth of the fall in standard deviations of the difference of the two levels. */
const SURELY = 5;

/** The shares of the samples before and after a drop that lie on their own side of the middle of the two levels. */
function ownSides(drop: Drop, { clean: { bitsPerSecond: rates } }: Observed): { before: number; after: number } {
  const middle = middleOf(drop);
  // The last sample before the boundary may contain the drop itself.
  const before = rates.subarray(0, Math.max(1, drop.boundary - 1));
  const after = rates.subarray(drop.boundary);
  return {
    before: before.filter((rate) => rate > middle).length / before.length,
    after: after.filter((rate) => rate < middle).length / after.length,
  };
}

/** Whether hardly a sample of either side is at the other's level. */
function areApart(drop: Drop, observed: Observed): boolean {
  const { before, after } = ownSides(drop, observed);
  return before >= OWN_SIDE.before && after >= OWN_SIDE.after;
}

/** Whether the levels are surely apart, although their scatter brings samples of each to the other's side. */
function isBeyondScatter(drop: Drop, observed: Observed): boolean {
  const { clean, noise } = observed;
  const { before, after } = ownSides(drop, observed);
  if (before < OWN_SIDE_AMID_SCATTER) return false;
  if (after < before - LESS_AFTER) return false;
  const { boundary } = drop;
  const burst = median(noise.deviations.subarray(0, boundary));
  const baseline = median(noise.deviations.subarray(boundary));
  if (baseline > MORE_SCATTER_AFTER * burst) return false;
  const variance =
    noise.longRunFactor * (burst ** 2 / boundary + baseline ** 2 / (clean.bitsPerSecond.length - boundary));
  return dropDepth(drop) > SURELY * Math.sqrt(variance);
}
