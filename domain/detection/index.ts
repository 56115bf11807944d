/**
 * What a throughput series shows, from the numbers alone: its levels, and when it fell to a throttled level. The answer
 * does not depend on the order of the samples, the unit of the rate or the origin of the time axis. The method is
 * described in docs/detection.md.
 */
import { elementAt, numberAt } from '../maths/elements';
import { cleanSeries, withoutIdle } from '../series/clean';
import { findCycleFall } from './cycle-fall';
import { findEndFall, findStepBefore } from './end-fall';
import { isBelievable, mayBeFirstStep, SHORT_SAMPLES } from './fall-evidence';
import { hasSlope } from './gradual';
import { findLateFall } from './late-fall';
import { estimateNoise } from './noise';
import { locateOnset, ONSET_REACH_SAMPLES, refineOnset } from './onset';
import { findRecharge } from './recharge';
import { findRestCycles } from './rest-cycles';
import { LONG_REST_SECONDS } from './rests';
import { mergeSegments, segmentLevels, shortestLevelSamples } from './segmentation';
import { lengthOf, type CleanSeries, type RateInterval } from '../series/rate-series';
import type { Noise, Segment, SeriesShape } from './series-shape';
import { insufficientShape, throttledShape, unthrottledShape, type Ground } from './shape';
import { largest } from '../maths/extremes';
import type { Interval } from '../maths/interval';
import type { DutyCycle } from '../model/settings';
import { quantileOfSorted } from '../maths/statistics';
import { findFurtherFalls, findThrottles, type Fall } from './throttle-shape';
import { classifyLevels } from './unthrottled';

/** A third of the smallest throttle, which is a fall of an eighth. Finer structure would only lead to mistakes. */
const THROTTLE_RESOLUTION = 0.04;
/** Tools print four digits and cut seconds to the millisecond, so finer scatter than this carries no information. */
const LEVEL_RESOLUTION = 0.006;
/** Levels that are closer than this are one level to the search for a throttle. */
const SMALLEST_STEP = Math.log(1 / 0.9);
/** A level right after a fall that lasts longer is no undershoot. */
const LONGEST_SETTLING_SAMPLES = 20;
/** A series with fewer samples than this is not judged at all. */
const FEWEST_SAMPLES = 10;
/** Two answers in a hundred are wrong on the benchmark, and real networks are more varied than the benchmark. */
const UNTHROTTLED_CONFIDENCE = 0.9;

/** The steps of the detector; an ablation replaces one of them to show what it is worth. */
export const DETECTOR_STEPS = {
  estimateNoise,
  segmentLevels,
  findThrottles,
  isBelievable,
  findEndFall,
  findRecharge,
  hasSlope,
  findFurtherFalls,
  locateOnset,
};
export type DetectorSteps = typeof DETECTOR_STEPS;

/**
 * What the series of a load with pauses shows.
 *
 * @param series on an axis that omits the pauses
 */
export function classifyCycles(series: readonly RateInterval[], cycle: DutyCycle): SeriesShape {
  const clean = cleanSeries(series);
  const found = clean && findCycleFall(clean, cycle);
  if (!found) return classifyAsOneLoad(series, cycle);
  const { noise, segments } = found;
  if ('lowSampleCount' in found) {
    return { ...insufficientShape(clean, noise, segments), lowEndSampleCount: found.lowSampleCount };
  }
  const ground = { clean, noise, segments };
  return throttledShape('cycle', ground, found.fall, found.onset);
}

/**
 * The runs of a duty cycle as if there were no pauses. What repeats with each run and not within any of them is no
 * recharge of a bucket.
 */
function classifyAsOneLoad(series: readonly RateInterval[], { onSeconds }: DutyCycle): SeriesShape {
  const shape = classifySeries(series);
  if (shape.kind !== 'cycle') return shape;
  const runOf = ({ startSeconds }: RateInterval) => Math.floor(startSeconds / onSeconds);
  const repeatsWithin = [...new Set(series.map(runOf))].some((run) => {
    const alone = series.filter((interval) => runOf(interval) === run);
    return classifySeries(alone).kind === 'cycle';
  });
  return repeatsWithin ? shape : classifySeries(series, { ...DETECTOR_STEPS, findRecharge: () => null });
}

export function classifySeries(series: readonly RateInterval[], steps: DetectorSteps = DETECTOR_STEPS): SeriesShape {
  const clean = cleanSeries(series);
  if (!clean) return insufficientShape(null, null);
  const classify = (samples: CleanSeries) => classifyClean(samples, steps);
  const shape = classifyLoad(clean, classify);
  return findRestCycles(clean, shape, classify) ?? shape;
}

/**
 * The shape of the load. Samples without traffic are a level to which the rate fell and from which it came back, so that
 * they hide a fall. A short one may as well be a level of a limiter, and the shortest ones are dips.
 */
function classifyLoad(clean: CleanSeries, classify: (samples: CleanSeries) => SeriesShape): SeriesShape {
  const longestIdleSeconds = largest([0, ...clean.idle.map(lengthOf)]);
  if (longestIdleSeconds >= LONG_REST_SECONDS) return classify(withoutIdle(clean));
  const shape = classify(clean);
  const shortestLevelSeconds = shortestLevelSamples(clean.startSeconds.length) * clean.binSeconds;
  if (shape.throttle || longestIdleSeconds < shortestLevelSeconds) return shape;
  const underLoad = classify(withoutIdle(clean));
  return underLoad.throttle ? underLoad : shape;
}

