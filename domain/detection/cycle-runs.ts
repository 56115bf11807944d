/** The runs of a load with pauses, their two levels, and the low samples with which a run ends. */
import { numberAt } from '../maths/elements';
import { ascending } from '../maths/quantiles';
import { clamp, median, medianAbsoluteDeviation, NORMAL_CONSISTENCY, sum } from '../maths/statistics';
import type { CleanSeries } from '../series/rate-series';
import { LOWEST_END_RATIO } from './end-fall';
import { SMALLEST_DEVIATION } from './fall-evidence';
import { estimateNoise } from './noise';
import type { Noise } from './series-shape';
import { DEEPEST_THROTTLED_RATIO } from './throttle-shape';

/** The share of the samples that may be on the other side of the middle, as dips and spikes are. */
export const MOST_OUTLIERS = 0.1;

/** The share of the samples at the end of a run that may be high. */
const MOST_SPIKES = 0.2;
/** The middle is at least this far from either level, as a share of the way, so that no dip is below it. */
const LEAST_SHARE = 0.25;

/** Samples [from, to) of a run, or of a part of it. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

export interface CycleLevels {
  readonly burstBitsPerSecond: number;
  readonly baselineBitsPerSecond: number;
  /** Relative standard deviations of most samples of either level. */
  readonly burstDeviation: number;
  readonly baselineDeviation: number;
  /** Between the two, nearer to the one that scatters less. */
  readonly middle: number;
}

/** @returns the samples of each run; a run without samples is absent */
export function runsOf({ startSeconds }: CleanSeries, onSeconds: number): Run[] {
  const runs: Run[] = [];
  let from = 0;
  for (let index = 1; index <= startSeconds.length; index += 1) {
    const runOf = (sample: number) => Math.floor(numberAt(startSeconds, sample) / onSeconds);
    if (index < startSeconds.length && runOf(index) === runOf(from)) continue;
    runs.push({ from, to: index });
    from = index;
  }
  return runs;
}

/**
 * The medians of the two groups into which the logarithms of the rates fall apart best (Otsu 1979, DOI
 * 10.1109/TSMC.1979.4310076); null where they are too near to each other, or the lower one is no traffic.
 */
export function twoLevels(rates: Float64Array): CycleLevels | null {
  const sorted = ascending(rates);
  const logs = sorted.map((rate) => Math.log(Math.max(rate, Number.MIN_VALUE)));
  const total = sum(logs);
  let below = 0;
  let split = 0;
  let largest = 0;
  for (let index = 1; index < logs.length; index += 1) {
    below += numberAt(logs, index - 1);
    const others = logs.length - index;
    const between = index * others * ((total - below) / others - below / index) ** 2;
    if (between > largest) [largest, split] = [between, index];
  }
  if (split === 0) return null;
  const baselineBitsPerSecond = median(sorted.subarray(0, split));
  const burstBitsPerSecond = median(sorted.subarray(split));
  const ratio = baselineBitsPerSecond / burstBitsPerSecond;
  if (ratio <= LOWEST_END_RATIO || ratio > DEEPEST_THROTTLED_RATIO) return null;
  const burstDeviation = deviationOf(sorted.subarray(split), burstBitsPerSecond);
  const baselineDeviation = deviationOf(sorted.subarray(0, split), baselineBitsPerSecond);
  const share = clamp(burstDeviation / (burstDeviation + baselineDeviation), LEAST_SHARE, 1 - LEAST_SHARE);
  const middle = burstBitsPerSecond * ratio ** share;
  return { burstBitsPerSecond, baselineBitsPerSecond, burstDeviation, baselineDeviation, middle };
}

function deviationOf(rates: Float64Array, level: number): number {
  return Math.max(SMALLEST_DEVIATION, (NORMAL_CONSISTENCY * medianAbsoluteDeviation(rates, level)) / level);
}

/** The low samples with which a run ends; none where it ends high. A few of them may be high. */
export function lowEndOf(rates: Float64Array, { from, to }: Run, { middle }: CycleLevels): Run {
  let start = to;
  let score = 0;
  let best = 0;
  for (let index = to - 1; index >= from; index -= 1) {
    score += numberAt(rates, index) < middle ? MOST_SPIKES : MOST_SPIKES - 1;
    if (score > best) [best, start] = [score, index];
  }
  return { from: start, to };
}

export function lengthOf({ from, to }: Run): number {
  return to - from;
}

/** The noise of both levels, without the falls and rises between them. */
export function noiseWithinLevels({ bitsPerSecond, logRates }: CleanSeries, levels: CycleLevels): Noise {
  const [burst, baseline] = [Math.log(levels.burstBitsPerSecond), Math.log(levels.baselineBitsPerSecond)];
  return estimateNoise(
    logRates.map((rate, index) => rate - (numberAt(bitsPerSecond, index) < levels.middle ? baseline : burst)),
  );
}
