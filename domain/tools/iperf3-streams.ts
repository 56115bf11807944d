/** A measurement out of the streams of iperf3's client and server. */
import {
  cpuOf,
  NO_CLIENT_STREAM,
  reasonOf,
  toolText,
  type AssembledMeasurement,
  type MeasurementStreams,
  type RawStream,
} from '../assembly/assemble-measurement';
import { counterSamples } from '../assembly/counter-samples';
import type { DrivenDirection, MeasurementSettings } from '../model/settings';
import type { Sample } from '../model/sample';
import { roundTripSamples } from '../assembly/round-trip-samples';
import { throughputSamples, type HostOutput } from '../assembly/throughput-samples';
import { parseIperf3Text } from '../parsers/iperf3/iperf3-text';
import { throughputStatistics } from '../assembly/throughput-statistics';
import { contextOfCommand } from './iperf3-command';
import { streamOriginSeconds } from './iperf3-live';

interface HostStream extends HostOutput {
  readonly stream: RawStream;
}

export function assembleIperf3(
  streams: MeasurementStreams,
  { latencyProbe }: Pick<MeasurementSettings, 'latencyProbe'>,
): AssembledMeasurement {
  const hosts = hostStreams(streams);
  const outputs = hosts.map((host) => host.output);
  const roundTrips = outputs.find((output) => output.roundTrips !== undefined)?.roundTrips ?? [];
  const reason = incompleteReason(hosts) ?? (latencyProbe && roundTrips.length === 0 ? NO_ROUND_TRIP : undefined);
  const throughput = throughputSamples(hosts, reason === undefined);
  const direction = throughput.directions[0] ?? 'forward';
  const outputOf = Object.fromEntries(hosts.map((host) => [host.hostRole, host.output]));
  const toolVersion = outputs.find((output) => output.toolVersion !== undefined)?.toolVersion;
  return {
    samples: [
      ...throughput.samples,
      ...roundTripSamples(roundTrips, direction),
      ...hosts.flatMap((host) => hostCounters(host, direction)),
    ],
    statistics: throughputStatistics(outputs, throughput),
    complete: reason === undefined,
    ...(reason !== undefined && { reason }),
    ...(toolVersion !== undefined && { toolVersion }),
    ...outputOf,
    ...cpuOf(outputOf),
    ...(roundTrips.length > 0 && { roundTrips }),
    warnings: [
      ...endedOnPurpose(hosts),
      ...hosts.flatMap(({ hostRole, output }) => output.warnings.map((warning) => `${hostRole}: ${warning}`)),
      ...throughput.warnings,
    ],
  };
}

const NO_ROUND_TRIP = 'latency probe: no round trip was measured';

/** No fault, but a reader of the series should know why it is shorter than was planned. */
function endedOnPurpose(hosts: readonly HostStream[]): string[] {
  return hosts.flatMap(({ hostRole, output }) => (hostRole === 'client' ? (output.endedOnPurpose ?? []) : []));
}

/** The client first: that it ended on purpose is known to the client alone. */
function hostStreams({ client, server }: MeasurementStreams): HostStream[] {
  const hostStream = (hostRole: HostStream['hostRole'], stream: RawStream, endedOnPurpose?: string): HostStream => {
    const context = contextOfCommand(stream.header.command);
    return { hostRole, stream, output: parseIperf3Text(toolText(stream), { ...context, endedOnPurpose }) };
  };
  const ofClient = client && hostStream('client', client);
  const ofServer = server && hostStream('server', server, ofClient?.output.endedOnPurpose);
  return [ofClient, ofServer].filter((host) => host !== undefined);
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
