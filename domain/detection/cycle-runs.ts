/**
 * The runs of a load with pauses: their two levels, the low samples with which a run ends, and whether the credits that
 * each run spends fit a token bucket. A run that begins with empty credits can burst only on what the pause before it
 * earned, and every pause earns the same.
 */
import { elementAt, numberAt } from '../maths/elements';
import {
  ascending,
  clamp,
  largest as largestOf,
  median,
  medianAbsoluteDeviation,
  NORMAL_CONSISTENCY,
  sum,
} from '../maths/statistics';
import type { DutyCycle } from '../model/settings';
import type { CleanSeries } from '../series/rate-series';
import { DEEPEST_THROTTLED_RATIO, estimateNoise, SMALLEST_DEVIATION, type Noise } from './observe';

/** The low end of a run may contain this share of high samples. */
const MOST_SPIKES = 0.2;
/** The middle is at least this share of the distance away from either level, so that no dip is below it. */
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
  /** The rate that divides high samples from low ones, nearer to the level that scatters less. */
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

/** The medians of the two groups that Otsu's method (1979, DOI 10.1109/TSMC.1979.4310076) finds; null if too close. */
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
  const baselineBitsPerSecond = median(sorted.subarray(0, split));
  const burstBitsPerSecond = median(sorted.subarray(split));
  const ratio = baselineBitsPerSecond / burstBitsPerSecond;
  if (!(ratio <= DEEPEST_THROTTLED_RATIO)) return null;
  const burstDeviation = deviationOf(sorted.subarray(split), burstBitsPerSecond);
  const baselineDeviation = deviationOf(sorted.subarray(0, split), baselineBitsPerSecond);
  const share = clamp(burstDeviation / (burstDeviation + baselineDeviation), LEAST_SHARE, 1 - LEAST_SHARE);
  const middle = burstBitsPerSecond * ratio ** share;
  return { burstBitsPerSecond, baselineBitsPerSecond, burstDeviation, baselineDeviation, middle };
}

function deviationOf(rates: Float64Array, level: number): number {
  return Math.max(SMALLEST_DEVIATION, (NORMAL_CONSISTENCY * medianAbsoluteDeviation(rates, level)) / level);
}

/** The low samples with which a run ends, with a few high ones among them; empty if it ends high. */
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

/** The noise of both levels, without the drops and rises between them. */
export function noiseWithinLevels({ bitsPerSecond, logRates }: CleanSeries, levels: CycleLevels): Noise {
  const [burst, baseline] = [Math.log(levels.burstBitsPerSecond), Math.log(levels.baselineBitsPerSecond)];
  return estimateNoise(
    logRates.map((rate, index) => rate - (numberAt(bitsPerSecond, index) < levels.middle ? baseline : burst)),
  );
}

/** On real EC2 instances, credits were refilled at 1.01 to 1.64 times the measured baseline; others may differ. */
const REFILL_FACTORS = { least: 0.5, most: 2.5 } as const;
/** Two runs that spend the same number of credits may differ by this much. */
const ALIKE_SHARE = 0.25;
const ALIKE_SECONDS = 1.5;
/** The smallest standard deviation that is assumed between runs that spend the same. */
const SMALLEST_DEVIATION_SECONDS = 0.02;
/** From this many runs on, their own scatter is used. */
const FEWEST_FOR_SCATTER = 4;
/** In the last second of a run, a rate lower by this many standard deviations shows that the credits ran out in it. */
const CLEAR_DEVIATIONS = 4;
/** This close to `CLEAR_DEVIATIONS`, both answers are possible. */
const UNCLEAR_DEVIATIONS = 2;
/** A difference of more standard deviations than this is not scatter. */
const DIFFERENT_DEVIATIONS = 3;
/** A difference in cost (−2 ln of the likelihood) that makes one answer twenty times as likely as the other. */
const DECISIVE_COST = 6;

/** Credits in seconds of burst: the volume above the baseline, divided by what the burst spends per second. */
export interface CycleCredits {
  /** The credits that each run spends. */
  readonly spentSeconds: readonly number[];
  /** The credits that a pause earns at the measured baseline. */
  readonly earnedSeconds: number;
  /** The standard deviations of what a run spends, from the noise, and of the burst part of a single second. */
  readonly runDeviationSeconds: number;
  readonly sampleDeviationSeconds: number;
}

