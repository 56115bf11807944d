/** Orders the intervals that a tool printed into series, with one interval per start and sums of parallel streams. */
import { elementAt, groupBy } from '../maths/elements';
import { sum, weightedMean } from '../maths/statistics';
import type { Side, ThroughputOutput, ToolInterval, ToolSummary, TrafficCounts } from './tool-output';
import type { DrivenDirection } from '../model/settings';

/**
 * @param makesSums false if lines may be missing: then only sums that the tool printed are used
 * @returns the intervals, and whether one was printed twice, as iperf3 (3.9 and later) prints the last if cut off
 */
export function orderedIntervals(printed: readonly ToolInterval[], makesSums = true) {
  const unique = new Map<string, ToolInterval>();
  let hasRepeatedInterval = false;
  for (const interval of printed) {
    const key = `${interval.direction} ${interval.side} ${interval.stream} ${interval.startSeconds}`;
    const earlier = unique.get(key);
    // Of two intervals with the same start, the shorter one is a remnant.
    if (earlier === undefined || earlier.endSeconds < interval.endSeconds) unique.set(key, interval);
    else if (earlier.endSeconds === interval.endSeconds) hasRepeatedInterval = true;
  }
  const intervals = groupsOfSeries(unique.values()).flatMap((series) => withSums(series, makesSums));
  return { intervals: intervals.sort(byStart), hasRepeatedInterval };
}

/** One group per direction and side. */
export function groupsOfSeries<Part extends Pick<ToolInterval, 'direction' | 'side'>>(parts: Iterable<Part>) {
  return [...groupBy(parts, ({ direction, side }) => `${direction} ${side}`).values()];
}

export function byStart(left: { readonly startSeconds: number }, right: { readonly startSeconds: number }): number {
  return left.startSeconds - right.startSeconds;
}

/** A lone stream is its own sum. For several streams, a sum is added if all reported and the tool printed none. */
function withSums(series: readonly ToolInterval[], makesSums: boolean): ToolInterval[] {
  const ofStreams = series.filter((interval) => interval.stream !== 'sum');
  const sums = series.filter((interval) => interval.stream === 'sum');
  const streamCount = new Set(ofStreams.map((interval) => interval.stream)).size;
  if (streamCount === 0) return [...series];
  if (streamCount === 1 && sums.length === 0) return ofStreams.map((interval) => ({ ...interval, stream: 'sum' }));
  if (!makesSums) return [...series];
  const isPrinted = printedSums(sums);
  const missing = simultaneous(ofStreams).filter((all) => !isPrinted(all[0]) && all.length === streamCount);
  return [...series, ...missing.map(sumOfStreams)];
}

/** Intervals of different streams in the same second. */
type Simultaneous = [ToolInterval, ...ToolInterval[]];

/** The intervals of parallel streams start within some milliseconds of each other, at most this far apart. */
const SIMULTANEOUS_SECONDS = 0.1;

function isSimultaneous(left: ToolInterval, right: ToolInterval): boolean {
  const length = Math.max(lengthSeconds(left), lengthSeconds(right));
  return Math.abs(left.startSeconds - right.startSeconds) <= Math.min(SIMULTANEOUS_SECONDS, length / 2);
}

/**
 * Returns a function that says whether the tool printed the sum of a stream's interval. It must be called in the order
 * of the intervals, so that it passes each sum once; searching from the first sum would take quadratic time.
 */
function printedSums(sums: readonly ToolInterval[]): (stream: ToolInterval) => boolean {
  const ordered = [...sums].sort(byStart);
  let next = 0;
  return (stream) => {
    const secondsAfter = (index: number) => elementAt(ordered, index).startSeconds - stream.startSeconds;
    while (next < ordered.length && secondsAfter(next) < -2 * SIMULTANEOUS_SECONDS) next += 1;
    for (let index = next; index < ordered.length && secondsAfter(index) < 2 * SIMULTANEOUS_SECONDS; index += 1) {
      if (isSimultaneous(elementAt(ordered, index), stream)) return true;
    }
    return false;
  };
}

