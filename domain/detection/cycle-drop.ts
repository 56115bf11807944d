/**
 * Finds the drop of a load with pauses (a duty cycle). Once the credits are spent, a run can burst only on the credits
 * that the pause before it earned, so from then on every run ends at the lower level. Assumption that may fail: nothing
 * else slows the ends of all later runs.
 */
import { elementAt, numberAt } from '../maths/elements';
import { clamp, largest, median, medianOfRange, sum } from '../maths/statistics';
import { mapInterval, type Interval } from '../maths/interval';
import type { DutyCycle } from '../model/settings';
import type { CleanSeries, RateInterval } from '../series/rate-series';
import {
  creditsOf,
  hadCreditsLeft,
  isFromBucket,
  lastSecondBefore,
  lengthOf,
  lowEndOf,
  noiseWithinLevels,
  runsOf,
  twoLevels,
  type CycleCredits,
  type CycleLevels,
  type Run,
} from './cycle-runs';
import { type Drop, type Noise, type Segment } from './observe';
import { locateWithin, ONSET_REACH_SAMPLES, refineOnset } from './onset';

/** Fewer low samples than this at the ends of the runs may be a dip. */
const FEWEST_LOW_SAMPLES = 5;
const FEWEST_RUNS_AMID_DIPS = 3;
/** An abrupt drop has at least this share of its depth within `ABRUPT_SAMPLES` samples on either side. */
const ABRUPT_SHARE = 0.6;
const ABRUPT_SAMPLES = 3;

export interface CycleDrop {
  readonly noise: Noise;
  readonly drop: Drop;
  /** Two segments: all samples before the drop, and all after it. */
  readonly segments: readonly Segment[];
  /** On a time axis that omits the pauses. */
  readonly onset: Interval;
}

/** The last runs end lower than all before them, but with too few low samples to tell spent credits from a dip. */
export interface CycleDoubt {
  readonly noise: Noise;
  readonly segments: readonly Segment[];
  readonly lowSampleCount: number;
}

export function findCycleDrop(clean: CleanSeries, cycle: DutyCycle): CycleDrop | CycleDoubt | null {
  const { bitsPerSecond: rates } = clean;
  const levels = twoLevels(rates);
  const runs = runsOf(clean, cycle.onSeconds);
  if (!levels || runs.length < 2) return null;
  const noise = noiseWithinLevels(clean, levels);
  const credits = creditsOf(clean, noise, runs, levels, cycle);
  const lowEnds = runs.map((run) => lowEndOf(rates, run, levels));
  let first = lowEnds.findLastIndex((low) => lengthOf(low) === 0) + 1;
  // If a run left credits for the next one, its low end is a dip, because its credits had not run out.
  const isDip = (run: number) => 2 * lengthOf(elementAt(lowEnds, run)) < lengthOf(elementAt(lowEnds, run + 1));
  while (first + 1 < runs.length && isDip(first) && hadCreditsLeft(credits, first + 1)) first += 1;
  const ends = lowEnds.slice(first);
  const [end] = ends;
  if (!end || !isFromBucket(credits, first)) return null;
  if (wasLow(rates, runs, ends, end.from, levels.middle) || !isAbrupt(rates, runs, ends, levels)) return null;
  const lowSampleCount = sum(ends.map(lengthOf));
  // If each run is low in its last second only, the tool may be slow there.
  const isLastSecondOfAll = first === 0 && median(ends.map(lengthOf)) <= 1;
  const doubt = { noise, lowSampleCount, segments: segmentsAt(end.from, rates.length, levels) };
  if (lowSampleCount < FEWEST_LOW_SAMPLES || isLastSecondOfAll) return doubt;
  const { boundary, onset } = locateInRuns(clean, noise, cycle, { runs, lowEnds, levels, credits }, first);
  const { burstBitsPerSecond, baselineBitsPerSecond } = levels;
  return {
    drop: { segment: 0, boundary, burstBitsPerSecond, baselineBitsPerSecond },
    segments: segmentsAt(boundary, rates.length, levels),
    onset,
    noise,
  };
}

function segmentsAt(
  boundary: number,
  sampleCount: number,
  { burstBitsPerSecond, baselineBitsPerSecond }: CycleLevels,
): Segment[] {
  return [
    { from: 0, to: boundary, bitsPerSecond: burstBitsPerSecond },
    { from: boundary, to: sampleCount, bitsPerSecond: baselineBitsPerSecond },
  ];
}

/** Whether most of the drop happens within a few samples; the median decides if several runs show it. */
function isAbrupt(
  rates: Float64Array,
  runs: readonly Run[],
  ends: readonly Run[],
  { burstBitsPerSecond, baselineBitsPerSecond }: CycleLevels,
): boolean {
  const starts = runs.slice(-ends.length);
  const drops = ends.flatMap(({ from, to }, index) => {
    // The sample that contains the drop belongs to neither level, nor does the first sample of a run.
    const last = Math.max(from - 1, elementAt(starts, index).from + 1);
    const first = Math.max(last - ABRUPT_SAMPLES, elementAt(starts, index).from + 1);
    if (first === last || to - from < 2) return [];
    const low = Math.min(from + 1, to - 1);
    return [medianOfRange(rates, first, last) - medianOfRange(rates, low, Math.min(low + ABRUPT_SAMPLES, to))];
  });
  return drops.length === 0 || median(drops) >= ABRUPT_SHARE * (burstBitsPerSecond - baselineBitsPerSecond);
}

