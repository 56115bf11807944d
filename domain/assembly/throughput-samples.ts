/**
 * The series that a throughput measurement is judged by: the receiver's where there is one, because the sender counts
 * what it passed to its own kernel (with UDP: what it offered, delivered or not).
 */
import { groupBy } from '../maths/elements';
import { sum } from '../maths/statistics';
import { drivenDirections, unexplainedDifference } from '../parsers/completeness';
import { lengthSeconds, meanRate, summariesOf, summedSeries, withinDuration } from '../parsers/tool-series';
import type { ThroughputOutput, Side, ToolInterval } from '../parsers/tool-output';
import { comparedRate } from '../text/format';
import { secondCells, spannedSeconds, type GridCell } from '../series/second-grid';
import type { DrivenDirection } from '../model/settings';
import { meanOf, type Metric, type Sample } from '../model/sample';
import type { HostRole } from '../model/host-role';

export interface HostOutput {
  readonly hostRole: HostRole;
  readonly output: ThroughputOutput;
}

export interface ThroughputSamples {
  readonly directions: readonly DrivenDirection[];
  readonly samples: readonly Sample[];
  /** The directions whose throughput is the sender's series, because the receiver's is missing. */
  readonly sentDirections: readonly DrivenDirection[];
  readonly warnings: readonly string[];
}

export function throughputSamples(hosts: readonly HostOutput[], isComplete: boolean): ThroughputSamples {
  const directions = measuredDirections(hosts.map((host) => host.output));
  const series: Sample[][] = [];
  const sentDirections: DrivenDirection[] = [];
  const warnings: string[] = [];
  for (const direction of directions) {
    const decisive = decisiveSeries(hosts, direction);
    if (decisive === undefined) continue;
    const { host, side } = decisive;
    const add = (metric: Metric, { hostRole }: HostOutput, intervals: readonly ToolInterval[]) => {
      const samples = seriesSamples(intervals, hostRole, () => metric);
      series.push(samples);
      return samples;
    };
    const silence = isComplete ? 0 : silentTailLength(decisive.intervals);
    const intervals = decisive.intervals.slice(0, decisive.intervals.length - silence);
    if (silence > 0) warnings.push(`${direction}: ${silence} silent intervals after the end of the flow are left out`);
    if (side === 'sender' && isOfferedLoad(host.output, direction)) {
      add('sent_throughput', host, intervals);
      warnings.push(
        `${direction}: datagrams were lost and only the sender's series is here: what it offered, not what arrived`,
      );
      continue;
    }
    const short = shortIntervalWarning(direction, add('throughput', host, intervals), intervals);
    if (short !== undefined) warnings.push(short);
    const late = lateIntervalWarning(direction, decisive);
    if (late !== undefined) warnings.push(late);
    if (side === 'sender') sentDirections.push(direction);
    const endSeconds = intervals.at(-1)?.endSeconds ?? 0;
    const ofStreams = host.output.intervals.filter(
      (interval) => interval.direction === direction && interval.side === side && interval.stream !== 'sum',
    );
    add(
      'stream_throughput',
      host,
      ofStreams.filter(({ startSeconds }) => startSeconds < endSeconds),
    );
    const sent = side === 'receiver' ? longestSeries(hosts, direction, 'sender') : undefined;
    if (sent !== undefined) add('sent_throughput', sent.host, sent.intervals);
  }
  return { directions, samples: series.flat(), sentDirections, warnings };
}

/** A UDP sender counts what it offered, which is what arrived only when the receiver reports that nothing was lost. */
function isOfferedLoad(output: ThroughputOutput, direction: DrivenDirection): boolean {
  if (output.protocol !== 'udp') return false;
  return summariesOf([output], direction, 'receiver')[0]?.lostPackets !== 0;
}

function measuredDirections(outputs: readonly ThroughputOutput[]): readonly DrivenDirection[] {
  const both = outputs.find((output) => output.bidirectional);
  // The client's command line has the direction; a server shows it only in its lines.
  const known = both ?? outputs.find((output) => output.role === 'client') ?? outputs[0];
  return known === undefined ? [] : drivenDirections(known);
}

interface HostSeries {
  readonly host: HostOutput;
  readonly side: Side;
  readonly intervals: readonly ToolInterval[];
}

/** If the receiver has less than this share of the sender's series, its data were lost, and the sender's is used. */
const MIN_RECEIVER_SHARE = 0.5;

function decisiveSeries(hosts: readonly HostOutput[], direction: DrivenDirection): HostSeries | undefined {
  const received = longestSeries(hosts, direction, 'receiver');
  const sent = longestSeries(hosts, direction, 'sender');
  if (received === undefined || sent === undefined) return received ?? sent;
  return received.intervals.length >= sent.intervals.length * MIN_RECEIVER_SHARE ? received : sent;
}

