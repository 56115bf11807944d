/**
 * Locates a drop in time by profile likelihood, with a 95 % interval. In a gap the likelihood is flat, so the interval
 * covers the gap. Assumption that may fail: the drop itself takes no time.
 *
 * The samples beside the drop add uncertainty. The sample that contains it is a mixture of the rates just before and
 * just after it, which need not be the two levels: a rate often undershoots for some seconds after the drop, and a dip
 * can end in the drop.
 */
import { elementAt, numberAt } from '../maths/elements';
import { clamp, largest, mean, median, medianAbsoluteDeviation, smallest } from '../maths/statistics';
import type { Interval } from '../maths/interval';
import { endOf, type RateInterval } from '../series/rate-series';
import { estimateNoise, LOSS_BOUND, type Drop, type Observed, type Noise } from './observe';
import { DropLikelihood, type Settling, type Side } from './onset-likelihood';

/** Samples that are used on each side of the drop; more would only add drift. */
export const ONSET_REACH_SAMPLES = 60;
/** How far from the segmentation's boundary the onset may lie, in samples. */
const SEARCH_SAMPLES = 30;
const FINE_STEP_SAMPLES = 0.02;
/** The 95 % point of chi-square(1): the rise of the cost that bounds the interval. */
const CHI_SQUARE_95 = 3.84;
/** The time constants to begin with, in samples, the usual ones first, and the factors that refine the best one. */
const SETTLING_SAMPLES = [4, 2, 8, 1, 14, 0.5] as const;
const SETTLING_REFINEMENTS = [1.4, 1.18, 1.09] as const;
/** A drop of this many standard deviations shows in a single sample. */
const CLEAR_DEVIATIONS = 20;
const STEPS_PER_TIME_CONSTANT = 40;
/** With fewer fine samples than this on either side, the bins locate the drop as well. */
const FEWEST_FINE = 10;
/** The timestamps and counters of the tools are not more precise than this. */
const SMALLEST_HALF_WIDTH_SECONDS = 0.08;
const SMALLEST_DEVIATION = 0.004;
/** A dip beside the drop has at most this many samples on either side of the located onset. */
const LONGEST_DIP_SAMPLES = 12;
/** A sample that is further than this from a level, as a share of the drop, is not at that level. */
const SMALLEST_OFF_SHARE = 0.02;
/** From one sample to the next, a settling rate loses a smaller share of its excess over the baseline than a drop. */
const FALLEN_SHARE = 0.7;

/** Locates the drop from the level that begins at sample `from` to the level that ends before sample `to`. */
export function locateOnset(
  { clean, noise, segments }: Observed,
  { segment, boundary }: Drop,
  to: number,
  from = elementAt(segments, segment).from,
): Interval {
  const { startSeconds, bitsPerSecond, binSeconds, endSeconds } = clean;
  const first = Math.max(from, boundary - ONSET_REACH_SAMPLES);
  const last = Math.min(to, boundary + ONSET_REACH_SAMPLES);
  const intervals = Array.from(startSeconds.subarray(first, last), (start, index) => ({
    startSeconds: start,
    lengthSeconds: binSeconds,
    bitsPerSecond: numberAt(bitsPerSecond, first + index),
  }));
  const binned = locateWithin(intervals, boundary - first, noise);
  if (!clean.native) return binned;
  const lowerEndSeconds = to < startSeconds.length ? numberAt(startSeconds, to) : endSeconds;
  return refineOnset(binned, clean.native, numberAt(startSeconds, from), lowerEndSeconds);
}

/** @param boundary index of the first sample of the lower level, as the segmentation sees it */
export function locateWithin(intervals: readonly RateInterval[], boundary: number, noise: Noise): Interval {
  const from = Math.max(0, boundary - ONSET_REACH_SAMPLES);
  const to = Math.min(intervals.length, boundary + ONSET_REACH_SAMPLES);
  const burst = sideOf(intervals, from, Math.max(from + 1, boundary - 1), noise);
  // The first samples after the drop may still settle; the level is that of the rest.
  const settled = Math.min(boundary + Math.min(10, Math.floor((to - boundary) / 3)), to - 1);
  const baseline = sideOf(intervals, settled, to, noise);
  const window = intervals.slice(from, to);
  const center = boundary - from;
  const length = elementAt(window, Math.min(center, window.length - 1)).lengthSeconds;
  const first = elementAt(window, Math.max(0, center - SEARCH_SAMPLES)).startSeconds;
  const last = endOf(elementAt(window, Math.min(window.length - 1, center + SEARCH_SAMPLES)));
  const countAt = (step: number) => Math.max(1, Math.round((last - first) / step)) + 1;

  // Where the drop dwarfs the scatter, a single second locates it, so the correlation between seconds does not matter.
  const drop = burst.level - baseline.level;
  const isClear = drop > CLEAR_DEVIATIONS * Math.max(burst.deviation, baseline.deviation);
  const correlation = isClear ? 1 : noise.longRunFactor;
  const likelihood = new DropLikelihood(window, burst, baseline);
  const fine = FINE_STEP_SAMPLES * length;
  const step = likelihood.profile(first, fine, countAt(fine), null);
  const lowest = minimumOf(step);
  const sudden = { at: first + lowest.index * fine, cost: lowest.cost };
  const settling = likelihood.looksUnsettled(sudden.at) ? bestSettling(likelihood, sudden, drop, length, noise) : null;
  if (!settling) {
    const located = intervalOf(step, first, fine, correlation, SMALLEST_HALF_WIDTH_SECONDS);
    return withNeighbours(located, window, burst, baseline, SMALLEST_HALF_WIDTH_SECONDS);
  }
  const pace = Math.max(fine, settling.timeConstantSeconds / STEPS_PER_TIME_CONSTANT);
  const profile = likelihood.profile(first, pace, countAt(pace), settling);
  // The shape of the settling is only a model, so the interval must span a good part of the settling.
  const halfWidth = Math.max(0.6, 0.3 + 0.4 * settling.timeConstantSeconds);
  const located = intervalOf(profile, first, pace, correlation, halfWidth);
  return withLaterDrop(located, window, baseline, SMALLEST_HALF_WIDTH_SECONDS);
}