function classifyClean(clean: CleanSeries, steps: DetectorSteps): SeriesShape {
  if (clean.bitsPerSecond.length < FEWEST_SAMPLES) return tooShortShape(clean, null);
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
  const isShort = sampleCount < SHORT_SAMPLES;
  const recharge = isShort ? null : rechargeOf(ground, steps);
  if (recharge) {
    return throttledShape('cycle', ground, recharge, locateIn(ground, recharge, steps, recharge.lowEnd, 0));
  }
  const { fall, further } = fallsOf(ground, steps);
  const end = fall ? null : steps.findEndFall(segments, bitsPerSecond, noise, clean.binSeconds);
  if (end) {
    const cut = { ...ground, segments: end.segments };
    const step = findStepBefore(end.fall, end.segments);
    if (!step) return throttledShape('drop', cut, end.fall, locateIn(cut, end.fall, steps, sampleCount));
    return throttledShape('drops', cut, step, locateIn(cut, step, steps, endOfLower(step, cut.segments)));
  }
  if (isShort) {
    return fall
      ? throttledShape('drop', ground, fall, locateIn(ground, fall, steps, sampleCount))
      : tooShortShape(clean, noise, segments);
  }
  if (fall && !steps.hasSlope(clean, segments, noise, THROTTLE_RESOLUTION / 2, fall)) {
    const isLast = further.length === 0;
    // After the last fall everything is the lower level, even if an undershoot or a sawtooth is a segment of its own.
    const isWhole = isLast && !risesLater(fall, segments);
    const onset = locateIn(ground, fall, steps, isWhole ? sampleCount : endOfLower(fall, segments));
    return throttledShape(isLast ? 'drop' : 'drops', ground, fall, onset);
  }
  const fine = { ...ground, segments: steps.segmentLevels(logRates, bitsPerSecond, noise, LEVEL_RESOLUTION) };
  const isSlope = steps.hasSlope(clean, fine.segments, noise, LEVEL_RESOLUTION, null);
  const kind = isSlope ? 'ramp' : classifyLevels(clean, fine.segments, noise);
  return unthrottledShape(kind, fine, UNTHROTTLED_CONFIDENCE);
}

/**
 * The first fall that can be believed, and those that follow it. A first step that is too shallow to be believed by
 * itself is believed with a later one.
 */
function fallsOf({ clean, segments, noise }: Ground, steps: DetectorSteps): { fall: Fall | null; further: Fall[] } {
  const { bitsPerSecond } = clean;
  for (const fall of steps.findThrottles(segments, bitsPerSecond, noise)) {
    const isBelievable = (one: Fall) => steps.isBelievable(one, segments, bitsPerSecond, noise);
    const isAlone = isBelievable(fall);
    if (!isAlone && !mayBeFirstStep(fall, segments, bitsPerSecond, noise)) continue;
    const further = steps.findFurtherFalls(segments, fall, bitsPerSecond, noise);
    if (isAlone || further.some(isBelievable)) return { fall, further };
  }
  return { fall: null, further: [] };
}

/** Whether the rate rises from the level that the fall led to after longer than a limiter takes to settle. */
function risesLater(fall: Fall, segments: readonly Segment[]): boolean {
  const [lower, next] = [elementAt(segments, fall.segment + 1), segments[fall.segment + 2]];
  return (
    next !== undefined && next.bitsPerSecond > lower.bitsPerSecond && lower.to - lower.from > LONGEST_SETTLING_SAMPLES
  );
}

/** One past the last sample of the level that the fall led to. */
function endOfLower({ segment }: Fall, segments: readonly Segment[]): number {
  return elementAt(segments, segment + 1).to;
}

/** For a series with too few samples to judge, which may show a fall all the same. */
function tooShortShape(clean: CleanSeries, noise: Noise | null, segments: readonly Segment[] = []): SeriesShape {
  return { ...insufficientShape(clean, noise, segments), lateFall: findLateFall(clean) };
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
  const binned = steps.locateOnset(intervals, fall.boundary - first, noise);
  if (!clean.native) return binned;
  const endSeconds = to < clean.startSeconds.length ? numberAt(clean.startSeconds, to) : clean.endSeconds;
  return refineOnset(binned, clean.native, numberAt(clean.startSeconds, from), endSeconds);
}

function rechargeOf({ clean, noise, segments }: Ground, steps: DetectorSteps) {
  const burst = quantileOfSorted(clean.sortedBitsPerSecond, 0.95);
  const baseline = quantileOfSorted(clean.sortedBitsPerSecond, 0.1);
  if (!(baseline > 0) || baseline > 0.75 * burst) return null;
  const found = steps.findRecharge(clean, noise, burst, baseline);
  if (!found) return null;
  const segment = segments.findIndex(({ from, to }) => found.boundary > from && found.boundary <= to);
  return { ...found, segment: Math.max(0, segment) };
}

function intervalsOf(clean: CleanSeries, from: number, to: number): RateInterval[] {
  return Array.from(clean.startSeconds.subarray(from, to), (startSeconds, index) => ({
    startSeconds,
    lengthSeconds: clean.binSeconds,
    bitsPerSecond: numberAt(clean.bitsPerSecond, from + index),
  }));
}
