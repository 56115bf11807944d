/**
 * What the samples themselves say for a fall, where its shape says too little: in a recording of a few minutes, in
 * which noise drifts as far as a shallow throttle falls, and at the end of a recording of any length, where the
 * segmentation takes a few samples for outliers.
 */
import { elementAt, numberAt } from '../maths/elements';
import { medianOfRange, trimmedMeanOfRange } from '../maths/statistics';
import type { Noise, Segment } from './series-shape';
import { fallDepth, middleOf, type Fall } from './throttle-shape';

/** In a shorter series only a fall beyond doubt is reported: half a minute is too short to call a rate steady. */
export const SHORT_SAMPLES = 45;
/** Up to five minutes of a real network without a bucket contain shallow falls and falls amid much scatter. */
const DRIFTING_SAMPLES = 300;
/** The highest ratio of a published baseline to its burst. */
const HIGHEST_PUBLISHED_RATIO = 0.75;
/** How many standard deviations of a sample the fall must be deep. */
const PLAIN_DEVIATIONS = 6;
const UNMISTAKABLE_DEVIATIONS = 20;
/** The same for a fall that is shallower than published ones. */
const SHALLOW_DEVIATIONS = 50;
/** Shares of the samples that must lie on their own side of the middle of the two levels. */
const SHARE_BEFORE = 0.75;
const SHARE_AFTER = 0.9;
const SHORTEST_UNMISTAKABLE = { before: 3, after: 15 } as const;

/** Whether the recording is long enough to believe any fall of the right shape, or the fall is plain enough. */
export function isBelievable(fall: Fall, segments: readonly Segment[], rates: Float64Array, noise: Noise): boolean {
  if (rates.length > DRIFTING_SAMPLES) return true;
  if (rates.length >= SHORT_SAMPLES) return isPlain(fall, rates, noise, PLAIN_DEVIATIONS);
  return (
    segments.length === 2 &&
    fall.boundary >= SHORTEST_UNMISTAKABLE.before &&
    rates.length - fall.boundary >= SHORTEST_UNMISTAKABLE.after &&
    isPlain(fall, rates, noise, UNMISTAKABLE_DEVIATIONS)
  );
}

/** Whether the fall is deep and far beyond the scatter, and hardly a sample of either side is at the other's level. */
function isPlain(fall: Fall, rates: Float64Array, noise: Noise, deviations: number): boolean {
  const middle = middleOf(fall);
  // The last sample before the boundary may contain the fall itself.
  const before = rates.subarray(0, Math.max(1, fall.boundary - 1));
  const after = rates.subarray(fall.boundary);
  const isShallow = fall.baselineBitsPerSecond > HIGHEST_PUBLISHED_RATIO * fall.burstBitsPerSecond;
  return (
    fallDepth(fall) >= (isShallow ? SHALLOW_DEVIATIONS : deviations) * noise.standardDeviation &&
    before.filter((rate) => rate > middle).length >= SHARE_BEFORE * before.length &&
    after.filter((rate) => rate < middle).length >= SHARE_AFTER * after.length
  );
}

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
/** The depth in standard deviations of one sample, times the root of the number of independent samples. */
const END_EVIDENCE = 100;
/** Rates are printed with four digits at most, so a smaller scatter is rounding. */
export const SMALLEST_DEVIATION = 0.004;
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
    const deviation = Math.max(
      SMALLEST_DEVIATION,
      noise.standardDeviation,
      numberAt(noise.deviations, fall.boundary - 2),
    );
    const evidence = (fallDepth(fall) / deviation) * Math.sqrt(samples / noise.longRunFactor);
    if (evidence < mostEvidence) continue;
    best = fall;
    mostEvidence = evidence;
  }
  return best && cutAt(best, segments, rates);
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