/** Locates the onset again in samples finer than the bins; fine samples that scatter too much do not improve it. */
export function refineOnset(coarse: Interval, native: readonly RateInterval[], from: number, to: number): Interval {
  const length = native[0]?.lengthSeconds ?? 0;
  const reachSeconds = Math.max(ONSET_REACH_SAMPLES * length, coarse.high - coarse.low);
  const near = native.filter(
    ({ startSeconds }) =>
      startSeconds >= Math.max(from, coarse.value - reachSeconds) &&
      startSeconds < Math.min(to, coarse.value + reachSeconds),
  );
  const boundary = near.findIndex(({ startSeconds }) => startSeconds >= coarse.value);
  if (boundary < FEWEST_FINE || near.length - boundary < FEWEST_FINE) return coarse;
  const noise = estimateNoise(
    Float64Array.from(near, ({ bitsPerSecond }) => Math.log(Math.max(bitsPerSecond, Number.MIN_VALUE))),
  );
  const fine = locateWithin(near, boundary, noise);
  return fine.high - fine.low < coarse.high - coarse.low ? fine : coarse;
}

/** The time of a sudden drop, and its cost. */
type SuddenDrop = Readonly<Record<'at' | 'cost', number>>;

/**
 * The settling that explains the samples between the levels well enough to justify its parameters; null if none does.
 * Without settling, such samples pass for late outliers of the burst, so the true drop is earlier than the sudden one.
 */
function bestSettling(
  likelihood: DropLikelihood,
  sudden: SuddenDrop,
  drop: number,
  length: number,
  noise: Noise,
): Settling | null {
  const price = CHI_SQUARE_95 * noise.longRunFactor + 2;
  const full = fittedSettling(likelihood, sudden, drop, length, sudden.cost - price);
  const free = fittedSettling(likelihood, sudden, null, length, sudden.cost - 2 * price);
  if (!full || !free) return full ?? free;
  return free.cost + price < full.cost ? free : full;
}

interface FittedSettling extends Settling {
  readonly cost: number;
}

/** The time constant that explains the samples best with this amplitude; null if none costs less than `limit`. */
function fittedSettling(
  likelihood: DropLikelihood,
  sudden: SuddenDrop,
  amplitude: number | null,
  length: number,
  limit: number,
): FittedSettling | null {
  let best: FittedSettling | null = null;
  const consider = (samples: number) => {
    const candidate = { amplitude, timeConstantSeconds: samples * length };
    // Slow settling needs a wider search, and allows a coarser one.
    const before = Math.max(6, 4 * samples) * length;
    const step = clamp(samples / 4, 0.2, 1) * length;
    const count = Math.ceil((before + 2 * length) / step);
    const lowest = best?.cost ?? limit;
    const { cost } = minimumOf(likelihood.profile(sudden.at - before, step, count, candidate, lowest));
    if (cost < lowest) best = { ...candidate, cost };
  };
  SETTLING_SAMPLES.forEach(consider);
  for (const factor of SETTLING_REFINEMENTS) {
    const found = best as FittedSettling | null;
    if (!found) return null;
    const samples = found.timeConstantSeconds / length;
    consider(samples * factor);
    consider(samples / factor);
  }
  return best;
}

