/**
 * Rule `lastingDrop`: a drop between two levels that is deep, lasts, is no slope, does not end an excursion upwards,
 * and is believable. If several such drops follow each other, the rate dropped in steps. Durations are shares of the
 * recording, so that the same rule holds for a minute and for a day.
 *
 * Rates that nothing limits drop as well: other senders start, a phone leaves its cell, noise drifts. A drop is
 * believed only if the samples themselves show all of this:
 *
 * | question                                           | a throttle                                                    |
 * | -------------------------------------------------- | ------------------------------------------------------------- |
 * | is either side longer than a few samples           | yes, or the drop is the clearer the fewer they are            |
 * | how far had the rate moved by itself before        | a fifth of the drop at most, in the logarithm                 |
 * | are the samples of either side on their own side   | yes; in a long recording, as many as its scatter leaves there |
 * | how deep is it, in standard deviations of a sample | six in a recording of up to five minutes, 50 if it is shallow |
 *
 * Source: EC2 user guide, "Amazon EC2 instance network bandwidth": spent credits are not refilled under load, so a rate
 * that drops and recovers shows other traffic. Assumption that may fail: no competitor starts once and stays, at a rate
 * as even as a limiter's.
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

/** A level right after a drop is an undershoot only if it is no longer than this. */
const LONGEST_SETTLING_SAMPLES = 20;
/** Durations, as shares of the time after the drop. */
const LONGEST_EXCURSION = 1 / 3;
const LONGEST_ALIKE = 0.05;
const LONGEST_RETURN = 0.05;
/** A drop that regains this share of its depth, in the logarithm of the rate, was caused by a competitor. */
const REGAINED_SHARE = 0.6;
/** A drop is a detail of another that is this many times as deep, in the logarithm. */
const DEEPER = 1.5;

/** @returns null without a believed drop, and where a slope explains the first one better */
export function lastingDrop(observed: Observed, [first, ...further]: readonly Drop[]): SeriesShape | null {
  if (!first) return null;
  const sampleCount = observed.clean.bitsPerSecond.length;
  if (sampleCount < SHORT_SAMPLES) {
    return throttledShape('drop', observed, first, locateOnset(observed, first, sampleCount));
  }
  if (hasSlope(observed, THROTTLE_RESOLUTION / 2)) return null;
  const isLast = further.length === 0;
  // After the last drop, all samples belong to the lower level, even those in segments of an undershoot or a sawtooth.
  const isWhole = isLast && !risesLater(first, observed.segments);
  const onset = locateOnset(observed, first, isWhole ? sampleCount : endOfLower(first, observed));
  return throttledShape(isLast ? 'drop' : 'drops', observed, first, onset);
}

/**
 * The first believable drop, and those that follow it. A first step that is too shallow to be believed by itself is
 * accepted together with a later drop if its levels are apart.
 *
 * @param believesDoubted accepts a drop whose samples alone do not rule out ordinary variation of the rate
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

/** Drops after the first one, each to a new lower level that lasts. */
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

/** Whether the rate rises again after the drop, later than a limiter takes to settle. */
function risesLater({ segment }: Drop, segments: readonly Segment[]): boolean {
  const [lower, next] = [elementAt(segments, segment + 1), segments[segment + 2]];
  const isHigher = next !== undefined && next.bitsPerSecond > lower.bitsPerSecond;
  return isHigher && lower.to - lower.from > LONGEST_SETTLING_SAMPLES;
}

/** @param from segments before this one are ignored */
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

/** Whether the rate regains most of this drop after a far deeper one, because a competitor left. */
function isRegained(drop: Drop, after: readonly Segment[], stay: number): boolean {
  const deeper = after.filter((segment) => segment.from >= drop.boundary + stay);
  const lowest = smallest(deeper.map((segment) => segment.bitsPerSecond));
  const regained = Math.log(elementAt(deeper, -1).bitsPerSecond / Math.max(lowest, 1));
  return regained >= REGAINED_SHARE * dropDepth(drop);
}

/** Samples until the rate drops far deeper for good, or until the end; what follows shows nothing about this drop. */
function stayBeforeDeeperDrop(drop: Drop, after: readonly Segment[]): number {
  const isDeeper = ({ bitsPerSecond }: Segment) =>
    Math.log(drop.baselineBitsPerSecond / Math.max(bitsPerSecond, 1)) > DEEPER * dropDepth(drop);
  let last = after.length - 1;
  while (last > 0 && isDeeper(elementAt(after, last))) last -= 1;
  return elementAt(after, last).to - drop.boundary;
}

/**
 * Whether the rate was low before the burst, for long or at the level of the supposed baseline: then it is contention
 * or an excursion upwards. A load that begins at the baseline has no credits to burst with, and none are refilled under
 * load.
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

/** Whether the rate is high again for too long: credits are not refilled under load, so a competitor left. */
function comesBack(drop: Drop, after: readonly Segment[], middle: number, later: number): boolean {
  const high = after.filter((segment) => segment.from >= drop.boundary && segment.bitsPerSecond > middle);
  return high.reduce((total, segment) => total + segment.to - segment.from, 0) > LONGEST_RETURN * later;
}

/** Whether the rate has recovered by the end, so that the drop only began an excursion downwards. */
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

/** How many samples a rate may take to settle at a new level. */
function settlingSamples(sampleCount: number): number {
  return Math.round(clamp(sampleCount / 20, 3, 10));
}

/** Up to five minutes of a real network without a bucket contain shallow drops, and drops amid much scatter. */
const DRIFTING_SAMPLES = 300;
/** The highest ratio of a published baseline to its burst. */
const HIGHEST_PUBLISHED_RATIO = 0.75;
/** The least depth of a drop, in standard deviations of a sample. */
const PLAIN_DEVIATIONS = 6;
const UNMISTAKABLE_DEVIATIONS = 20;
/** The least depth of a drop that is shallower than any published one, in standard deviations of a sample. */
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

/** A drop with fewer samples than `few` or `some` on one side needs the `EVIDENCE` of the same name. */
const FEWEST_SAMPLES = { few: 10, some: 40 } as const;
/** Flows that overshoot at the start, and dips cut off by the end, reach 72; limiters with so few samples reach 380. */
const EVIDENCE = { few: 75, some: 25 } as const;
/** Whether both sides of the drop have enough samples, or even enough ones, to be levels. */
function isEvident(drop: Drop, observed: Observed): boolean {
  const samples = fewestSamples(drop, observed);
  if (samples >= FEWEST_SAMPLES.some) return true;
  return evidenceOf(drop, observed.noise, samples) >= (samples < FEWEST_SAMPLES.few ? EVIDENCE.few : EVIDENCE.some);
}

/** Samples on the shorter side of a drop, without the last one before the drop, which may contain it. */
function fewestSamples({ boundary }: Drop, { clean }: Observed): number {
  return Math.min(boundary - 1, clean.bitsPerSecond.length - boundary);
}

/** Shares of the samples that must lie on their own side of the middle of the two levels. */
const OWN_SIDE = { before: 0.75, after: 0.9 } as const;
/** If scatter brings samples to the other side of the middle, at least this share must lie on their own side. */
const OWN_SIDE_AMID_SCATTER = 0.6;
/** A limiter evens out the rate: after a drop, the share may be lower by this, and the scatter higher by this factor. */
const LESS_AFTER = 0.18;
const MORE_SCATTER_AFTER = 1.3;
/** The least depth of a drop, in standard deviations of the difference of the two levels. */
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