function longestSeries(hosts: readonly HostOutput[], direction: DrivenDirection, side: Side): HostSeries | undefined {
  let longest: HostSeries | undefined;
  for (const host of hosts) {
    const { intervals: all, durationSeconds } = host.output;
    const intervals = withinDuration(summedSeries(all, direction, side), durationSeconds);
    if (intervals.length > (longest?.intervals.length ?? 0)) longest = { host, side, intervals };
  }
  return longest;
}

/** Intervals that are much shorter than the others have no sample; in a short test their bytes may matter. */
function shortIntervalWarning(
  direction: DrivenDirection,
  samples: readonly Sample[],
  intervals: readonly ToolInterval[],
): string | undefined {
  const ofSamples = meanOf(samples, 'throughputBitsPerSecond');
  const ofIntervals = meanRate(intervals);
  if (ofSamples === undefined || ofIntervals === undefined) return undefined;
  const difference = unexplainedDifference(ofSamples, ofIntervals);
  const means = `the mean of the samples is ${comparedRate(ofSamples)}, that of all intervals ${comparedRate(ofIntervals)}`;
  return difference && `${direction}: short intervals have no sample: ${means} (${difference})`;
}

/** The time in which a receiver waits after the end of the test is not part of it, but counts in the tool's total. */
function lateIntervalWarning(direction: DrivenDirection, { host, side, intervals }: HostSeries): string | undefined {
  const all = summedSeries(host.output.intervals, direction, side);
  const [kept, whole] = [meanRate(intervals), meanRate(all)];
  const difference = kept === undefined || whole === undefined ? undefined : unexplainedDifference(kept, whole);
  if (kept === undefined || whole === undefined || difference === undefined) return undefined;
  const lateSeconds = sum(all.map(lengthSeconds)) - sum(intervals.map(lengthSeconds));
  return (
    `${direction}: the ${side} went on for ${lateSeconds.toFixed(2)} s after the test, which are left out: ` +
    `the mean is ${comparedRate(kept)}, ${difference} than the ${comparedRate(whole)} with them`
  );
}

/** iperf3 keeps printing zeros when its peer has vanished; they are omitted, because they do not show a throttle. */
function silentTailLength(intervals: readonly ToolInterval[]): number {
  const lastAlive = intervals.findLastIndex((interval) => interval.bitsPerSecond > 0);
  return lastAlive === -1 ? 0 : intervals.length - 1 - lastAlive;
}

/** How many seconds all streams together may miss. A host can print any times, and each second needs memory. */
const UNREPORTED_SECONDS = 20_000;

/**
 * Samples of a series that a tool printed, one per second.
 *
 * @throws if a few intervals span so many seconds that their samples would fill the memory
 * @param metricOf returns undefined for an interval that is to be omitted
 */
export function seriesSamples(
  intervals: readonly ToolInterval[],
  hostRole: HostRole,
  metricOf: (interval: ToolInterval) => Metric | undefined,
  reportSeconds?: number,
): Sample[] {
  const labelled = intervals.flatMap((interval) => {
    const metric = metricOf(interval);
    return metric === undefined ? [] : [{ metric, interval }];
  });
  const series = groupBy(labelled, ({ metric, interval }) => `${metric} ${interval.direction} ${interval.stream}`);
  let seconds = 0;
  return [...series.values()].flatMap((members) => {
    const [{ metric, interval }] = members;
    const { direction, stream } = interval;
    const ofSeries = members.map((member) => member.interval);
    seconds += spannedSeconds(ofSeries, reportSeconds);
    const most = UNREPORTED_SECONDS + 2 * intervals.length;
    if (seconds > most) {
      throw new Error(`${intervals.length} intervals: must span at most ${most} s, span ${Math.round(seconds)} s`);
    }
    return secondCells(ofSeries, reportSeconds).map((cell) => ({
      metric,
      hostRole,
      direction,
      stream,
      ...cellFigures(cell),
    }));
  });
}

function cellFigures({ startSeconds, lengthSeconds, bitsPerSecond, counted }: GridCell<ToolInterval>) {
  const total = (name: 'retransmits' | 'lostPackets' | 'packets') => {
    const counts = counted.flatMap(({ [name]: count }) => count ?? []);
    return counts.length === 0 ? undefined : sum(counts);
  };
  const last = counted.at(-1);
  return {
    startSeconds,
    lengthSeconds,
    throughputBitsPerSecond: bitsPerSecond,
    retransmits: total('retransmits'),
    congestionWindowBytes: last?.congestionWindowBytes,
    lostPackets: total('lostPackets'),
    sentPackets: total('packets'),
    jitterMicros: last?.jitterMicros,
  };
}