export function creditsOf(
  { bitsPerSecond: rates, binSeconds }: CleanSeries,
  noise: Noise,
  runs: readonly Run[],
  levels: CycleLevels,
  { offSeconds }: DutyCycle,
): CycleCredits {
  const { burstBitsPerSecond: burst, baselineBitsPerSecond: baseline } = levels;
  const spentSeconds = runs.map(({ from, to }) => {
    let seconds = 0;
    for (let index = from; index < to; index += 1) seconds += (numberAt(rates, index) - baseline) / (burst - baseline);
    return seconds * binSeconds;
  });
  const independentSamples = largestOf(runs.map(lengthOf)) * noise.longRunFactor;
  const sampleDeviationSeconds = (binSeconds * levels.burstDeviation * burst) / (burst - baseline);
  const lowDeviationSeconds = (binSeconds * levels.baselineDeviation * baseline) / (burst - baseline);
  return {
    spentSeconds,
    earnedSeconds: (baseline * offSeconds) / (burst - baseline),
    runDeviationSeconds:
      SMALLEST_DEVIATION_SECONDS +
      Math.SQRT2 * Math.hypot(sampleDeviationSeconds, lowDeviationSeconds * Math.sqrt(independentSamples)),
    sampleDeviationSeconds,
  };
}

/** Whether the runs after the one in which the credits ran out spend what a pause earns. */
export function isFromBucket(
  { spentSeconds, earnedSeconds, runDeviationSeconds }: CycleCredits,
  first: number,
): boolean {
  const later = spentSeconds.slice(first + 1);
  if (later.length === 0) return true;
  const typical = median(later);
  const slack = (seconds: number) =>
    ALIKE_SECONDS + Math.max(ALIKE_SHARE * seconds, DIFFERENT_DEVIATIONS * runDeviationSeconds);
  // A bucket that holds less than a pause earns is full before each run, so each run spends as much as the first.
  const least = Math.min(REFILL_FACTORS.least * earnedSeconds, elementAt(spentSeconds, first));
  return typical >= least - slack(least) && typical <= REFILL_FACTORS.most * earnedSeconds + slack(earnedSeconds);
}

/** Whether a run spends so much more than the pause before it earned that credits were left from the run before it. */
export function hadCreditsLeft(credits: CycleCredits, run: number): boolean {
  return deviationsLeft(credits, run) > DIFFERENT_DEVIATIONS;
}

/**
 * The credits left at the end of the run before this one, in standard deviations. Without a later run, which would show
 * what a pause earns, the largest refill factor is assumed.
 */
function deviationsLeft({ spentSeconds, earnedSeconds, runDeviationSeconds }: CycleCredits, run: number): number {
  const spent = elementAt(spentSeconds, run);
  const later = spentSeconds.slice(run + 1);
  if (later.length === 0) return Math.max(0, spent - REFILL_FACTORS.most * earnedSeconds) / runDeviationSeconds;
  const typical = median(later);
  const scatter = SMALLEST_DEVIATION_SECONDS + NORMAL_CONSISTENCY * medianAbsoluteDeviation(later, typical);
  const isKnown = later.length >= FEWEST_FOR_SCATTER;
  const deviation = isKnown ? Math.min(runDeviationSeconds, 2 * scatter) : runDeviationSeconds;
  return Math.max(0, spent - typical) / deviation;
}

/** In which of two neighbouring runs the credits ran out: in the last second of the first, or in the second. */
export interface LastSecond {
  readonly isInFirst: boolean;
  /** Whether the samples leave open in which of the two runs the credits ran out. */
  readonly isOpen: boolean;
  /** How long before the end of the first run the credits ran out at the earliest. */
  readonly longestSeconds: number;
}

/**
 * Whether the credits ran out in the last second of the run before `run`, the first run that ends low. If so, that
 * second carried less than the burst, and `run` spent no more than the later runs.
 */
export function lastSecondBefore(
  { bitsPerSecond: rates, binSeconds }: CleanSeries,
  runs: readonly Run[],
  run: number,
  { burstBitsPerSecond: burst, baselineBitsPerSecond: baseline }: CycleLevels,
  credits: CycleCredits,
): LastSecond {
  const lastOf = (index: number) => numberAt(rates, elementAt(runs, index).to - 1);
  const missing = Math.max(0, ((burst - lastOf(run - 1)) / (burst - baseline)) * binSeconds);
  const missingDeviations = missing / credits.sampleDeviationSeconds;
  const longestSeconds = Math.min(binSeconds, missing + 2 * credits.sampleDeviationSeconds);
  const left = deviationsLeft(credits, run);
  if (run + 1 === runs.length) {
    const isOpen = Math.abs(missingDeviations - CLEAR_DEVIATIONS) < UNCLEAR_DEVIATIONS;
    return { isInFirst: missingDeviations > CLEAR_DEVIATIONS, isOpen, longestSeconds };
  }
  const isInFirst = missingDeviations > Math.max(1, left);
  const isOpen = Math.abs(missingDeviations ** 2 - left ** 2) < DECISIVE_COST;
  return { isInFirst, isOpen, longestSeconds };
}
