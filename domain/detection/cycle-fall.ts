/**
 * The fall of a load with pauses, from the law of its cycles: once the credits are spent, a run can burst only on what
 * the pause before it has earned. From then on every run ends at the lower level, and no run did so before. Assumption
 * that may fail: nothing else slows the ends of all later runs.
 */
import { elementAt, numberAt } from '../maths/elements';
import { ascending } from '../maths/quantiles';
import { median, sum } from '../maths/statistics';
import type { CleanSeries } from '../series/rate-series';
import { LOWEST_END_RATIO, SMALLEST_DEVIATION } from './fall-evidence';
import type { Noise, Segment } from './series-shape';
import { DEEPEST_THROTTLED_RATIO, type Fall } from './throttle-shape';

const FEWEST_IN_GROUP = 2;
/** The depth in standard deviations of one sample, times the root of the number of independent low samples. */
const SMALLEST_EVIDENCE = 20;
/** Low samples at the ends of all runs from the fall on: a dip has fewer. */
const FEWEST_LOW_SAMPLES = 5;
/** The share of the samples that may be on the other side of the middle, as dips and spikes are. */
const MOST_OUTLIERS = 0.1;

interface Run {
  readonly from: number;
  readonly to: number;
}

interface CycleFall {
  readonly fall: Fall;
  /** Two: everything before the fall, and everything after it. */
  readonly segments: readonly Segment[];
  /** The sample after the last one of the run that falls. */
  readonly runEnd: number;
}

/** @param onSeconds length of a run; the series' axis is the time under load */
export function findCycleFall(
  { startSeconds, bitsPerSecond: rates }: CleanSeries,
  noise: Noise,
  onSeconds: number,
): CycleFall | null {
  const levels = twoLevels(rates);
  const runs = runsOf(startSeconds, onSeconds);
  if (!levels || runs.length < 2) return null;
  const lowEnds = runs.map((run) => lowEndOf(rates, run, levels.middle));
  const first = lowEnds.findIndex((low) => low.from < low.to);
  if (first < 0) return null;
  const since = lowEnds.slice(first);
  const boundary = elementAt(since, 0).from;
  const early = rates.subarray(0, boundary);
  if (since.some((low) => low.from === low.to) || early.length === 0) return null;
  if (countBelow(levels.middle, early) > MOST_OUTLIERS * early.length) return null;
  const lowCount = sum(since.map((low) => low.to - low.from));
  const depth = Math.log(levels.burstBitsPerSecond / levels.baselineBitsPerSecond);
  const deviation = Math.max(SMALLEST_DEVIATION, noise.standardDeviation);
  const evidence = (depth / deviation) * Math.sqrt(lowCount / noise.longRunFactor);
  if (lowCount < FEWEST_LOW_SAMPLES || evidence < SMALLEST_EVIDENCE) return null;
  const { burstBitsPerSecond, baselineBitsPerSecond } = levels;
  return {
    fall: { segment: 0, boundary, burstBitsPerSecond, baselineBitsPerSecond },
    segments: [
      { from: 0, to: boundary, bitsPerSecond: burstBitsPerSecond },
      { from: boundary, to: rates.length, bitsPerSecond: baselineBitsPerSecond },
    ],
    runEnd: elementAt(runs, first).to,
  };
}

/** The samples of each run. */
function runsOf(startSeconds: Float64Array, onSeconds: number): Run[] {
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
function twoLevels(rates: Float64Array) {
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
  if (split < FEWEST_IN_GROUP || split > sorted.length - FEWEST_IN_GROUP) return null;
  const baselineBitsPerSecond = median(sorted.subarray(0, split));
  const burstBitsPerSecond = median(sorted.subarray(split));
  const ratio = baselineBitsPerSecond / burstBitsPerSecond;
  if (ratio <= LOWEST_END_RATIO || ratio > DEEPEST_THROTTLED_RATIO) return null;
  return { burstBitsPerSecond, baselineBitsPerSecond, middle: Math.sqrt(burstBitsPerSecond * baselineBitsPerSecond) };
}

/** The low samples with which a run ends; none where it ends high. */
function lowEndOf(rates: Float64Array, { from, to }: Run, middle: number): Run {
  let start = to;
  let highCount = 0;
  for (let index = to - 1; index >= from && highCount <= MOST_OUTLIERS * (to - index); index -= 1) {
    if (numberAt(rates, index) < middle) start = index;
    else highCount += 1;
  }
  return { from: start, to };
}

function countBelow(level: number, rates: Float64Array): number {
  return rates.filter((rate) => rate < level).length;
}
