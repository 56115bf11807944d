/** A measurement out of the streams of iperf3's client and server. */
import {
  cpuOf,
  NO_CLIENT_STREAM,
  reasonOf,
  toolText,
  type AssembledMeasurement,
  type MeasurementStreams,
  type RawStream,
} from '../measurement/assemble-measurement';
import { counterSamples } from '../measurement/counter-samples';
import { streamOriginSeconds } from '../measurement/live-samples';
import type { DrivenDirection, Sample } from '../measurement/measurement';
import { throughputSamples, type HostOutput } from '../measurement/throughput-samples';
import { parseIperf3Text } from '../parsers/iperf3-text';
import { throughputStatistics } from '../statistics/throughput-statistics';
import { contextOfCommand } from './iperf3-command';

interface HostStream extends HostOutput {
  readonly stream: RawStream;
}

export function assembleIperf3(streams: MeasurementStreams): AssembledMeasurement {
  const hosts: HostStream[] = (['client', 'server'] as const).flatMap((hostRole) => {
    const stream = streams[hostRole];
    if (stream === undefined) return [];
    return [{ hostRole, stream, output: parseIperf3Text(toolText(stream), contextOfCommand(stream.header.command)) }];
  });
  const outputs = hosts.map((host) => host.output);
  const reason = incompleteReason(hosts);
  const throughput = throughputSamples(hosts, reason === undefined);
  const direction = throughput.directions[0] ?? 'forward';
  const outputOf = Object.fromEntries(hosts.map((host) => [host.hostRole, host.output]));
  const toolVersion = outputs.find((output) => output.toolVersion !== undefined)?.toolVersion;
  return {
    samples: [...throughput.samples, ...hosts.flatMap((host) => hostCounters(host, direction))],
    statistics: throughputStatistics(outputs, throughput),
    complete: reason === undefined,
    ...(reason !== undefined && { reason }),
    ...(toolVersion !== undefined && { toolVersion }),
    ...outputOf,
    ...cpuOf(outputOf),
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
