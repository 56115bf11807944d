/**
 * Estimates the noise of a series and divides the series into levels. Every rule decides from the resulting `Observed`.
 *
 * Noise: medians of first and second differences, which a handful of steps can't move (Chakar, Lebarbier, Lévy-Leduc,
 * Robin 2017, DOI 10.3150/15-BEJ782), within windows, because a shaped rate is often far quieter than the burst before
 * it. Assumption that may fail: the noise is AR(1); a slow oscillation looks like correlated noise.
 *
 * Levels: piecewise-constant segmentation with a bounded loss. Every sample costs ((z − level) / scale)², at most K²,
 * and every change of level costs the penalty. The bound makes a dip cheap; the penalty decides how long a dip may be
 * before it counts as a level. Optimal partitioning with Tukey's biweight loss (Fearnhead & Rigaill 2019, DOI
 * 10.1080/01621459.2017.1385466), solved by dynamic programming over a grid of candidate levels (a Potts model) instead
 * of functional pruning: the time is linear in the samples, and a missing sample is a missing term. Assumption that may
 * fail: levels are flat while they last.
 */
import { numberAt } from '../maths/elements';
import {
  clamp,
  median,
  medianAbsoluteDeviation,
  medianOfRange,
  NORMAL_CONSISTENCY,
  trimmedMeanOfRange,
} from '../maths/statistics';
import type { CleanSeries } from '../series/rate-series';

/** The resolution of levels in the search for a throttle: a third of the smallest throttle, a drop of an eighth. */
export const THROTTLE_RESOLUTION = 0.04;
/** Tools print four digits and cut seconds to the millisecond, so finer scatter than this carries no information. */
export const LEVEL_RESOLUTION = 0.006;
/** The search for a throttle joins levels that are closer than this, in the logarithm of the rate. */
const SMALLEST_STEP = Math.log(1 / 0.9);
/** Residuals beyond this many standard deviations all cost the same. */
export const LOSS_BOUND = 3;
/** The highest ratio of the lower level to the higher one in a drop; published baselines are at most 3/4 of the burst. */
export const DEEPEST_THROTTLED_RATIO = 0.88;

/** With fewer samples, only a drop beyond doubt is reported: half a minute is too short to call a rate steady. */
export const SHORT_SAMPLES = 45;

/** Samples [from, to) around one level. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly bitsPerSecond: number;
}

export interface Noise {
  /** Relative standard deviation of most of the samples within a level. */
  readonly standardDeviation: number;
  /** Correlation of neighbouring samples. */
  readonly autocorrelation: number;
  /** How many correlated samples carry as much information as one independent sample. */
  readonly longRunFactor: number;
  /** The relative standard deviation around each sample, because a shaped rate scatters less than a burst. */
  readonly deviations: Float64Array;
}

export interface Observed {
  readonly clean: CleanSeries;
  readonly noise: Noise;
  readonly segments: readonly Segment[];
}

/** The drop at the end of a level. */
export interface Drop {
  /** Index of the segment that ends with the drop. */
  readonly segment: number;
  /** Index of the first sample of the lower level. */
  readonly boundary: number;
  readonly burstBitsPerSecond: number;
  readonly baselineBitsPerSecond: number;
}

/** Observes a series with levels that differ by as much as a throttle's and last long enough to be levels. */
export function observe(clean: CleanSeries): Observed {
  const { bitsPerSecond, logRates } = clean;
  const noise = estimateNoise(logRates);
  const levels = segmentLevels(clean, noise, THROTTLE_RESOLUTION);
  const segments = mergeSegments(levels, bitsPerSecond, 0.7 * shortestLevelSamples(bitsPerSecond.length));
  return { clean, noise, segments };
}

/** Observes the same samples with every level that the precision of the tools' output can show. */
export function observeFinely({ clean, noise }: Observed): Observed {
  return { clean, noise, segments: segmentLevels(clean, noise, LEVEL_RESOLUTION) };
}

/** The geometric mean of the two levels. */
export function middleOf({ burstBitsPerSecond, baselineBitsPerSecond }: Drop): number {
  return Math.sqrt(burstBitsPerSecond * Math.max(baselineBitsPerSecond, 1));
}

/** The natural logarithm of the ratio of the two levels. */
export function dropDepth({ burstBitsPerSecond, baselineBitsPerSecond }: Drop): number {
  return Math.log(burstBitsPerSecond / baselineBitsPerSecond);
}

/** Rates are printed with four digits at most, so a smaller scatter is rounding. */
export const SMALLEST_DEVIATION = 0.004;

/**
 * How clearly the samples show a drop: its depth in standard deviations of one sample, times the root of the number of
 * independent samples.
 *
 * @param deviationThere the scatter around the drop, used if it is larger than that of the series
 */
export function evidenceOf(drop: Drop, noise: Noise, samples: number, deviationThere = 0): number {
  const deviation = Math.max(SMALLEST_DEVIATION, noise.standardDeviation, deviationThere);
  return (dropDepth(drop) / deviation) * Math.sqrt(samples / noise.longRunFactor);
}

