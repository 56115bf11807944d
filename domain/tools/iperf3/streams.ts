/** Assembles a measurement from the streams of iperf3's client and server. */
import { cpuOf, NO_CLIENT_STREAM, type AssembledMeasurement } from '../../assembly/assemble-measurement';
import { counterSamples } from '../../assembly/counter-samples';
import { roundTripSamples } from '../../assembly/loaded-latency';
import { reasonOf, toolText, type MeasurementStreams, type RawStream } from '../../assembly/raw-streams';
import { throughputSamples, type HostOutput } from '../../assembly/throughput-samples';
import { throughputStatistics } from '../../assembly/throughput-statistics';
import type { ChunkHeader, RawLine, ToolLine } from '../../model/raw-chunk';
import type { Sample } from '../../model/sample';
import type { DrivenDirection, MeasurementSettings } from '../../model/settings';
import { contextOfCommand } from './command';
import { intervalOf, looksLikeSender, parseIperf3Text } from './text';
import { parseRateLine, type RateLine } from './text-line';
import { plainLine } from '../../parsers/text-lines';
import type { ToolInterval } from '../../parsers/tool-output';
import { orderedIntervals } from '../../parsers/tool-series';
import type { PrintedSeries } from '../tool-module';

interface HostStream extends HostOutput {
  readonly stream: RawStream;
}

const NO_ROUND_TRIP = 'latency probe: no round trip was measured';

export function assembleIperf3(
  streams: MeasurementStreams,
  { latencyProbe }: Pick<MeasurementSettings, 'latencyProbe'>,
): AssembledMeasurement {
  const client = streams.client && hostStream('client', streams.client);
  // Only the client's output shows that the test was ended on purpose.
  const server = streams.server && hostStream('server', streams.server, client?.output.endedOnPurpose);
  const hosts = [client, server].filter((host) => host !== undefined);
  const outputs = hosts.map((host) => host.output);
  const roundTrips = outputs.find((output) => output.roundTrips !== undefined)?.roundTrips ?? [];
  const reason =
    incompleteReason(client, server) ?? (latencyProbe && roundTrips.length === 0 ? NO_ROUND_TRIP : undefined);
  const throughput = throughputSamples(hosts, reason === undefined);
  const figures = throughputStatistics(outputs, throughput);
  const direction = throughput.directions[0] ?? 'forward';
  return {
    samples: [
      ...throughput.samples,
      ...roundTripSamples(roundTrips, direction),
      ...hosts.flatMap((host) => hostCounters(host, direction)),
    ],
    statistics: figures.statistics,
    complete: reason === undefined,
    reason,
    toolVersion: outputs.find((output) => output.toolVersion !== undefined)?.toolVersion,
    client: client?.output,
    server: server?.output,
    cpu: cpuOf({ client: client?.output, server: server?.output }),
    roundTrips,
    warnings: [
      // This is not a fault, but explains why the series is shorter than planned.
      ...(client?.output.endedOnPurpose === undefined ? [] : [client.output.endedOnPurpose]),
      ...hosts.flatMap(({ hostRole, output }) => output.warnings.map((warning) => `${hostRole}: ${warning}`)),
      ...throughput.warnings,
      ...figures.warnings,
    ],
  };
}

function hostStream(hostRole: HostStream['hostRole'], stream: RawStream, endedOnPurpose?: string): HostStream {
  const context = contextOfCommand(stream.header.command);
  return { hostRole, stream, output: parseIperf3Text(toolText(stream), { ...context, endedOnPurpose }) };
}

function hostCounters({ hostRole, stream, output }: HostStream, direction: DrivenDirection): Sample[] {
  const originSeconds = streamOriginSeconds(stream.lines);
  if (originSeconds === undefined) return [];
  const toSeconds = output.intervals.at(-1)?.endSeconds;
  return counterSamples(stream.lines, hostRole, { direction, originSeconds, fromSeconds: 0, toSeconds });
}

function incompleteReason(client: HostStream | undefined, server: HostStream | undefined): string | undefined {
  if (client === undefined) return NO_CLIENT_STREAM;
  if (!client.output.complete) return reasonOf(client.output, client.stream);
  if (server !== undefined && !server.output.complete) return `server: ${reasonOf(server.output, server.stream)}`;
  return undefined;
}

/** Returns the part of the series that some lines show: a chunk may begin and end anywhere in the output. */
export function iperf3Series(header: ChunkHeader, lines: readonly RawLine[]): PrintedSeries {
  const stamped = intervalLines(lines);
  return {
    intervals: intervalsOf(
      header,
      stamped.map(({ line }) => line),
    ),
    originSeconds: originOf(stamped),
  };
}

/** The Unix time at which the time axis of the whole stream begins. */
function streamOriginSeconds(lines: readonly RawLine[]): number | undefined {
  return originOf(intervalLines(lines));
}

function intervalLines(lines: readonly RawLine[]) {
  return lines
    .filter((line): line is ToolLine => line.source === 'stdout')
    .flatMap(({ time, line: text }) => {
      const line = parseRateLine(plainLine(text));
      return line === undefined || line.side !== undefined || line.isOmitted ? [] : [{ time, line }];
    });
}

/** A line is read when its interval ends, or later, so the earliest difference shows when the tool began. */
function originOf(lines: ReturnType<typeof intervalLines>): number | undefined {
  if (lines.length === 0) return undefined;
  return lines.reduce((earliest, { time, line }) => Math.min(earliest, time - line.endSeconds), Infinity);
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
  // iperf3 prints the sum of several streams after them. If the chunk ends in between, the next chunk has the sum.
  return orderedIntervals(printed, false).intervals;
}
