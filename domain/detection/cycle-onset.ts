/** When the credits of a load with pauses ran out, within the run in which they did. */
import { elementAt, numberAt } from '../maths/elements';
import { mapInterval, type Interval } from '../maths/interval';
import { clamp } from '../maths/statistics';
import type { DutyCycle } from '../model/settings';
import type { CleanSeries, RateInterval } from '../series/rate-series';
import { lastSecondBefore, type CycleCredits } from './cycle-credits';
import type { CycleLevels, Run } from './cycle-runs';
import { locateOnset, ONSET_REACH_SAMPLES, refineOnset } from './onset';
import type { Noise } from './series-shape';

/** An onset at the very end of a run would be read as the beginning of the next one, after the pause. */
const BEFORE_THE_PAUSE_SECONDS = 0.001;

interface CycleRuns {
  readonly runs: readonly Run[];
  /** The low samples with which each run ends. */
  readonly lowEnds: readonly Run[];
  readonly levels: CycleLevels;
  readonly credits: CycleCredits;
}

interface LocatedFall {
  /** Index of the first sample of the lower level. */
  readonly boundary: number;
  /** On the axis of the load. */
  readonly onset: Interval;
}

/** @param first the first run that ends with low samples; the credits may have run out in the second before it */
export function locateInRuns(
  clean: CleanSeries,
  noise: Noise,
  { onSeconds }: DutyCycle,
  { runs, lowEnds, levels, credits }: CycleRuns,
  first: number,
): LocatedFall {
  const before = first > 0 ? lastSecondBefore(clean, runs, first, levels, credits) : null;
  const fallen = before?.isInFirst ? first - 1 : first;
  const run = elementAt(runs, fallen);
  const boundary = fallen === first ? elementAt(lowEnds, first).from : run.to;
  const startOf = ({ from }: Run) => Math.floor(numberAt(clean.startSeconds, from) / onSeconds) * onSeconds;
  const [low, high] = [startOf(run), startOf(run) + onSeconds - BEFORE_THE_PAUSE_SECONDS];
  const around = samplesAround(clean, run, boundary, lowEnds.slice(fallen + 1));
  const binned = locateOnset(around.intervals, around.boundary, noise);
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

/** The samples up to the end of the run that falls, and then the low ones of later runs, as if there were no pause. */
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
    // The first low sample may contain the fall of its own run.
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
