/**
 * Where exactly the rate fell: profile likelihood over the time of the fall, with its 95 % interval.
 *
 * A sample that spans the fall is a mixture of both levels, in proportion to the time spent at each; that proportion is what
 * places the onset within a second. After the fall the rate may settle (from above) or recover from an undershoot (from below)
 * exponentially. Losses are bounded, so that dips around the fall don't drag it. A gap at the fall leaves the likelihood flat
 * there, and the interval covers the gap by itself.
 * Assumption that may fail: the fall itself takes no time.
 */
import type { Noise, RateInterval } from './series';
import { LOSS_BOUND } from './segmentation';
import { clamp, medianAbsoluteDeviation, quantileOfSorted, sortedCopy } from './statistics';

export interface Onset {
  readonly seconds: number;
  readonly lowSeconds: number;
  readonly highSeconds: number;
}

/** Samples on each side that take part: more would only add drift. */
const REACH_SAMPLES = 60;
/** How far from the segmentation's boundary the onset may lie, in samples. */
const SEARCH_SAMPLES = 20;
const STEP_SAMPLES = 0.02;
/** Half of the 95 % point of chi-square(1) times two: the drop of the likelihood that bounds the interval. */
const CHI_SQUARE_95 = 3.84;
const SETTLING_SAMPLES = [1.5, 3, 6, 10, 16] as const;
/** Timestamps and counters of the tools are no better than this. */
const SMALLEST_HALF_WIDTH_SECONDS = 0.08;
const UNSETTLED_HALF_WIDTH_SECONDS = 0.6;

export interface FallNeighbourhood {
  readonly intervals: readonly RateInterval[];
  /** Index into `intervals` of the first sample of the lower level, as the segmentation sees it. */
  readonly boundary: number;
  /** First and one past the last sample of the two segments. */
  readonly from: number;
  readonly to: number;
}

interface Side {
  readonly level: number;
  readonly deviation: number;
}

export function locateOnset(fall: FallNeighbourhood, noise: Noise): Onset {
  const { intervals, boundary } = fall;
  const from = Math.max(fall.from, boundary - REACH_SAMPLES);
  const to = Math.min(fall.to, boundary + REACH_SAMPLES);
  const burst = sideOf(intervals, from, Math.max(from + 1, boundary - 1), noise);
  // The first samples after the fall may still settle; the level is that of the rest.
  const settled = Math.min(boundary + Math.min(10, Math.floor((to - boundary) / 3)), to - 1);
  const baseline = sideOf(intervals, settled, to, noise);
  const window = intervals.slice(from, to);
  const center = boundary - from;
  const length = window[Math.min(center, window.length - 1)]!.lengthSeconds;

  const first = window[Math.max(0, center - SEARCH_SAMPLES)]!.startSeconds;
  const lastInterval = window[Math.min(window.length - 1, center + SEARCH_SAMPLES)]!;
  const last = lastInterval.startSeconds + lastInterval.lengthSeconds;
  const step = STEP_SAMPLES * length;
  const count = Math.max(1, Math.round((last - first) / step)) + 1;

  const profile = profileOf(window, burst, baseline, first, step, count, null);
  let best = minimumOf(profile);
  let chosen = profile;
  const price = CHI_SQUARE_95 * noise.longRunFactor + 2;
  for (const candidate of settlingProfiles(window, burst, baseline, length)) {
    const coarse = profileOf(window, burst, baseline, first, step * 10, Math.ceil(count / 10), candidate);
    if (minimumOf(coarse).cost + price >= best.cost) continue;
    chosen = profileOf(window, burst, baseline, first, step, count, candidate);
    best = { ...minimumOf(chosen), cost: minimumOf(chosen).cost + price };
  }
  const bottom = minimumOf(chosen);
  return intervalAround(chosen, bottom, first, step, noise, chosen !== profile);
}

interface Settling {
  /** Excess over the baseline right after the fall; negative for an undershoot. */
  readonly amplitude: number;
  readonly timeConstantSeconds: number;
}

function settlingProfiles(window: readonly RateInterval[], burst: Side, baseline: Side, length: number): Settling[] {
  if (window.length < 8) return [];
  const drop = burst.level - baseline.level;
  const amplitudes = [drop, 0.5 * drop, -0.5 * baseline.level];
  return amplitudes.flatMap((amplitude) =>
    SETTLING_SAMPLES.map((samples) => ({ amplitude, timeConstantSeconds: samples * length })),
  );
}

