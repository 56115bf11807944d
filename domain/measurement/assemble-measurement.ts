/** One measurement out of the raw streams of its hosts: samples, statistics, and whether it is all there. */
import { parseIperf3Text } from '../parsers/iperf3-text';
import { parseSockperfText } from '../parsers/sockperf-text';
import type { ToolOutput } from '../parsers/tool-output';
import { latencyStatistics } from '../statistics/latency-statistics';
import { throughputStatistics } from '../statistics/throughput-statistics';
import { counterSamples } from './counter-samples';
import { contextOfCommand } from './iperf3-command';
import { streamOriginSeconds } from './live-samples';
import type { DrivenDirection, Sample, Statistics } from './measurement';
import type { ChunkHeader, RawLine } from './raw-chunk';
import { throughputSamples } from './throughput-samples';
import type { HostOutput } from './throughput-samples';

/** One host's stream: the lines of all its chunks, in order of their sequence, with the header of any of them. */
export interface RawStream {
  readonly header: ChunkHeader;
  readonly lines: readonly RawLine[];
}

export interface MeasurementStreams {
  readonly client?: RawStream;
  readonly server?: RawStream;
}

export interface AssembledMeasurement {
  readonly samples: readonly Sample[];
  readonly statistics: Statistics;
  readonly complete: boolean;
  /** Why not, in the tool's own words where it has any. */
  readonly reason?: string;
  readonly toolVersion?: string;
  readonly client?: ToolOutput;
  readonly server?: ToolOutput;
  readonly warnings: readonly string[];
}

export function samplesOfMeasurement(streams: MeasurementStreams): readonly Sample[] {
  return assembleMeasurement(streams).samples;
}

export function assembleMeasurement(streams: MeasurementStreams): AssembledMeasurement {
  const tool = streams.client?.header.tool ?? streams.server?.header.tool;
  return tool === 'sockperf' ? assembleLatency(streams) : assembleThroughput(streams);
}

/** One file of one end, as somebody kept it: no counters, and the other end's view only where the tool fetched it. */
export function assembleOutput(output: ToolOutput): AssembledMeasurement {
  const common = {
    complete: output.complete,
    ...(output.incompleteReason !== undefined && { reason: output.incompleteReason }),
    ...(output.toolVersion !== undefined && { toolVersion: output.toolVersion }),
  };
  if (output.tool === 'sockperf') {
    return { ...common, samples: [], statistics: latencyStatistics(output), client: output, warnings: output.warnings };
  }
  const hostRole = output.role ?? 'client';
  const throughput = throughputSamples([{ hostRole, output }], output.complete);
  return {
    ...common,
    samples: throughput.samples,
    statistics: throughputStatistics([output], throughput),
    [hostRole]: output,
    warnings: [...output.warnings, ...throughput.warnings],
  };
}

const NO_CLIENT_STREAM = 'nothing came from the client';

function assembleLatency({ client }: MeasurementStreams): AssembledMeasurement {
  if (client === undefined) {
    return { samples: [], statistics: {}, complete: false, reason: NO_CLIENT_STREAM, warnings: [] };
  }
  const output = parseSockperfText(toolText(client));
  const { hostRole, startedAtSeconds } = client.header;
  return {
    samples: counterSamples(client.lines, {
      hostRole,
      direction: 'forward',
      originSeconds: startedAtSeconds,
      fromSeconds: 0,
    }),
    statistics: latencyStatistics(output),
    complete: output.complete,
    ...(!output.complete && { reason: reasonOf(output, client) }),
    ...(output.toolVersion !== undefined && { toolVersion: output.toolVersion }),
    client: output,
    warnings: output.warnings,
  };
}

interface HostStream extends HostOutput {
  readonly stream: RawStream;
}

function assembleThroughput(streams: MeasurementStreams): AssembledMeasurement {
  const hosts: HostStream[] = (['client', 'server'] as const).flatMap((hostRole) => {
    const stream = streams[hostRole];
    if (stream === undefined) return [];
    return [{ hostRole, stream, output: parseIperf3Text(toolText(stream), contextOfCommand(stream.header.command)) }];
  });
  const outputs = hosts.map((host) => host.output);
  const reason = incompleteReason(hosts);
  const throughput = throughputSamples(hosts, reason === undefined);
  const direction = throughput.directions[0] ?? 'forward';
  const toolVersion = outputs.find((output) => output.toolVersion !== undefined)?.toolVersion;
  return {
    samples: [...throughput.samples, ...hosts.flatMap((host) => hostCounters(host, direction))],
    statistics: throughputStatistics(outputs, throughput),
    complete: reason === undefined,
    ...(reason !== undefined && { reason }),
    ...(toolVersion !== undefined && { toolVersion }),
    ...Object.fromEntries(hosts.map((host) => [host.hostRole, host.output])),
    warnings: [
      ...hosts.flatMap(({ hostRole, output }) => output.warnings.map((warning) => `${hostRole}: ${warning}`)),
      ...throughput.warnings,
    ],
  };
}

function hostCounters({ hostRole, stream, output }: HostStream, direction: DrivenDirection): Sample[] {
  const originSeconds = streamOriginSeconds(stream.lines);
  if (originSeconds === undefined) return [];
  const toSeconds = output.intervals.at(-1)?.endSeconds;
  return counterSamples(stream.lines, { hostRole, direction, originSeconds, fromSeconds: 0, toSeconds });
}

function incompleteReason(hosts: readonly HostStream[]): string | undefined {
  const client = hosts.find((host) => host.hostRole === 'client');
  if (client === undefined) return NO_CLIENT_STREAM;
  if (!client.output.complete) return reasonOf(client.output, client.stream);
  const server = hosts.find((host) => host.hostRole === 'server');
  if (server !== undefined && !server.output.complete) return `server: ${reasonOf(server.output, server.stream)}`;
  return undefined;
}

/** A tool that failed in a way no parser knows has still said something: its last words. */
function reasonOf(output: ToolOutput, stream: RawStream): string {
  if (output.errors.length > 0) return output.errors.at(-1)!;
  const hasMeasured = output.tool === 'iperf3' ? output.intervals.length > 0 : output.observations !== undefined;
  const lastWords = hasMeasured ? undefined : (lastLine(stream, 'stderr') ?? lastLine(stream, 'stdout'));
  return lastWords ?? output.incompleteReason ?? 'the tool did not finish';
}

const MAX_REASON_LENGTH = 400;

function lastLine(stream: RawStream, source: 'stdout' | 'stderr'): string | undefined {
  const last = stream.lines.findLast((line) => line.source === source && line.line.trim() !== '');
  return last !== undefined && 'line' in last ? last.line.trim().slice(0, MAX_REASON_LENGTH) : undefined;
}

function toolText(stream: RawStream): string {
  return stream.lines.flatMap((line) => ('line' in line ? [line.line] : [])).join('\n');
}
