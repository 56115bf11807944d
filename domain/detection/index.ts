/**
 * What a throughput series shows, from the numbers alone: levels, the fall to a throttled level and when it came, or
 * why there is none. Promises: the same answer for any order of the samples, any unit of the rate, and any origin of
 * the time axis. The method is described in docs/detection.md.
 */
import { elementAt, numberAt } from '../maths/elements';
import { cleanSeries } from '../series/clean';
import { findSlope } from './gradual';
import { estimateNoise } from './noise';
import { locateOnset, ONSET_REACH_SAMPLES, refineOnset } from './onset';
import { findRecharge } from './recharge';
import { mergeSegments, segmentLevels, shortestLevelSamples } from './segmentation';
import type { CleanSeries, RateInterval } from '../series/rate-series';
import type { Segment, SeriesShape } from './series-shape';
import { insufficientShape, throttledShape, unthrottledShape, type Ground } from './shape';
import type { Interval } from '../maths/interval';
import { quantileOfSorted } from '../maths/statistics';
import { findFurtherFalls, findThrottle, type Fall } from './throttle-shape';
import { classifyUnthrottled, describeDips } from './unthrottled';

export type { RateInterval } from '../series/rate-series';
export type { SeriesShape, Throttle } from './series-shape';

/**
 * A throttle is a fall of an eighth or more, which is three times this. Finer structure would only lead to mistakes.
 */
const THROTTLE_RESOLUTION = 0.04;
/** Tools print four digits and cut seconds to the millisecond, so finer scatter than this carries no information. */
const LEVEL_RESOLUTION = 0.006;
/** Levels that are closer than this are one level to the search for a throttle. */
const SMALLEST_STEP = Math.log(1 / 0.9);
/** A series with fewer samples than this is not judged at all. */
const FEWEST_SAMPLES = 10;
/**
 * In a series shorter than this only a fall beyond doubt is reported: half a minute is too short to call a rate steady.
 */
const SHORT_SAMPLES = 45;
/**
 * The benchmark has two wrong answers in a hundred, and real networks do more than the benchmark, so this is all to be
 * claimed.
 */
const UNTHROTTLED_CONFIDENCE = 0.9;

/** The steps of the detector; an ablation replaces one of them to show what it is worth. */
export const DETECTOR_STEPS = {
  estimateNoise,
  segmentLevels,
  findThrottle,
  findRecharge,
  findSlope,
  findFurtherFalls,
  locateOnset,
};
export type DetectorSteps = typeof DETECTOR_STEPS;

export function classifySeries(series: readonly RateInterval[], steps: DetectorSteps = DETECTOR_STEPS): SeriesShape {
  const clean = cleanSeries(series);
  if (!clean || clean.bitsPerSecond.length < FEWEST_SAMPLES) return insufficientShape(clean, null);
  const { bitsPerSecond, logRates } = clean;
  const sampleCount = bitsPerSecond.length;
  const noise = steps.estimateNoise(logRates);
  const segments = mergeSegments(
    steps.segmentLevels(logRates, bitsPerSecond, noise, THROTTLE_RESOLUTION),
    bitsPerSecond,
    SMALLEST_STEP,
    0.7 * shortestLevelSamples(sampleCount),
  );
  const ground = { clean, segments, noise };
  const fall = steps.findThrottle(segments, bitsPerSecond, noise);
  if (sampleCount < SHORT_SAMPLES) {
    return fall && isBeyondDoubt(fall, segments, sampleCount)
      ? throttledShape('burst_then_throttle', ground, fall, locateIn(ground, fall, steps, sampleCount))
      : insufficientShape(clean, noise, segments);
  }
  const recharge = rechargeOf(ground, steps);
  if (recharge) {
    return throttledShape('periodic_recharge', ground, recharge, locateIn(ground, recharge, steps, recharge.lowEnd, 0));
  }
  if (fall && !steps.findSlope(clean, segments, noise, THROTTLE_RESOLUTION / 2, fall)) {
    const isLast = steps.findFurtherFalls(segments, fall, bitsPerSecond, noise).length === 0;
    // An undershoot or a sawtooth may have been cut off as a level of its own: a single throttle's lower level is all
    // that follows.
    const onset = locateIn(ground, fall, steps, isLast ? sampleCount : elementAt(segments, fall.segment + 1).to);
    return throttledShape(isLast ? 'burst_then_throttle' : 'multi_step', ground, fall, onset);
  }
  const fine = { ...ground, segments: steps.segmentLevels(logRates, bitsPerSecond, noise, LEVEL_RESOLUTION) };
  const slope = steps.findSlope(clean, fine.segments, noise, LEVEL_RESOLUTION, null);
  const dips = describeDips(clean, fine.segments, noise);
  return unthrottledShape(classifyUnthrottled(clean, fine.segments, slope, dips, noise), fine, UNTHROTTLED_CONFIDENCE);
}

/** When the rate fell, if the lower level lasts until sample `to`. */
function locateIn(
  { clean, segments, noise }: Ground,
  fall: Fall,
  steps: DetectorSteps,
  to: number,
  from = elementAt(segments, fall.segment).from,
): Interval {
  const first = Math.max(from, fall.boundary - ONSET_REACH_SAMPLES);
  const intervals = intervalsOf(clean, first, Math.min(to, fall.boundary + ONSET_REACH_SAMPLES));
  const boundary = fall.boundary - first;
  const binned = steps.locateOnset({ intervals, boundary, from: 0, to: intervals.length }, noise);
  if (!clean.native) return binned;
  const endSeconds = to < clean.startSeconds.length ? numberAt(clean.startSeconds, to) : clean.endSeconds;
  return refineOnset(binned, clean.native, numberAt(clean.startSeconds, from), endSeconds);
}

function rechargeOf({ clean, noise, segments }: Ground, steps: DetectorSteps) {
  const burst = quantileOfSorted(clean.sortedBitsPerSecond, 0.95);
  const baseline = quantileOfSorted(clean.sortedBitsPerSecond, 0.1);
  if (!(baseline > 0) || baseline > 0.75 * burst) return null;
  const found = steps.findRecharge(clean, noise, burst, baseline);
  return found ? { ...found, segment: segmentAt(segments, found.boundary - 1) } : null;
}

function segmentAt(segments: readonly Segment[], sample: number): number {
  return Math.max(
    0,
    segments.findIndex((segment) => sample >= segment.from && sample < segment.to),
  );
}

/** In a short recording the lower level must have lasted long, be far below and be quiet. */
function isBeyondDoubt(fall: Fall, coarse: readonly Segment[], sampleCount: number): boolean {
  const isDeep = fall.baselineBitsPerSecond < 0.75 * fall.burstBitsPerSecond;
  return coarse.length === 2 && fall.boundary >= 3 && sampleCount - fall.boundary >= 15 && isDeep;
}

function intervalsOf(clean: CleanSeries, from: number, to: number): RateInterval[] {
  const intervals: RateInterval[] = [];
  for (let i = from; i < to; i += 1) {
    intervals.push({
      startSeconds: numberAt(clean.startSeconds, i),
      lengthSeconds: clean.binSeconds,
      bitsPerSecond: numberAt(clean.bitsPerSecond, i),
    });
  }
  return intervals;
}
