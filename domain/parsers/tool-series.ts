/** From the intervals as a tool printed them to clean series: one per start, sums over parallel streams, in order. */
import type { ThroughputOutput, Side, ToolInterval, ToolSummary } from './tool-output';
import type { DrivenDirection } from '../model/settings';

export interface CleanSeries {
  readonly intervals: readonly ToolInterval[];
  /** An interval came twice: what iperf3 (3.9 and later) does to the last one when it is cut off. */
  readonly hasRepeatedInterval: boolean;
}

/** @param makesSums false: of several streams, only the sums that the tool printed (a piece of an output may lack some lines). */
export function cleanSeries(printed: readonly ToolInterval[], makesSums = true): CleanSeries {
  const unique = new Map<string, ToolInterval>();
  let hasRepeatedInterval = false;
  for (const interval of printed) {
    const key = `${interval.direction} ${interval.side} ${interval.stream} ${interval.startSeconds}`;
    const earlier = unique.get(key);
    if (earlier === undefined) unique.set(key, interval);
    else if (earlier.endSeconds === interval.endSeconds) hasRepeatedInterval = true;
  }
  const intervals = [...groupBySeries([...unique.values()]).values()].flatMap((series) => withSums(series, makesSums));
  return { intervals: intervals.sort(byStart), hasRepeatedInterval };
}

export function byStart(left: { readonly startSeconds: number }, right: { readonly startSeconds: number }): number {
  return left.startSeconds - right.startSeconds;
}

function groupBySeries(intervals: readonly ToolInterval[]): Map<string, ToolInterval[]> {
  const groups = new Map<string, ToolInterval[]>();
  for (const interval of intervals) {
    const key = `${interval.direction} ${interval.side}`;
    const group = groups.get(key);
    if (group) group.push(interval);
    else groups.set(key, [interval]);
  }
  return groups;
}

/** A lone stream is its own sum. Of several, a sum is made where the tool printed none but every stream reported. */
function withSums(series: readonly ToolInterval[], makesSums: boolean): ToolInterval[] {
  const ofStreams = series.filter((interval) => interval.stream !== 'sum');
  const sums = series.filter((interval) => interval.stream === 'sum');
  const streamCount = new Set(ofStreams.map((interval) => interval.stream)).size;
  if (streamCount === 0) return [...series];
  if (streamCount === 1 && sums.length === 0) return ofStreams.map((interval) => ({ ...interval, stream: 'sum' }));
  if (!makesSums) return [...series];
  const missing = simultaneous(ofStreams).filter(
    (group) => group.length === streamCount && !sums.some((sum) => isSimultaneous(sum, group[0]!)),
  );
  return [...series, ...missing.map(sumOfStreams)];
}

/** The streams of one interval start within some milliseconds of each other. */
function isSimultaneous(left: ToolInterval, right: ToolInterval): boolean {
  const length = Math.max(left.endSeconds - left.startSeconds, right.endSeconds - right.startSeconds);
  return Math.abs(left.startSeconds - right.startSeconds) <= Math.min(0.1, length / 2);
}

function simultaneous(intervals: readonly ToolInterval[]): ToolInterval[][] {
  const groups: ToolInterval[][] = [];
  for (const interval of [...intervals].sort(byStart)) {
    const group = groups.at(-1);
    const joins =
      group !== undefined &&
      isSimultaneous(group[0]!, interval) &&
      group.every((other) => other.stream !== interval.stream);
    if (joins) group.push(interval);
    else groups.push([interval]);
  }
  return groups;
}

function sumOfStreams(streams: readonly ToolInterval[]): ToolInterval {
  const first = streams[0]!;
  return {
    startSeconds: first.startSeconds,
    endSeconds: first.endSeconds,
    direction: first.direction,
    side: first.side,
    stream: 'sum',
    bitsPerSecond: streams.reduce((total, stream) => total + stream.bitsPerSecond, 0),
    ...sumOfCounts(streams),
  };
}

interface Counts {
  readonly retransmits?: number;
  readonly lostPackets?: number;
  readonly packets?: number;
  readonly jitterMicros?: number;
}

/** Counts add up, jitter is averaged as iperf3 does; a count that one part lacks is absent from the whole. */
export function sumOfCounts(parts: readonly Counts[]): Counts {
  const jitterMicros = totalOf(parts, (part) => part.jitterMicros);
  return withoutAbsent({
    retransmits: totalOf(parts, (part) => part.retransmits),
    lostPackets: totalOf(parts, (part) => part.lostPackets),
    packets: totalOf(parts, (part) => part.packets),
    jitterMicros: jitterMicros === undefined ? undefined : jitterMicros / parts.length,
  });
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

/** Absent is no key at all, so that nothing downstream can take it for a value. */
export function withoutAbsent<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Value;
}

/** A server knows only its own end; for the other it prints zeros, or nothing. */
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
