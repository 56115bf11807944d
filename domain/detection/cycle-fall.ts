/**
 * The fall of a load with pauses, from the law of its cycles: once the credits are spent, a run can burst only on what
 * the pause before it has earned. From then on every run ends at the lower level, and no run did so before. Assumption
 * that may fail: nothing else slows the ends of all later runs.
 */
import { elementAt, numberAt } from '../maths/elements';
import { median } from '../maths/statistics';
import type { CleanSeries } from '../series/rate-series';
import type { Noise } from './series-shape';
import { middleOf, type Fall } from './throttle-shape';

/** The lower level must be below this share of the higher one. */
const HIGHEST_RATIO = 0.88;
const LOWEST_RATIO = 0.005;
/** Of the depth over the deviation of one sample, times the root of the number of low samples. */
const SMALLEST_EVIDENCE = 20;
/** Low samples at the ends of all runs from the fall on: a dip has fewer. */
const FEWEST_LOW_SAMPLES = 5;
/** The share of a run's last samples that must be low, and of its samples that may be low before the fall. */
const MOST_DIPS = 0.1;

interface Run {
  readonly from: number;
  readonly to: number;
}

/** @param onSeconds length of a run; the series' axis is the time under load */
export function findCycleFall(clean: CleanSeries, noise: Noise, onSeconds: number): Omit<Fall, 'segment'> | null {
  const rates = clean.bitsPerSecond;
  const runs = runsOf(clean, onSeconds);
  if (runs.length < 2) return null;
  const split = bestSplit(rates);
  if (!split) return null;
  const { high, low } = split;
  const fall = { boundary: 0, burstBitsPerSecond: high, baselineBitsPerSecond: low };
  const middle = middleOf({ ...fall, segment: 0 });
  const starts = runs.map((run) => lowEnd(rates, run, middle));
  const first = starts.findIndex((start) => start !== null);
  if (first < 0) return null;
  if (starts.slice(first).some((start) => start === null)) return null;
  const lowSamples = starts
    .slice(first)
    .reduce((sum: number, start, index) => sum + elementAt(runs, first + index).to - (start ?? 0), 0);
  if (lowSamples < FEWEST_LOW_SAMPLES) return null;
  const boundary = elementAt(starts, first)!;
  const early = rates.subarray(0, boundary);
  if (early.length === 0 || early.filter((rate) => rate < middle).length > MOST_DIPS * early.length) return null;
  const lowCount = rates.filter((rate) => rate < middle).length;
  const deviation = Math.max(0.004, noise.standardDeviation);
  if ((Math.log(high / low) / deviation) * Math.sqrt(lowCount / noise.longRunFactor) < SMALLEST_EVIDENCE) return null;
  return { ...fall, boundary };
}

function runsOf({ startSeconds }: CleanSeries, onSeconds: number): Run[] {
  const runs: Run[] = [];
  let from = 0;
  for (let index = 1; index <= startSeconds.length; index += 1) {
    const isEnd =
      index === startSeconds.length ||
      Math.floor(numberAt(startSeconds, index) / onSeconds) !== Math.floor(numberAt(startSeconds, from) / onSeconds);
    if (!isEnd) continue;
    runs.push({ from, to: index });
    from = index;
  }
  return runs;
}

/** The two levels that leave the least scatter; null where they are too near to each other. */
function bestSplit(rates: Float64Array): { high: number; low: number } | null {
  const sorted = Float64Array.from(rates).sort();
  let largest = 0;
  let at = -1;
  // Otsu's criterion on the logarithm.
  const logs = sorted.map((rate) => Math.log(Math.max(rate, Number.MIN_VALUE)));
  const total = logs.reduce((sum, value) => sum + value, 0);
  let below = 0;
  for (let index = 1; index < logs.length; index += 1) {
    below += numberAt(logs, index - 1);
    const [left, right] = [below / index, (total - below) / (logs.length - index)];
    const between = index * (logs.length - index) * (right - left) ** 2;
    if (between > largest) [largest, at] = [between, index];
  }
  if (at < 2 || at > sorted.length - 2) return null;
  const [low, high] = [median(sorted.subarray(0, at)), median(sorted.subarray(at))];
  return low > LOWEST_RATIO * high && low <= HIGHEST_RATIO * high ? { high, low } : null;
}

/** The first of the low samples with which the run ends; null where it ends high. */
function lowEnd(rates: Float64Array, { from, to }: Run, middle: number): number | null {
  let start = to;
  let high = 0;
  for (let index = to - 1; index >= from; index -= 1) {
    if (numberAt(rates, index) < middle) start = index;
    else high += 1;
    if (high > MOST_DIPS * (to - index)) break;
  }
  return start < to ? start : null;
}
