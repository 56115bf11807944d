/** From the intervals that a tool printed to ordered series: one interval per start, sums over parallel streams. */
import { groupBy } from '../maths/group-by';
import type { ThroughputOutput, Side, ToolInterval, ToolSummary, TrafficCounts } from './tool-output';
import type { DrivenDirection } from '../model/settings';

export interface OrderedIntervals {
  readonly intervals: readonly ToolInterval[];
  /** An interval was printed twice, which iperf3 (3.9 and later) does with the last one when it is cut off. */
  readonly hasRepeatedInterval: boolean;
}

/** @param makesSums false where lines may be missing: only the sums that the tool printed are used, and none is made */
export function orderedIntervals(printed: readonly ToolInterval[], makesSums = true): OrderedIntervals {
  const unique = new Map<string, ToolInterval>();
  let hasRepeatedInterval = false;
  for (const interval of printed) {
    const key = `${interval.direction} ${interval.side} ${interval.stream} ${interval.startSeconds}`;
    const earlier = unique.get(key);
    if (earlier === undefined) unique.set(key, interval);
    else if (earlier.endSeconds === interval.endSeconds) hasRepeatedInterval = true;
  }
  const series = groupBy(unique.values(), ({ direction, side }) => `${direction} ${side}`);
  const intervals = [...series.values()].flatMap((ofSeries) => withSums(ofSeries, makesSums));
  return { intervals: intervals.sort(byStart), hasRepeatedInterval };
}

export function byStart(left: { readonly startSeconds: number }, right: { readonly startSeconds: number }): number {
  return left.startSeconds - right.startSeconds;
}

/** A lone stream is its own sum. Of several streams, a sum is made where all reported and the tool printed none. */
function withSums(series: readonly ToolInterval[], makesSums: boolean): ToolInterval[] {
  const ofStreams = series.filter((interval) => interval.stream !== 'sum');
  const sums = series.filter((interval) => interval.stream === 'sum');
  const streamCount = new Set(ofStreams.map((interval) => interval.stream)).size;
  if (streamCount === 0) return [...series];
  if (streamCount === 1 && sums.length === 0) return ofStreams.map((interval) => ({ ...interval, stream: 'sum' }));
  if (!makesSums) return [...series];
  const missing = simultaneous(ofStreams).filter(
    ({ first, all }) => all.length === streamCount && !sums.some((sum) => isSimultaneous(sum, first)),
  );
  return [...series, ...missing.map(sumOfStreams)];
}

/** Intervals of different streams that belong to the same second. */
interface SimultaneousIntervals {
  readonly first: ToolInterval;
  readonly all: ToolInterval[];
}

/** The streams of one interval start within some milliseconds of each other. */
function isSimultaneous(left: ToolInterval, right: ToolInterval): boolean {
  const length = Math.max(left.endSeconds - left.startSeconds, right.endSeconds - right.startSeconds);
  return Math.abs(left.startSeconds - right.startSeconds) <= Math.min(0.1, length / 2);
}

function simultaneous(intervals: readonly ToolInterval[]): SimultaneousIntervals[] {
  const groups: SimultaneousIntervals[] = [];
  for (const interval of [...intervals].sort(byStart)) {
    const group = groups.at(-1);
    const joins =
      group !== undefined &&
      isSimultaneous(group.first, interval) &&
      group.all.every((other) => other.stream !== interval.stream);
    if (joins) group.all.push(interval);
    else groups.push({ first: interval, all: [interval] });
  }
  return groups;
}

function sumOfStreams({ first, all }: SimultaneousIntervals): ToolInterval {
  return {
    startSeconds: first.startSeconds,
    endSeconds: first.endSeconds,
    direction: first.direction,
    side: first.side,
    stream: 'sum',
    bitsPerSecond: all.reduce((total, stream) => total + stream.bitsPerSecond, 0),
    ...sumOfCounts(all),
  };
}

/** Counts add up, and jitter is averaged as iperf3 does. A count that one part lacks is absent from the whole. */
export function sumOfCounts(parts: readonly TrafficCounts[]): TrafficCounts {
  const jitterMicros = totalOf(parts, (part) => part.jitterMicros);
  return {
    retransmits: totalOf(parts, (part) => part.retransmits),
    lostPackets: totalOf(parts, (part) => part.lostPackets),
    packets: totalOf(parts, (part) => part.packets),
    jitterMicros: jitterMicros === undefined ? undefined : jitterMicros / parts.length,
  };
}

function totalOf<Part>(parts: readonly Part[], value: (part: Part) => number | undefined): number | undefined {
  let total = 0;
  for (const part of parts) {
    const number = value(part);
    if (number === undefined) return undefined;
    total += number;
  }
  return parts.length === 0 ? undefined : total;
}

/** Whether this end knows the summary: a server knows only its own end and prints zeros, or nothing, for the other. */
export function isKnownSummary(
  summary: Pick<ToolSummary, 'direction' | 'side'>,
  role: ThroughputOutput['role'],
): boolean {
  return role !== 'server' || summary.side === (summary.direction === 'forward' ? 'receiver' : 'sender');
}

/** The summed series of one direction as one side saw it. */
export function summedSeries(
  intervals: readonly ToolInterval[],
  direction: DrivenDirection,
  side: Side,
): readonly ToolInterval[] {
  return intervals.filter(
    (interval) => interval.stream === 'sum' && interval.direction === direction && interval.side === side,
  );
}
