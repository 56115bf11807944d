/**
 * Samples of one raw chunk by itself, for the rows that Athena sees while the measurement runs. Chunks come in any order,
 * twice or not at all, so nothing here looks beyond the chunk; the final samples are made of the whole streams
 * (`assemble-measurement.ts`) and differ in that they know both hosts.
 */
import { cleanSeries } from '../parsers/iperf3-series';
import { intervalOf, looksLikeSender } from '../parsers/iperf3-text';
import { parseRateLine, plainLine } from '../parsers/iperf3-text-line';
import type { RateLine } from '../parsers/iperf3-text-line';
import type { ToolInterval } from '../parsers/tool-output';
import { counterSamples } from './counter-samples';
import { contextOfCommand } from '../tools/iperf3-command';
import type { DrivenDirection, Metric, Sample } from './measurement';
import type { ChunkHeader, RawLine, ToolLine } from './raw-chunk';
import { secondCells } from './second-grid';
import type { GridCell } from './second-grid';
import type { HostRole } from '../workflow/object-keys';

interface StampedLine {
  readonly time: number;
  readonly line: RateLine;
}

/** `-i 1`: a chunk may hold nothing but the remnant at the end, which says nothing of it. */
const REPORT_SECONDS = 1;

/** Metric of a sender's own series: `sent_throughput`, because the other host's chunks carry the receiver's. */
export function sampleLines(header: ChunkHeader, lines: readonly RawLine[]): Sample[] {
  const rates = header.tool === 'iperf3' ? intervalLines(lines) : [];
  const intervals = intervalsOf(
    header,
    rates.map((rate) => rate.line),
  );
  const direction = intervals[0]?.direction ?? 'forward';
  const originSeconds = originOf(rates) ?? (header.tool === 'iperf3' ? undefined : header.startedAtSeconds);
  const counters =
    originSeconds === undefined
      ? []
      : counterSamples(lines, { hostRole: header.hostRole, direction, originSeconds, fromSeconds: 0 });
  return [...seriesSamples(intervals, header.hostRole, liveMetric, REPORT_SECONDS), ...counters];
}

function liveMetric(interval: ToolInterval): Metric | undefined {
  if (interval.side === 'receiver') return interval.stream === 'sum' ? 'throughput' : 'stream_throughput';
  return interval.stream === 'sum' ? 'sent_throughput' : undefined;
}

function intervalLines(lines: readonly RawLine[]): StampedLine[] {
  return lines.filter(isOutputLine).flatMap(({ time, line: text }) => {
    const line = parseRateLine(plainLine(text));
    if (line === undefined || line.side !== undefined || line.omitted) return [];
    return [{ time, line }];
  });
}

function isOutputLine(line: RawLine): line is ToolLine {
  return line.source === 'stdout';
}

function intervalsOf(header: ChunkHeader, lines: readonly RateLine[]): readonly ToolInterval[] {
  const context = contextOfCommand(header.command);
  const isSender = context.role === 'client' ? !context.reverse : looksLikeSender(lines);
  const isUdp = lines.some((line) => line.packets !== undefined);
  const hasWindow = lines.some((line) => line.congestionWindowBytes !== undefined);
  const protocol = isUdp || (isSender && lines.length > 0 && !hasWindow) ? 'udp' : 'tcp';
  const printed = lines.map((line) => {
    const sends = line.role?.isSender ?? isSender;
    const isServer = line.role?.isServer ?? context.role === 'server';
    const direction: DrivenDirection = sends === isServer ? 'reverse' : 'forward';
    return intervalOf(line, direction, sends ? 'sender' : 'receiver', context.protocol ?? protocol);
  });
  // With several streams iperf3 prints their sum last: where it is missing here, the next chunk has it.
  return cleanSeries(printed, false).intervals;
}

/** A line is read right after its interval has ended, or later: the earliest tells when the tool began. */
export function originOf(lines: readonly StampedLine[]): number | undefined {
  if (lines.length === 0) return undefined;
  return lines.reduce((earliest, { time, line }) => Math.min(earliest, time - line.endSeconds), Infinity);
}

/** Origin of a whole stream's time axis. */
export function streamOriginSeconds(lines: readonly RawLine[]): number | undefined {
  return originOf(intervalLines(lines));
}

/** @param metricOf undefined leaves the interval out. */
export function seriesSamples(
  intervals: readonly ToolInterval[],
  hostRole: HostRole,
  metricOf: (interval: ToolInterval) => Metric | undefined,
  reportSeconds?: number,
): Sample[] {
  const series = new Map<string, { metric: Metric; intervals: ToolInterval[] }>();
  for (const interval of intervals) {
    const metric = metricOf(interval);
    if (metric === undefined) continue;
    const key = `${metric} ${interval.direction} ${interval.stream}`;
    const group = series.get(key);
    if (group) group.intervals.push(interval);
    else series.set(key, { metric, intervals: [interval] });
  }
  return [...series.values()].flatMap(({ metric, intervals: ofSeries }) =>
    secondCells(ofSeries, reportSeconds).map((cell) => sampleOf(cell, metric, hostRole, ofSeries[0]!)),
  );
}

function sampleOf(cell: GridCell<ToolInterval>, metric: Metric, hostRole: HostRole, series: ToolInterval): Sample {
  const total = (value: (interval: ToolInterval) => number | undefined) => {
    const numbers = cell.counted.map(value).filter((number) => number !== undefined);
    return numbers.length === 0 ? undefined : numbers.reduce((sum, number) => sum + number, 0);
  };
  const last = cell.counted.at(-1);
  const optional = {
    retransmits: total((interval) => interval.retransmits),
    congestionWindowBytes: last?.congestionWindowBytes,
    lostPackets: total((interval) => interval.lostPackets),
    sentPackets: total((interval) => interval.packets),
    jitterMicros: last?.jitterMicros,
  };
  return {
    metric,
    hostRole,
    direction: series.direction,
    stream: series.stream,
    startSeconds: cell.startSeconds,
    lengthSeconds: cell.lengthSeconds,
    throughputBitsPerSecond: cell.bitsPerSecond,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}
