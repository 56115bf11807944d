/**
 * The series that a throughput measurement is judged by. It is the receiver's where there is one, because the sender
 * counts what it passed to its own kernel (with UDP: what it offered, delivered or not).
 */
import { drivenDirections } from '../parsers/completeness';
import { summedSeries } from '../parsers/tool-series';
import type { ThroughputOutput, Side, ToolInterval } from '../parsers/tool-output';
import { seriesSamples } from './series-samples';
import type { DrivenDirection } from '../model/settings';
import type { Sample } from '../model/sample';
import type { HostRole } from '../model/host-role';

/** What one host's tool printed. */
export interface HostOutput {
  readonly hostRole: HostRole;
  readonly output: ThroughputOutput;
}

export interface ThroughputSamples {
  readonly directions: readonly DrivenDirection[];
  readonly samples: readonly Sample[];
  readonly warnings: readonly string[];
}

export function throughputSamples(hosts: readonly HostOutput[], isComplete: boolean): ThroughputSamples {
  const directions = measuredDirections(hosts.map((host) => host.output));
  const samples: Sample[] = [];
  const warnings: string[] = [];
  for (const direction of directions) {
    const series = decisiveSeries(hosts, direction);
    if (series === undefined) continue;
    const silence = isComplete ? 0 : silentTailLength(series.intervals);
    const intervals = series.intervals.slice(0, series.intervals.length - silence);
    if (silence > 0) warnings.push(`${direction}: ${silence} silent intervals after the end of the flow are left out`);
    const endSeconds = intervals.at(-1)?.endSeconds ?? 0;
    const streams = series.host.output.intervals.filter(
      (interval) =>
        interval.direction === direction &&
        interval.side === series.side &&
        interval.stream !== 'sum' &&
        interval.startSeconds < endSeconds,
    );
    if (series.side === 'sender' && isOfferedLoad(series.host.output, direction)) {
      samples.push(...seriesSamples(intervals, series.host.hostRole, () => 'sent_throughput'));
      warnings.push(
        `${direction}: datagrams were lost and only the sender's series is here: what it offered, not what arrived`,
      );
      continue;
    }
    samples.push(...seriesSamples(intervals, series.host.hostRole, () => 'throughput'));
    samples.push(...seriesSamples(streams, series.host.hostRole, () => 'stream_throughput'));
    const sent = series.side === 'receiver' ? longestSeries(hosts, direction, 'sender') : undefined;
    if (sent !== undefined) samples.push(...seriesSamples(sent.intervals, sent.host.hostRole, () => 'sent_throughput'));
  }
  return { directions, samples, warnings };
}

/** A UDP sender counts what it offered, which is what arrived only when the receiver reports that nothing was lost. */
function isOfferedLoad(output: ThroughputOutput, direction: DrivenDirection): boolean {
  if (output.protocol !== 'udp') return false;
  const received = output.summaries.find((summary) => summary.direction === direction && summary.side === 'receiver');
  return received?.lostPackets !== 0;
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

/** By how much the clocks of both ends may differ. */
const DURATION_TOLERANCE_SECONDS = 0.25;

/**
 * A receiver whose series covers less than this share of the sender's lost its host or its chunks; then the sender's
 * series is used.
 */
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
    const intervals = withinDuration(host.output, summedSeries(host.output.intervals, direction, side));
    if (intervals.length > (longest?.intervals.length ?? 0)) longest = { host, side, intervals };
  }
  return longest;
}

/** A receiver goes on while the queue in front of it empties, which no longer belongs to the measurement. */
function withinDuration(output: ThroughputOutput, intervals: readonly ToolInterval[]): readonly ToolInterval[] {
  const { durationSeconds } = output;
  if (durationSeconds === undefined) return intervals;
  return intervals.filter((interval) => interval.startSeconds < durationSeconds - DURATION_TOLERANCE_SECONDS);
}

/** iperf3 keeps printing zeros when its peer has vanished without notice; a flow that ended was not throttled. */
function silentTailLength(intervals: readonly ToolInterval[]): number {
  const lastAlive = intervals.findLastIndex((interval) => interval.bitsPerSecond > 0);
  return lastAlive === -1 ? 0 : intervals.length - 1 - lastAlive;
}