/** With fewer levels before the drop, nothing shows how far the rate moves by itself. */
const FEWEST_LEVELS = 3;
/** A level that lasts for less than this share of the time before the drop is a dip. */
const LASTING_SHARE = 0.08;
/** A drop must be this many times as deep as the standard deviation of the levels before it. */
const LEVEL_DEVIATIONS = 5;

/** Whether the levels before the drop differ so much that the drop may be one more change of the same kind. */
export function isUsualMove(drop: Drop, { segments }: Pick<Observed, 'segments'>): boolean {
  const shortest = LASTING_SHARE * drop.boundary;
  const levels = segments
    .slice(0, drop.segment + 1)
    .filter(({ from, to }) => to - from >= shortest)
    .map(({ bitsPerSecond }) => Math.log(Math.max(bitsPerSecond, 1)));
  if (levels.length < FEWEST_LEVELS) return false;
  const deviation = NORMAL_CONSISTENCY * medianAbsoluteDeviation(levels, median(levels));
  return dropDepth(drop) < LEVEL_DEVIATIONS * deviation;
}

const HIGHEST_AUTOCORRELATION = 0.95;
/** A larger correction for correlated noise would hide every change. */
const HIGHEST_LONG_RUN_FACTOR = 12;
/** Tools print four digits: scatter below this is rounding, and its correlation means nothing. */
const ROUNDING = 0.002;
const SAMPLES_PER_MEMORY = 20;

export function estimateNoise(logRates: Float64Array): Noise {
  const window = Math.round(clamp(logRates.length / 12, 12, 60));
  const first = absoluteDifferences(logRates, 1);
  const second = absoluteDifferences(logRates, 2);
  const local = localMedians(first, window);
  const autocorrelation = estimateAutocorrelation(first, second, local, window);
  const toDeviation = NORMAL_CONSISTENCY / Math.sqrt(2 * (1 - autocorrelation));
  return {
    standardDeviation: median(local) * toDeviation,
    autocorrelation,
    longRunFactor: Math.min((1 + autocorrelation) / (1 - autocorrelation), HIGHEST_LONG_RUN_FACTOR),
    deviations: logRates.map(
      (_, index) => numberAt(local, Math.min(Math.floor(index / window), local.length - 1)) * toDeviation,
    ),
  };
}

/** Estimates the autocorrelation from the ratio of second to first differences, each scaled by local medians. */
function estimateAutocorrelation(
  first: Float64Array,
  second: Float64Array,
  firstUnits: Float64Array,
  window: number,
): number {
  const secondUnits = localMedians(second, window);
  const scaledFirst: number[] = [];
  const scaledSecond: number[] = [];
  for (let i = 0; i < second.length; i += 1) {
    const position = Math.min(Math.floor(i / window), secondUnits.length - 1);
    const unit = numberAt(firstUnits, position) + numberAt(secondUnits, position);
    if (unit < 2 * ROUNDING) continue;
    scaledFirst.push(numberAt(first, i) / unit);
    scaledSecond.push(numberAt(second, i) / unit);
  }
  const count = scaledFirst.length;
  if (count === 0) return 0;
  const ratio = (median(scaledSecond) / median(scaledFirst)) ** 2;
  // The estimate scatters by about 2/√n, and a few steps in a short recording inflate it; both are subtracted.
  const highest = clamp(1 - SAMPLES_PER_MEMORY / count, 0, HIGHEST_AUTOCORRELATION);
  return clamp(ratio - 1 - 2 / Math.sqrt(count) - SAMPLES_PER_MEMORY / count, 0, highest);
}

function absoluteDifferences(values: Float64Array, lag: number): Float64Array {
  return values.subarray(lag).map((value, index) => Math.abs(value - numberAt(values, index)));
}

function localMedians(values: Float64Array, window: number): Float64Array {
  const medians = new Float64Array(Math.max(1, Math.round(values.length / window)));
  for (let index = 0; index < medians.length; index += 1) {
    const to = index === medians.length - 1 ? values.length : (index + 1) * window;
    medians[index] = to > index * window ? medianOfRange(values, index * window, to) : 0;
  }
  return medians;
}

/** The shortest stay that counts as a level: 1.6 % of the recording, between 3 and 28 samples. */
export function shortestLevelSamples(sampleCount: number): number {
  return clamp(sampleCount / 64, 3, 28);
}

/** Finds levels that differ by at least about three times the resolution. */
function segmentLevels({ logRates, bitsPerSecond: rates }: CleanSeries, noise: Noise, resolution: number): Segment[] {
  const scales = noise.deviations.map((deviation) => Math.max(deviation, resolution));
  const penalty = changePenalty(noise, scales);
  const spacing = Math.max(noise.standardDeviation, resolution) / 2;
  const boundaries = bestBoundaries(logRates, spacing, scales, penalty);
  const segments = boundaries.slice(0, -1).map((from, index) => segmentOf(rates, from, boundaries[index + 1]!));
  return alignBoundaries(segments, rates);
}