function sideOf(intervals: readonly RateInterval[], from: number, to: number, noise: Noise): Side {
  const values = intervals.slice(from, to).map((interval) => interval.bitsPerSecond);
  const center = quantileOfSorted(sortedCopy(values), 0.5);
  const spread = medianAbsoluteDeviation(values, center);
  const inner = values.filter((value) => Math.abs(value - center) <= 2.5 * spread);
  const level = inner.length > 0 ? inner.reduce((sum, value) => sum + value, 0) / inner.length : center;
  // A few samples say little about their own spread: the series' noise stands beside them.
  const weight = Math.min(1, values.length / 20);
  const own = level > 0 ? spread / level : 0;
  const relative = Math.max(
    0.004,
    weight * own + (1 - weight) * Math.max(own, Math.max(noise.standardDeviation, 0.006)),
  );
  return { level, deviation: relative * Math.max(level, Number.MIN_VALUE) };
}

/** Cost of every candidate time. */
function profileOf(
  window: readonly RateInterval[],
  burst: Side,
  baseline: Side,
  first: number,
  step: number,
  count: number,
  settling: Settling | null,
): Float64Array {
  const costs = new Float64Array(count);
  if (settling === null) {
    // Without settling, only the sample that spans the fall depends on where in it the fall is.
    const before = new Float64Array(window.length + 1);
    const after = new Float64Array(window.length + 1);
    for (let i = 0; i < window.length; i += 1) {
      before[i + 1] = before[i]! + boundedLoss(window[i]!.bitsPerSecond - burst.level, burst.deviation);
    }
    for (let i = window.length - 1; i >= 0; i -= 1) {
      after[i] = after[i + 1]! + boundedLoss(window[i]!.bitsPerSecond - baseline.level, baseline.deviation);
    }
    let spanning = 0;
    for (let k = 0; k < count; k += 1) {
      const fall = first + k * step;
      while (spanning < window.length && endOf(window[spanning]!) <= fall) spanning += 1;
      const interval = window[spanning];
      if (!interval) costs[k] = before[window.length]!;
      else if (interval.startSeconds >= fall) costs[k] = before[spanning]! + after[spanning]!;
      else costs[k] = before[spanning]! + mixedLoss(interval, fall, burst, baseline, null) + after[spanning + 1]!;
    }
    return costs;
  }
  for (let k = 0; k < count; k += 1) {
    let cost = 0;
    for (const interval of window) cost += mixedLoss(interval, first + k * step, burst, baseline, settling);
    costs[k] = cost;
  }
  return costs;
}

function endOf(interval: RateInterval): number {
  return interval.startSeconds + interval.lengthSeconds;
}

function mixedLoss(
  interval: RateInterval,
  fall: number,
  burst: Side,
  baseline: Side,
  settling: Settling | null,
): number {
  const share = clamp((fall - interval.startSeconds) / interval.lengthSeconds, 0, 1);
  let expected = share * burst.level + (1 - share) * baseline.level;
  if (settling && share < 1) {
    const { amplitude, timeConstantSeconds } = settling;
    const since = Math.max(0, interval.startSeconds - fall);
    const until = Math.max(0, endOf(interval) - fall);
    const integral = Math.exp(-since / timeConstantSeconds) - Math.exp(-until / timeConstantSeconds);
    expected += (amplitude * timeConstantSeconds * integral) / interval.lengthSeconds;
  }
  // A mixed sample carries the timing error of the tool as well.
  const isMixed = share > 0 && share < 1;
  const timing = isMixed ? 0.01 * (burst.level - baseline.level) : 0;
  const deviation = Math.hypot(share * burst.deviation + (1 - share) * baseline.deviation, timing);
  return boundedLoss(interval.bitsPerSecond - expected, deviation);
}

function boundedLoss(residual: number, deviation: number): number {
  const scaled = (residual / deviation) ** 2;
  return scaled < LOSS_BOUND ** 2 ? scaled : LOSS_BOUND ** 2;
}

function minimumOf(costs: Float64Array): { index: number; cost: number } {
  let index = 0;
  for (let i = 1; i < costs.length; i += 1) if (costs[i]! < costs[index]!) index = i;
  // In a gap many times are equally likely: take the middle.
  let end = index;
  while (end + 1 < costs.length && costs[end + 1]! - costs[index]! < 1e-9) end += 1;
  return { index: (index + end) / 2, cost: costs[index]! };
}

function intervalAround(
  costs: Float64Array,
  bottom: { index: number; cost: number },
  first: number,
  step: number,
  noise: Noise,
  isUnsettled: boolean,
): Onset {
  const limit = bottom.cost + CHI_SQUARE_95 * noise.longRunFactor + 1;
  let low = Math.floor(bottom.index);
  let high = Math.ceil(bottom.index);
  costs.forEach((cost, index) => {
    if (cost > limit) return;
    low = Math.min(low, index);
    high = Math.max(high, index);
  });
  const seconds = first + bottom.index * step;
  const floor = isUnsettled ? UNSETTLED_HALF_WIDTH_SECONDS : SMALLEST_HALF_WIDTH_SECONDS;
  return {
    seconds,
    lowSeconds: Math.min(first + low * step, seconds - floor),
    highSeconds: Math.max(first + high * step, seconds + floor),
  };
}
