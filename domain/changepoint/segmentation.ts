/**
 * Piecewise-constant segmentation with a bounded loss: every sample pays ((z − level) / scale)², at most K², and every
 * change of level pays the penalty. The bound makes a dip cheap; the penalty says how long a dip may be before it is a level.
 *
 * Method: optimal partitioning with Tukey's biweight loss (Fearnhead & Rigaill 2019, DOI 10.1080/01621459.2017.1385466),
 * solved by dynamic programming over a grid of candidate levels (a Potts model) instead of functional pruning: O(samples ×
 * levels), and a missing sample is just a missing term. Assumption that may fail: levels are flat while they last.
 */
import type { Noise, Segment } from './series';
import { clamp, median, trimmedMeanOfRange } from './statistics';

/** Residuals beyond this many standard deviations all cost the same. */
export const LOSS_BOUND = 3;
const MOST_LEVELS = 240;

/** The shortest stay that counts as a level, from the length of the recording: 1.6 % of it, within 3 and 28 samples. */
export function shortestLevelSamples(sampleCount: number): number {
  return clamp(sampleCount / 64, 3, 28);
}

/** Segments of the series at a resolution: differences of level below about three times it are not looked for. */
export function segmentLevels(
  logRates: Float64Array,
  rates: Float64Array,
  noise: Noise,
  resolution: number,
): Segment[] {
  const scales = noise.deviations.map((deviation) => Math.max(deviation, resolution));
  const penalty = changePenalty(noise, scales);
  const boundaries = bestBoundaries(logRates, candidateLevels(logRates, median(scales)), scales, penalty);
  const segments = boundaries.slice(0, -1).map((from, index) => segmentOf(rates, from, boundaries[index + 1]!));
  return alignBoundaries(segments, rates);
}

function segmentOf(rates: Float64Array, from: number, to: number): Segment {
  return { from, to, bitsPerSecond: trimmedMeanOfRange(rates, from, to) };
}

/**
 * Samples on the way from one level to the next cost the same on either side, so the programme puts them anywhere: they
 * belong to the level they are nearer to.
 */
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
 * What a change of level costs. The first term is what noise alone would win by chance (it grows with its correlation);
 * the second makes an excursion shorter than the shortest level cheaper as outliers than as two changes.
 */
function changePenalty(noise: Noise, scales: Float64Array): number {
  const { length } = scales;
  let share = 0;
  for (let i = 0; i < length; i += 1) share += (noise.deviations[i]! / scales[i]!) ** 2 / length;
  const inflation = Math.max(1, noise.longRunFactor * share);
  return Math.max(4 * Math.log(length) * inflation, (shortestLevelSamples(length) * LOSS_BOUND ** 2) / 2);
}

/** Grid of half a scale, only where samples lie: a level nobody is near can't be anybody's level. */
function candidateLevels(values: Float64Array, scale: number): Float64Array {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  for (let spacing = scale / 2; ; spacing *= 2) {
    const count = Math.floor((high - low) / spacing) + 1;
    const histogram = new Uint32Array(count);
    for (const value of values) histogram[Math.min(count - 1, Math.floor((value - low) / spacing))]! += 1;
    const occupied: number[] = [];
    for (let bin = 0; bin < count; bin += 1) if (histogram[bin]! > 0) occupied.push(bin);
    if (occupied.length <= MOST_LEVELS) return Float64Array.from(occupied, (bin) => low + (bin + 0.5) * spacing);
  }
}

/** First samples of the segments, with the number of samples at the end. */
function bestBoundaries(values: Float64Array, levels: Float64Array, scales: Float64Array, penalty: number): number[] {
  const sampleCount = values.length;
  const levelCount = levels.length;
  const bound = LOSS_BOUND * LOSS_BOUND;
  const costs = new Float64Array(levelCount);
  const hasSwitched = new Uint8Array(sampleCount * levelCount);
  const bestLevelBefore = new Uint8Array(sampleCount);
  let best = 0;
  let bestLevel = 0;
  for (let sample = 0; sample < sampleCount; sample += 1) {
    const value = values[sample]!;
    const precision = 1 / scales[sample]!;
    const costOfSwitch = sample > 0 ? best + penalty : Infinity;
    const row = sample * levelCount;
    bestLevelBefore[sample] = bestLevel;
    let lowest = Infinity;
    let lowestLevel = 0;
    for (let level = 0; level < levelCount; level += 1) {
      let cost = costs[level]!;
      if (costOfSwitch < cost) {
        cost = costOfSwitch;
        hasSwitched[row + level] = 1;
      }
      const residual = (value - levels[level]!) * precision;
      const loss = residual * residual;
      cost += loss < bound ? loss : bound;
      costs[level] = cost;
      if (cost < lowest) {
        lowest = cost;
        lowestLevel = level;
      }
    }
    best = lowest;
    bestLevel = lowestLevel;
  }
  const boundaries = [sampleCount];
  let level = bestLevel;
  for (let sample = sampleCount - 1; sample > 0; sample -= 1) {
    if (hasSwitched[sample * levelCount + level] === 1) {
      boundaries.push(sample);
      level = bestLevelBefore[sample]!;
    }
  }
  boundaries.push(0);
  return boundaries.reverse();
}

/**
 * Joins neighbours that differ by less than `smallestStep` (logarithm) or are shorter than `shortestSamples`: the statistics
 * found them, but nobody would call them two levels.
 */
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