function simultaneous(intervals: readonly ToolInterval[]): Simultaneous[] {
  const groups: Simultaneous[] = [];
  const streams = new Set<string>();
  for (const interval of [...intervals].sort(byStart)) {
    const group = groups.at(-1);
    if (group && isSimultaneous(group[0], interval) && !streams.has(interval.stream)) group.push(interval);
    else {
      groups.push([interval]);
      streams.clear();
    }
    streams.add(interval.stream);
  }
  return groups;
}

function sumOfStreams(all: Simultaneous): ToolInterval {
  const [{ startSeconds, endSeconds, direction, side }] = all;
  return {
    startSeconds,
    endSeconds,
    direction,
    side,
    stream: 'sum',
    bitsPerSecond: sum(all.map(({ bitsPerSecond }) => bitsPerSecond)),
    ...sumOfCounts(all),
  };
}

const COUNTS = ['retransmits', 'lostPackets', 'packets', 'jitterMicros'] as const;

/** Returns the counts that a function finds by their names. */
export function countsBy(countOf: (name: keyof TrafficCounts) => number | undefined): TrafficCounts {
  return Object.fromEntries(COUNTS.map((name) => [name, countOf(name)]));
}

/** Adds counts up, and averages jitter as iperf3 does. A count that one part lacks is absent from the sum. */
export function sumOfCounts(parts: readonly TrafficCounts[]): TrafficCounts {
  return countsBy((name) => {
    const known = parts.map((part) => part[name]).filter((count) => count !== undefined);
    if (known.length === 0 || known.length < parts.length) return undefined;
    return name === 'jitterMicros' ? sum(known) / parts.length : sum(known);
  });
}

/** Whether this host knows the summary: a server knows only its own side, and prints zeros or nothing for the other. */
export function isKnownSummary({ direction, side }: ToolSummary, role: ThroughputOutput['role']): boolean {
  return role !== 'server' || side === (direction === 'forward' ? 'receiver' : 'sender');
}

export function lengthSeconds({ startSeconds, endSeconds }: Pick<ToolInterval, 'startSeconds' | 'endSeconds'>): number {
  return endSeconds - startSeconds;
}

/** Returns the mean of the known rates, weighted by the length of their intervals. */
export function meanRate(parts: readonly Pick<ToolSummary, 'startSeconds' | 'endSeconds' | 'bitsPerSecond'>[]) {
  return weightedMean(
    parts.flatMap((part) =>
      part.bitsPerSecond === undefined ? [] : [{ value: part.bitsPerSecond, weight: lengthSeconds(part) }],
    ),
  );
}

/** How far the clocks of both hosts may differ. */
const DURATION_TOLERANCE_SECONDS = 0.25;

/** Drops intervals after the duration, in which a receiver only empties the queue in front of it. */
export function withinDuration(intervals: readonly ToolInterval[], durationSeconds = Infinity, fromSeconds = 0) {
  return intervals.filter(
    ({ startSeconds }) => startSeconds - fromSeconds < durationSeconds - DURATION_TOLERANCE_SECONDS,
  );
}

export function summariesOf(
  outputs: readonly Pick<ThroughputOutput, 'summaries'>[],
  direction: DrivenDirection,
  side: Side,
) {
  return outputs
    .flatMap(({ summaries }) => summaries)
    .filter((summary) => summary.direction === direction && summary.side === side);
}

/** Returns the summed series of one direction as one side measured it. */
export function summedSeries(
  intervals: readonly ToolInterval[],
  direction: DrivenDirection,
  side: Side,
): readonly ToolInterval[] {
  return intervals.filter(
    (interval) => interval.stream === 'sum' && interval.direction === direction && interval.side === side,
  );
}
