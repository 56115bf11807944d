/**
 * Piecewise-constant segmentation with a bounded loss: every sample costs ((z − level) / scale)², at most K², and every
 * change of level costs the penalty. The bound makes a dip cheap; the penalty decides how long a dip may be before it
 * counts as a level.
 *
 * Method: optimal partitioning with Tukey's biweight loss (Fearnhead & Rigaill 2019, DOI
 * 10.1080/01621459.2017.1385466), solved by dynamic programming over a grid of candidate levels (a Potts model) instead
 * of functional pruning: the time is linear in the samples, and a missing sample is a missing term. Assumption that may
 * fail: levels are flat while they last.
 */
import type { Noise, Segment } from './series-shape';
import { clamp, trimmedMeanOfRange } from '../maths/statistics';

/** Residuals beyond this many standard deviations all cost the same. */
export const LOSS_BOUND = 3;

/** The shortest stay that counts as a level: 1.6 % of the recording, between 3 and 28 samples. */
export function shortestLevelSamples(sampleCount: number): number {
  return clamp(sampleCount / 64, 3, 28);
}

/**
 * Finds levels that differ by at least about three times the resolution. A high `lossBound` makes the loss the usual
 * square, for the ablation in docs/detection.md.
 */
export function segmentLevels(
  logRates: Float64Array,
  rates: Float64Array,
  noise: Noise,
  resolution: number,
  lossBound = LOSS_BOUND,
): Segment[] {
  const scales = noise.deviations.map((deviation) => Math.max(deviation, resolution));
  const penalty = changePenalty(noise, scales);
  const spacing = Math.max(noise.standardDeviation, resolution) / 2;
  const boundaries = bestBoundaries(logRates, spacing, scales, penalty, lossBound);
  const segments = boundaries.slice(0, -1).map((from, index) => segmentOf(rates, from, boundaries[index + 1]!));
  return alignBoundaries(segments, rates);
}

function segmentOf(rates: Float64Array, from: number, to: number): Segment {
  return { from, to, bitsPerSecond: trimmedMeanOfRange(rates, from, to) };
}

/** Moves samples on the way between two levels, which cost the same on either side, to the level they are nearer to. */
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
 * What a change of level costs. The first term is what noise alone gains by chance, more the more it is correlated; the
 * second makes an excursion shorter than the shortest level cheaper as outliers than as two changes.
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
 * Every sample costs the bound at all levels except the few that it lies near. Costs are therefore kept less the bound:
 * a sample changes those few levels only, the best cost never rises, and the switch to a level can wait until a sample
 * lies near it.
 */
function bestBoundaries(
  values: Float64Array,
  spacing: number,
  scales: Float64Array,
  penalty: number,
  lossBound: number,
): number[] {
  const low = values.reduce((least, value) => Math.min(least, value));
  const high = values.reduce((most, value) => Math.max(most, value));
  const levelCount = Math.floor((high - low) / spacing) + 2;
  const bound = lossBound * lossBound;
  const costs = new Float64Array(levelCount);
  /** The segment that each level is in, as an index into `starts` and `previous`. */
  const current = new Int32Array(levelCount);
  const starts = [0];
  const previous = [-1];
  let best = 0;
  let bestSegment = 0;
  for (let sample = 0; sample < values.length; sample += 1) {
    const scale = scales[sample]!;
    const position = (values[sample]! - low) / spacing;
    const reach = (lossBound * scale) / spacing;
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

/** Joins neighbours that differ by less than `smallestStep` (logarithm) or are shorter than `shortestSamples`. */
export function mergeSegments(
  segments: readonly Segment[],
  rates: Float64Array,
  smallestStep: number,
  shortestSamples: number,
): Segment[] {
  const merged = [...segments];
  for (;;) {
    const index = weakestBoundary(merged, smallestStep, shortestSamples);
    if (index === null) return merged;
    const { from } = merged[index]!;
    const { to } = merged[index + 1]!;
    merged.splice(index, 2, segmentOf(rates, from, to));
  }
}

function weakestBoundary(segments: readonly Segment[], smallestStep: number, shortest: number): number | null {
  let weakest: number | null = null;
  let weakestMagnitude = Infinity;
  for (let index = 0; index + 1 < segments.length; index += 1) {
    const [left, right] = [segments[index]!, segments[index + 1]!];
    const magnitude = levelDistance(left, right);
    const isShort = left.to - left.from < shortest || right.to - right.from < shortest;
    if ((magnitude < smallestStep || isShort) && magnitude < weakestMagnitude) {
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