function sideOf(intervals: readonly RateInterval[], from: number, to: number, noise: Noise): Side {
  const values = intervals.slice(from, to).map((interval) => interval.bitsPerSecond);
  const center = median(values);
  const spread = medianAbsoluteDeviation(values, center);
  const inner = values.filter((value) => Math.abs(value - center) <= 2.5 * spread);
  const level = inner.length > 0 ? mean(inner) : center;
  // A few samples say little about their own spread, so the noise of the whole series counts as well.
  const weight = Math.min(1, values.length / 20);
  const own = level > 0 ? spread / level : 0;
  const relative = weight * own + (1 - weight) * Math.max(own, noise.standardDeviation);
  return { level, deviation: Math.max(SMALLEST_DEVIATION, relative) * Math.max(level, Number.MIN_VALUE) };
}

function minimumOf(costs: Float64Array): { index: number; cost: number } {
  let index = 0;
  for (let i = 1; i < costs.length; i += 1) if (numberAt(costs, i) < numberAt(costs, index)) index = i;
  // In a gap many times are equally likely, and the middle is taken.
  let end = index;
  while (end + 1 < costs.length && numberAt(costs, end + 1) - numberAt(costs, index) < 1e-9) end += 1;
  return { index: (index + end) / 2, cost: numberAt(costs, index) };
}

function intervalOf(
  costs: Float64Array,
  first: number,
  step: number,
  correlation: number,
  halfWidth: number,
): Interval {
  const bottom = minimumOf(costs);
  const limit = bottom.cost + CHI_SQUARE_95 * correlation + 1;
  let low = 0;
  while (numberAt(costs, low) > limit) low += 1;
  let high = costs.length - 1;
  while (numberAt(costs, high) > limit) high -= 1;
  const seconds = first + bottom.index * step;
  return {
    value: seconds,
    low: Math.min(first + low * step, seconds - halfWidth),
    high: Math.max(first + high * step, seconds + halfWidth),
  };
}

/**
 * Rates that settle after a drop look like a dip before it, but they approach the baseline gradually, while a dip ends
 * in a second drop to it. If there is a second drop, either may be the true one, and the interval covers both.
 *
 * @param located the time of a drop after which the rate settles
 */
function withLaterDrop(
  located: Interval,
  window: readonly RateInterval[],
  baseline: Side,
  halfWidthSeconds: number,
): Interval {
  const clear = 2 * LOSS_BOUND * baseline.deviation;
  const excess = (index: number) => (window[index]?.bitsPerSecond ?? NaN) - baseline.level;
  let last = window.findIndex((sample) => endOf(sample) > located.value + 1e-6) + 1;
  while (excess(last + 1) > clear) last += 1;
  const sample = window[last];
  const hasFallen = excess(last) > clear && excess(last) - excess(last + 1) > FALLEN_SHARE * excess(last);
  return sample && hasFallen ? { ...located, high: Math.max(located.high, endOf(sample) + halfWidthSeconds) } : located;
}

/**
 * Widens the interval of a sudden drop if the samples beside it show an undershoot or a dip that ends in the drop.
 *
 * @param halfWidthSeconds of the interval around any single time
 */
function withNeighbours(
  located: Interval,
  window: readonly RateInterval[],
  burst: Side,
  baseline: Side,
  halfWidthSeconds: number,
): Interval {
  const drop = burst.level - baseline.level;
  const tolerance = ({ deviation }: Side) => Math.max(LOSS_BOUND * deviation, SMALLEST_OFF_SHARE * drop);
  const isUndershoot = (sample: RateInterval | undefined) =>
    sample !== undefined && sample.bitsPerSecond < baseline.level - tolerance(baseline);
  const isBetween = (sample: RateInterval | undefined) =>
    sample !== undefined &&
    sample.bitsPerSecond < burst.level - tolerance(burst) &&
    sample.bitsPerSecond > baseline.level + tolerance(baseline);

  const at = window.findIndex((sample) => endOf(sample) > located.value + 1e-6);
  const [sample, next] = [window[at], window[at + 1]];
  if (!sample) return located;
  let { value } = located;
  const times = [located.low, located.high];
  if (next && isUndershoot(next)) {
    const secondsAt = (lower: number) => {
      const share = (sample.bitsPerSecond - lower) / (burst.level - lower);
      return sample.startSeconds + sample.lengthSeconds * clamp(share, 0, 1);
    };
    value = secondsAt(next.bitsPerSecond);
    // The only sample of an undershoot is itself a mixture, so the rate right after the drop may have been lower.
    const latest = isUndershoot(window[at + 2]) ? value : secondsAt(0);
    times.push(value - halfWidthSeconds, latest + halfWidthSeconds);
  }
  let [first, last] = [at, at];
  while (at - first < LONGEST_DIP_SAMPLES && isBetween(window[first - 1])) first -= 1;
  while (last - at < LONGEST_DIP_SAMPLES && isBetween(window[last + 1])) last += 1;
  if (first < last) {
    const [from, to] = [elementAt(window, first), elementAt(window, last)];
    times.push(from.startSeconds - halfWidthSeconds, endOf(to) + halfWidthSeconds);
  }
  return { value, low: smallest(times), high: largest(times) };
}
