/** A throughput series, as a tool reports it and as the detector uses it. */
import { elementAt, numberAt } from '../maths/elements';
import { ascending, median, quantileOfSorted } from '../maths/statistics';

export interface RateInterval {
  readonly startSeconds: number;
  readonly lengthSeconds: number;
  readonly bitsPerSecond: number;
}

export function endOf({ startSeconds, lengthSeconds }: RateInterval): number {
  return startSeconds + lengthSeconds;
}

/** Seconds on the series' own time axis. */
export interface TimeSpan {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export function lengthOf({ startSeconds, endSeconds }: TimeSpan): number {
  return endSeconds - startSeconds;
}

/** Samples in order of time, one per bin. A missing sample is absent. */
export interface CleanSeries {
  readonly startSeconds: Float64Array;
  readonly bitsPerSecond: Float64Array;
  /** The same rates in ascending order, sorted once for every quantile. */
  readonly sortedBitsPerSecond: Float64Array;
  /** Length of one bin; intervals shorter than a second were averaged into seconds. */
  readonly binSeconds: number;
  /** Natural logarithm of the rate, because noise is multiplicative; rates near 0 count as a share of the high ones. */
  readonly logRates: Float64Array;
  /** When the load began, on the series' own time axis. */
  readonly loadStartSeconds: number;
  /** End of the last sample that carries traffic. */
  readonly endSeconds: number;
  /** The intervals as reported, sorted and without duplicates, if they are finer than a bin; otherwise null. */
  readonly native: readonly RateInterval[] | null;
  /** Times in which samples show no traffic, in order of time; those at the end are omitted. */
  readonly idle: readonly TimeSpan[];
  /** How long the flow was dead at the end of the series. */
  readonly deadTailSeconds: number;
}

/**
 * Cleaning turns reported intervals into samples that the detector can trust: sorted, one per bin, without duplicates
 * and without a dead tail. Gaps stay gaps, because an invented sample would be evidence that was never measured.
 */

/** Rates below this share of the high rates count as no traffic, so that a single packet is no change of level. */
const DEAD_SHARE = 0.005;
/** So many samples in a row without traffic mean that no load was offered; a throttle never drops the rate to zero. */
const DEAD_SAMPLES = 5;
/** A series whose first sample is this close to 0 counts its time from the start of the load. */
const LOAD_START_TOLERANCE_SECONDS = 10;

/** A cache, because the detector, the model of a drop and several causes ask for the same series. */
const cleaned = new WeakMap<readonly RateInterval[], CleanSeries | null>();

export function cleanSeries(series: readonly RateInterval[]): CleanSeries | null {
  const known = cleaned.get(series);
  if (known !== undefined) return known;
  const clean = cleanedSeries(series);
  cleaned.set(series, clean);
  return clean;
}

function cleanedSeries(series: readonly RateInterval[]): CleanSeries | null {
  const intervals = sortAndDedupe(series);
  if (intervals.length === 0) return null;
  const typicalLength = typicalLengthOf(intervals);
  // The last interval of a tool that was stopped can be a few milliseconds long; its rate means nothing.
  const whole = intervals.filter((interval) => interval.lengthSeconds >= typicalLength / 2);
  const isFine = typicalLength < 0.75;
  const bins = isFine ? binToSeconds(whole) : whole;
  const alive = bins.slice(0, countWithoutDeadTail(bins));
  if (alive.length === 0) return null;

  const binSeconds = isFine ? 1 : typicalLength;
  const startSeconds = new Float64Array(alive.map((bin) => bin.startSeconds));
  const bitsPerSecond = new Float64Array(alive.map((bin) => bin.bitsPerSecond));
  const sortedBitsPerSecond = ascending(bitsPerSecond);
  const floor = DEAD_SHARE * quantileOfSorted(sortedBitsPerSecond, 0.95);
  const first = numberAt(startSeconds, 0);
  const endSeconds = endOf(elementAt(alive, -1));
  return {
    startSeconds,
    bitsPerSecond,
    sortedBitsPerSecond,
    binSeconds,
    logRates: bitsPerSecond.map((rate) => Math.log(Math.max(rate, floor, Number.MIN_VALUE))),
    loadStartSeconds: first >= 0 && first < LOAD_START_TOLERANCE_SECONDS ? 0 : first,
    endSeconds,
    native: isFine ? whole : null,
    idle: idleTimes(startSeconds, bitsPerSecond),
    deadTailSeconds: Math.max(0, endOf(elementAt(bins, -1)) - endSeconds),
  };
}

/** The series with gaps in place of the samples without traffic. */
export function withoutIdle(clean: CleanSeries): CleanSeries {
  const { startSeconds, idle } = clean;
  if (idle.length === 0) return clean;
  const isIdle = startSeconds.map((start) =>
    idle.some((time) => start >= time.startSeconds && start < time.endSeconds) ? 1 : 0,
  );
  const loaded = (values: Float64Array) => values.filter((_, index) => isIdle[index] === 0);
  const bitsPerSecond = loaded(clean.bitsPerSecond);
  return {
    ...clean,
    startSeconds: loaded(startSeconds),
    bitsPerSecond,
    sortedBitsPerSecond: ascending(bitsPerSecond),
    logRates: loaded(clean.logRates),
  };
}

function idleTimes(startSeconds: Float64Array, rates: Float64Array): TimeSpan[] {
  const traffic = rates.filter((rate) => rate > 0);
  const threshold = traffic.length === 0 ? 0 : DEAD_SHARE * median(traffic);
  const times: TimeSpan[] = [];
  let from = 0;
  rates.forEach((rate, index) => {
    if (rate < threshold) return;
    if (index - from >= DEAD_SAMPLES) {
      times.push({ startSeconds: numberAt(startSeconds, from), endSeconds: numberAt(startSeconds, index) });
    }
    from = index + 1;
  });
  return times;
}

/** About a hundred intervals are enough, because a tool does not change its interval while it runs. */
function typicalLengthOf(intervals: readonly RateInterval[]): number {
  const stride = Math.ceil(intervals.length / 100);
  return median(intervals.filter((_, index) => index % stride === 0).map((interval) => interval.lengthSeconds));
}

function sortAndDedupe(series: readonly RateInterval[]): RateInterval[] {
  const usable = series.filter(
    ({ startSeconds, lengthSeconds, bitsPerSecond }) =>
      [startSeconds, lengthSeconds, bitsPerSecond].every(Number.isFinite) && lengthSeconds > 0 && bitsPerSecond >= 0,
  );
  // Intervals with the same start are ordered by their content, so that their order in the file makes no difference.
  usable.sort(
    (a, b) => a.startSeconds - b.startSeconds || b.lengthSeconds - a.lengthSeconds || b.bitsPerSecond - a.bitsPerSecond,
  );
  const kept: RateInterval[] = [];
  for (const interval of usable) {
    const previous = kept.at(-1);
    // Tools repeat their last interval when they are stopped, sometimes with a start that differs by rounding.
    if (previous && interval.startSeconds - previous.startSeconds < previous.lengthSeconds / 4) continue;
    kept.push(interval);
  }
  return kept;
}

/** Averages finer intervals into whole seconds; a second that is covered by less than half is a gap. */
function binToSeconds(intervals: readonly RateInterval[]): RateInterval[] {
  const origin = intervals[0]?.startSeconds ?? 0;
  const bins: RateInterval[] = [];
  let current = -1;
  let bits = 0;
  let covered = 0;
  const close = () => {
    if (covered >= 0.5) bins.push({ startSeconds: origin + current, lengthSeconds: 1, bitsPerSecond: bits / covered });
  };
  for (const interval of intervals) {
    // A small slack keeps 0.30000000000000004 × 10 in its second.
    const bin = Math.floor(interval.startSeconds - origin + 1e-6);
    if (bin !== current) {
      close();
      current = bin;
      bits = 0;
      covered = 0;
    }
    bits += interval.bitsPerSecond * interval.lengthSeconds;
    covered += interval.lengthSeconds;
  }
  close();
  return bins;
}

function countWithoutDeadTail(bins: readonly RateInterval[]): number {
  if (!bins.some((bin) => bin.bitsPerSecond > 0)) return 0;
  const last = bins.at(-DEAD_SAMPLES);
  const highest = bins.reduce((most, bin) => Math.max(most, bin.bitsPerSecond), 0);
  // The median is computed only for a series with a low end, to save time.
  if (!last || last.bitsPerSecond > DEAD_SHARE * highest) return bins.length;
  const threshold = DEAD_SHARE * median(bins.map((bin) => bin.bitsPerSecond).filter((rate) => rate > 0));
  let count = bins.length;
  while (count > 0 && elementAt(bins, count - 1).bitsPerSecond < threshold) count -= 1;
  return bins.length - count >= DEAD_SAMPLES ? count : bins.length;
}
