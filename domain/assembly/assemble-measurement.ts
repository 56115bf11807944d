import type { HostRole } from '../model/host-role';
import { meanOf, type Sample } from '../model/sample';
import { withSharedFigures } from '../model/statistics';
import type { ConditionsStatistics, CpuShare, LatencyStatistics, Statistics } from '../model/statistics';
import { timerQuantumMicros } from '../parsers/latency-warnings';
import type { ConditionsOutput, LatencyOutput, RoundTrip, ThroughputOutput, ToolOutput } from '../parsers/tool-output';
import { reasonOf, toolText, type MeasurementStreams, type RawStream } from './raw-streams';
import { countersOfHosts } from './counter-samples';
import { roundMicros } from '../series/second-grid';
import { throughputSamples } from './throughput-samples';
import { throughputStatistics } from './throughput-statistics';

export interface AssembledMeasurement {
  readonly samples: readonly Sample[];
  readonly statistics: Statistics;
  readonly complete: boolean;
  /** Why the measurement is incomplete; absent if it is complete. */
  readonly reason?: string;
  readonly toolVersion?: string;
  readonly client?: ToolOutput;
  readonly server?: ToolOutput;
  readonly cpu?: HostCpu;
  readonly roundTrips?: readonly RoundTrip[];
  readonly warnings: readonly string[];
}

/** Processor time of the tool, in percent of one processor. */
type HostCpu = Readonly<Partial<Record<'clientPercent' | 'serverPercent', number>>>;

export const NO_CLIENT_STREAM = 'nothing came from the client';

/** A measurement of which only the reason for its failure is known. */
export function nothingAssembled(reason: string): AssembledMeasurement {
  return { samples: [], statistics: {}, complete: false, reason, warnings: [] };
}

/** Assembles one file of one host, which has no counters, and the other host's view only if the tool fetched it. */
export function assembleOutput(output: ToolOutput): AssembledMeasurement {
  const { complete, incompleteReason: reason, toolVersion, warnings } = output;
  const common = { complete, reason, toolVersion };
  if (output.kind !== 'throughput') {
    return { ...common, samples: [], statistics: printedStatistics(output), client: output, warnings };
  }
  const hostRole = output.role ?? 'client';
  const throughput = throughputSamples([{ hostRole, output }], complete);
  const figures = throughputStatistics([output], throughput);
  return {
    ...common,
    samples: throughput.samples,
    statistics: figures.statistics,
    [hostRole]: output,
    cpu: cpuOf({ [hostRole]: output }),
    warnings: [...warnings, ...throughput.warnings, ...figures.warnings],
  };
}

/** Assembles a measurement whose client tool prints its figures at the end, with samples of both hosts' counters. */
export function assembleClientOutput(
  { client, server }: MeasurementStreams,
  parse: (text: string, command: readonly string[]) => LatencyOutput | ConditionsOutput,
): AssembledMeasurement {
  if (client === undefined) return nothingAssembled(NO_CLIENT_STREAM);
  const { startedAtSeconds: originSeconds, command } = client.header;
  const output = parse(toolText(client), command);
  // The server's counters are read before the client begins and after it has ended, too.
  const toSeconds = roundMicros((client.lines.at(-1)?.time ?? originSeconds) - originSeconds);
  return {
    samples: countersOfHosts({ client, server }, { direction: 'forward', originSeconds, fromSeconds: 0, toSeconds }),
    statistics: printedStatistics(output),
    ...clientFacts(output, client),
  };
}

export function clientFacts(output: ToolOutput, client: RawStream) {
  const { complete, toolVersion, warnings } = output;
  return { complete, reason: complete ? undefined : reasonOf(output, client), toolVersion, client: output, warnings };
}

/** The figures that the tool prints. */
function printedStatistics(output: LatencyOutput | ConditionsOutput): LatencyStatistics | ConditionsStatistics {
  if (output.kind === 'conditions') return { pathMtuBytes: output.pathMtuBytes, hopCount: output.hopCount };
  const { rttMicros, observations, droppedMessages, duplicatedMessages, outOfOrderMessages } = output;
  return {
    rttMicros,
    observations,
    droppedMessages,
    duplicatedMessages,
    outOfOrderMessages,
    transactionsPerSecond: output.transactionsPerSecond,
    timerQuantumMicros: rttMicros && timerQuantumMicros(rttMicros),
  };
}

/** The processor time of both hosts: each knows its own and, from iperf3's exchange at the end, its peer's. */
export function cpuOf({ client, server }: Partial<Record<HostRole, ThroughputOutput>>): HostCpu | undefined {
  const clientPercent = client?.cpu?.localPercent ?? server?.cpu?.remotePercent;
  const serverPercent = client?.cpu?.remotePercent ?? server?.cpu?.localPercent;
  return clientPercent === undefined && serverPercent === undefined ? undefined : { clientPercent, serverPercent };
}

/** Adds the sampled processor time of the tool; a figure of the tool itself is kept, as it covers only the load. */
export function withToolCpu(assembled: AssembledMeasurement): AssembledMeasurement {
  const clientCpu = shareOf(assembled.samples, 'client');
  const serverCpu = shareOf(assembled.samples, 'server');
  if (clientCpu === undefined && serverCpu === undefined) return assembled;
  return {
    ...assembled,
    statistics: withSharedFigures(assembled.statistics, { clientCpu, serverCpu }),
    cpu: {
      clientPercent: assembled.cpu?.clientPercent ?? percentOf(clientCpu),
      serverPercent: assembled.cpu?.serverPercent ?? percentOf(serverCpu),
    },
  };
}

function shareOf(samples: readonly Sample[], hostRole: HostRole): CpuShare | undefined {
  const hostSamples = samples.filter((sample) => sample.metric === 'tool_cpu' && sample.hostRole === hostRole);
  const userPercent = meanOf(hostSamples, 'userCpuPercent');
  const systemPercent = meanOf(hostSamples, 'systemCpuPercent');
  if (userPercent === undefined || systemPercent === undefined) return undefined;
  return {
    userPercent,
    systemPercent,
    waitingPercent: meanOf(hostSamples, 'waitingCpuPercent'),
    pressurePercent: meanOf(hostSamples, 'cpuPressurePercent'),
    stealPercent: meanOf(hostSamples, 'stealCpuPercent'),
  };
}

function percentOf(share: CpuShare | undefined): number | undefined {
  return share && share.userPercent + share.systemPercent;
}