function segmentOf(rates: Float64Array, from: number, to: number): Segment {
  return { from, to, bitsPerSecond: trimmedMeanOfRange(rates, from, to) };
}

/** Assigns the samples of a transition between two levels, which cost the same on either side, to the nearer level. */
function alignBoundaries(segments: readonly Segment[], rates: Float64Array): Segment[] {
  const aligned = [...segments];
  for (let index = 0; index + 1 < aligned.length; index += 1) {
    const [left, right] = [aligned[index]!, aligned[index + 1]!];
    const middle = Math.sqrt(left.bitsPerSecond * right.bitsPerSecond);
    const isRight = (sample: number) => rates[sample]! > middle === right.bitsPerSecond > middle;
    let boundary = right.from;
    while (boundary - 1 > left.from && isRight(boundary - 1)) boundary -= 1;
    while (boundary + 1 < right.to && !isRight(boundary)) boundary += 1;
    aligned[index] = { ...left, to: boundary };
    aligned[index + 1] = { ...right, from: boundary };
  }
  return aligned;
}

/**
 * The cost of a change of level. The first term is what noise alone gains by chance from a change, which grows with its
 * correlation. The second makes an excursion shorter than the shortest level cheaper as outliers than as two changes.
 */
function changePenalty(noise: Noise, scales: Float64Array): number {
  const { length } = scales;
  let share = 0;
  for (let i = 0; i < length; i += 1) share += (noise.deviations[i]! / scales[i]!) ** 2 / length;
  const inflation = Math.max(1, noise.longRunFactor * share);
  return Math.max(4 * Math.log(length) * inflation, (shortestLevelSamples(length) * LOSS_BOUND ** 2) / 2);
}

/**
 * First samples of the segments, with the number of samples at the end.
 *
 * Every sample costs the bound at all levels except the few that it lies near. Costs are therefore stored relative to
 * the bound: a sample changes those few levels only, the best cost never rises, and the switch to a level can wait
 * until a sample lies near it.
 */
function bestBoundaries(values: Float64Array, spacing: number, scales: Float64Array, penalty: number): number[] {
  const low = values.reduce((least, value) => Math.min(least, value));
  const high = values.reduce((most, value) => Math.max(most, value));
  const levelCount = Math.floor((high - low) / spacing) + 2;
  const bound = LOSS_BOUND * LOSS_BOUND;
  const costs = new Float64Array(levelCount);
  /** The current segment of each level, as an index into `starts` and `previous`. */
  const current = new Int32Array(levelCount);
  const starts = [0];
  const previous = [-1];
  let best = 0;
  let bestSegment = 0;
  for (let sample = 0; sample < values.length; sample += 1) {
    const scale = scales[sample]!;
    const position = (values[sample]! - low) / spacing;
    const reach = (LOSS_BOUND * scale) / spacing;
    const first = Math.max(0, Math.ceil(position - reach));
    const last = Math.min(levelCount - 1, Math.floor(position + reach));
    const costOfSwitch = best + penalty;
    const segmentBefore = bestSegment;
    for (let level = first; level <= last; level += 1) {
      let cost = costs[level]!;
      if (costOfSwitch < cost) {
        cost = costOfSwitch;
        current[level] = starts.length;
        starts.push(sample);
        previous.push(segmentBefore);
      }
      const residual = ((position - level) * spacing) / scale;
      cost += residual * residual - bound;
      costs[level] = cost;
      if (cost < best) {
        best = cost;
        bestSegment = current[level]!;
      }
    }
  }
  const boundaries = [values.length];
  for (let segment = bestSegment; segment >= 0; segment = previous[segment]!) boundaries.push(starts[segment]!);
  return boundaries.reverse();
}

/** Joins neighbours that are closer than the smallest step or are shorter than `shortestSamples`. */
function mergeSegments(segments: readonly Segment[], rates: Float64Array, shortestSamples: number): Segment[] {
  const merged = [...segments];
  for (;;) {
    const index = weakestBoundary(merged, shortestSamples);
    if (index === null) return merged;
    const { from } = merged[index]!;
    const { to } = merged[index + 1]!;
    merged.splice(index, 2, segmentOf(rates, from, to));
  }
}

function weakestBoundary(segments: readonly Segment[], shortest: number): number | null {
  let weakest: number | null = null;
  let weakestMagnitude = Infinity;
  for (let index = 0; index + 1 < segments.length; index += 1) {
    const [left, right] = [segments[index]!, segments[index + 1]!];
    const magnitude = levelDistance(left, right);
    const isShort = left.to - left.from < shortest || right.to - right.from < shortest;
    if ((magnitude < SMALLEST_STEP || isShort) && magnitude < weakestMagnitude) {
      weakest = index;
      weakestMagnitude = magnitude;
    }
  }
  return weakest;
}

/** |ln| of the ratio of two levels. */
export function levelDistance(left: Segment, right: Segment): number {
  return Math.abs(Math.log(Math.max(left.bitsPerSecond, 1) / Math.max(right.bitsPerSecond, 1)));
}