/** Whether the rate was low before the drop for at least half as long as at the end of a run. */
function wasLow(
  rates: Float64Array,
  runs: readonly Run[],
  ends: readonly Run[],
  boundary: number,
  middle: number,
): boolean {
  // With this many low ends, they are not dips, even in a series that has dips.
  if (ends.length >= FEWEST_RUNS_AMID_DIPS) return false;
  const starts = new Set(runs.map(({ from }) => from));
  let longest = 0;
  let length = 0;
  for (let index = 0; index < boundary; index += 1) {
    const isLow = numberAt(rates, index) < middle;
    // In the first second of a run the flow is still in slow start.
    if (isLow && starts.has(index)) continue;
    length = isLow ? length + 1 : 0;
    longest = Math.max(longest, length);
  }
  return 2 * longest >= largest(ends.map(lengthOf));
}

/** An onset at the very end of a run would be converted to the start of the next run, after the pause. */
const BEFORE_THE_PAUSE_SECONDS = 0.001;

interface CycleRuns {
  readonly runs: readonly Run[];
  /** The low samples with which each run ends. */
  readonly lowEnds: readonly Run[];
  readonly levels: CycleLevels;
  readonly credits: CycleCredits;
}

interface LocatedDrop {
  /** Index of the first sample of the lower level. */
  readonly boundary: number;
  /** On a time axis that omits the pauses. */
  readonly onset: Interval;
}

/**
 * Locates when the credits ran out, within the run in which they did.
 *
 * @param first the first run that ends with low samples; the credits may have run out in the second before it
 */
function locateInRuns(
  clean: CleanSeries,
  noise: Noise,
  { onSeconds }: DutyCycle,
  { runs, lowEnds, levels, credits }: CycleRuns,
  first: number,
): LocatedDrop {
  const before = first > 0 ? lastSecondBefore(clean, runs, first, levels, credits) : null;
  const fallen = before?.isInFirst ? first - 1 : first;
  const run = elementAt(runs, fallen);
  const boundary = fallen === first ? elementAt(lowEnds, first).from : run.to;
  const startOf = ({ from }: Run) => Math.floor(numberAt(clean.startSeconds, from) / onSeconds) * onSeconds;
  const [low, high] = [startOf(run), startOf(run) + onSeconds - BEFORE_THE_PAUSE_SECONDS];
  const around = samplesAround(clean, run, boundary, lowEnds.slice(fallen + 1));
  const binned = locateWithin(around.intervals, around.boundary, noise);
  const located = clean.native ? refineOnset(binned, clean.native, low, high) : binned;
  const onset = mapInterval(located, (seconds) => clamp(seconds, low, high));
  if (!before?.isOpen) return { boundary, onset };
  const nextSeconds = startOf(elementAt(runs, first));
  const firstLow = elementAt(lowEnds, first).from;
  const latest = numberAt(clean.startSeconds, firstLow) + clean.binSeconds;
  return {
    boundary,
    onset: {
      value: onset.value,
      low: Math.min(onset.low, nextSeconds - before.longestSeconds),
      high: Math.max(onset.high, latest),
    },
  };
}

/** The samples up to the end of the run with the drop, then the low ones of later runs as if there were no pauses. */
function samplesAround(
  { startSeconds, bitsPerSecond, binSeconds }: CleanSeries,
  run: Run,
  boundary: number,
  laterEnds: readonly Run[],
): { intervals: RateInterval[]; boundary: number } {
  const first = Math.max(0, boundary - ONSET_REACH_SAMPLES);
  const last = Math.min(run.to, boundary + ONSET_REACH_SAMPLES);
  const own = Array.from({ length: last - first }, (_, index) => first + index);
  const borrowed = laterEnds
    // The first low sample may contain the drop of its own run.
    .flatMap(({ from, to }) => Array.from({ length: Math.max(0, to - from - 1) }, (_, index) => from + 1 + index))
    .slice(0, boundary + ONSET_REACH_SAMPLES - last);
  const endSeconds = numberAt(startSeconds, run.to - 1) + binSeconds;
  const samples = [
    ...own.map((index) => ({ startSeconds: numberAt(startSeconds, index), index })),
    ...borrowed.map((index, position) => ({ startSeconds: endSeconds + position * binSeconds, index })),
  ];
  return {
    boundary: boundary - first,
    intervals: samples.map((sample) => ({
      startSeconds: sample.startSeconds,
      lengthSeconds: binSeconds,
      bitsPerSecond: numberAt(bitsPerSecond, sample.index),
    })),
  };
}
