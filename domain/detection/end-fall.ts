/**
 * The fall that only the last samples of a recording show. The segmentation takes so few samples for
 * outliers. A recording of any length may end right after its throttle.
 */
import { elementAt, numberAt } from '../maths/elements';
import { medianOfRange, trimmedMeanOfRange } from '../maths/statistics';
import { evidenceOf, isUsualMove } from './fall-evidence';
import type { Noise, Segment } from './series-shape';
import { DEEPEST_THROTTLED_RATIO, middleOf, type Fall } from './throttle-shape';

/** A lower level that lasts longer is a segment of its own. */
const LONGEST_END_SAMPLES = 40;
const SHORTEST_END_SAMPLES = 5;
const SHORTEST_BEFORE_SAMPLES = 5;
/** How many samples before the fall show its upper level. */
const LEVEL_SAMPLES = 60;
/** Most published baselines are at most half of the burst; a few samples of a shallower fall are a dip. */
const HIGHEST_END_RATIO = 0.55;
/** A rate below this share of the burst is a flow that ends. */
export const LOWEST_END_RATIO = 0.005;
/** As `evidenceOf` counts it. */
const END_EVIDENCE = 100;
/** A dip that is cut off by the end of the recording lasts less than this. */
export const LONGEST_DIP_SECONDS = 15;
/** Only a limiter holds a rate as exactly as this, so that a fall from there is no dip of a busy path. */
const HELD_BY_A_LIMITER = 0.0003;

interface EndFall {
  readonly fall: Fall;
  readonly segments: readonly Segment[];
}

/**
 * The fall that only the last samples show; null where they leave a doubt. All of them must be at the lower level, and
 * the rate must not have been there before for half as long. Assumption that may fail: a path whose rate is limited
 * exactly has no dip right before the end.
 */
export function findEndFall(
  segments: readonly Segment[],
  rates: Float64Array,
  noise: Noise,
  binSeconds: number,
): EndFall | null {
  const isHeld = noise.standardDeviation <= HELD_BY_A_LIMITER;
  const shortest = isHeld ? SHORTEST_END_SAMPLES : Math.max(SHORTEST_END_SAMPLES, LONGEST_DIP_SECONDS / binSeconds);
  const longest = Math.min(LONGEST_END_SAMPLES, rates.length - SHORTEST_BEFORE_SAMPLES);
  let best: Fall | null = null;
  let mostEvidence = END_EVIDENCE;
  for (let samples = Math.ceil(shortest); samples <= longest; samples += 1) {
    const fall = endFall(segments, rates, rates.length - samples);
    if (!fall) continue;
    const evidence = evidenceOf(fall, noise, samples, numberAt(noise.deviations, fall.boundary - 2));
    if (evidence < mostEvidence) continue;
    best = fall;
    mostEvidence = evidence;
  }
  return best && !isUsualMove(best, segments) ? cutAt(best, segments, rates) : null;
}

/** The segments up to the fall, with the lower level as the last one. */
function cutAt(
  { boundary, segment, baselineBitsPerSecond }: Fall,
  segments: readonly Segment[],
  rates: Float64Array,
): EndFall {
  const { from } = elementAt(segments, segment);
  const burstBitsPerSecond = trimmedMeanOfRange(rates, from, Math.max(from + 1, boundary - 1));
  const before = { from, to: boundary, bitsPerSecond: burstBitsPerSecond };
  const after = { from: boundary, to: rates.length, bitsPerSecond: baselineBitsPerSecond };
  return {
    fall: { segment, boundary, burstBitsPerSecond, baselineBitsPerSecond },
    segments: [...segments.slice(0, segment), before, after],
  };
}

/**
 * The fall from the level that lasted longest, where it was the first of the steps down to the end. The few samples of
 * a step right before the end are not the burst.
 */
export function findStepBefore(end: Fall, segments: readonly Segment[]): Fall | null {
  const before = segments.slice(0, end.segment + 1);
  const longest = before.reduce((best, one) => (one.to - one.from > best.to - best.from ? one : best));
  const segment = before.indexOf(longest);
  const next = before[segment + 1];
  if (!next || next.bitsPerSecond > DEEPEST_THROTTLED_RATIO * longest.bitsPerSecond) return null;
  if (before.slice(segment + 1).some(({ bitsPerSecond }) => bitsPerSecond > next.bitsPerSecond)) return null;
  return {
    segment,
    boundary: next.from,
    burstBitsPerSecond: longest.bitsPerSecond,
    baselineBitsPerSecond: next.bitsPerSecond,
  };
}

/** The fall at this boundary, if everything after it is low and nothing before it was low for long. */
function endFall(segments: readonly Segment[], rates: Float64Array, boundary: number): Fall | null {
  const burstBitsPerSecond = medianOfRange(rates, Math.max(0, boundary - 1 - LEVEL_SAMPLES), boundary - 1);
  const baselineBitsPerSecond = medianOfRange(rates, boundary, rates.length);
  const ratio = baselineBitsPerSecond / burstBitsPerSecond;
  if (!(ratio > LOWEST_END_RATIO && ratio <= HIGHEST_END_RATIO)) return null;
  const segment = segments.findIndex(({ to }) => boundary <= to);
  const fall = { segment, boundary, burstBitsPerSecond, baselineBitsPerSecond };
  const middle = middleOf(fall);
  const later = rates.subarray(boundary);
  if (!later.every((rate) => rate < middle)) return null;
  return 2 * longestRunBelow(middle, rates.subarray(0, boundary - 1)) < later.length ? fall : null;
}

function longestRunBelow(level: number, rates: Float64Array): number {
  let longest = 0;
  let run = 0;
  for (const rate of rates) {
    run = rate < level ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
