/** One measurement out of the raw streams of its hosts: samples, statistics, and whether it is all there. */
import { withoutAbsent } from '../parsers/tool-series';
import type { RoundTrip, ThroughputOutput, ToolOutput } from '../parsers/tool-output';
import { conditionsStatistics } from './conditions-statistics';
import { latencyStatistics } from './latency-statistics';
import { throughputStatistics } from './throughput-statistics';
import type { Sample } from '../model/sample';
import type { Statistics } from '../model/statistics';
import type { ChunkHeader, RawLine } from '../model/raw-chunk';
import { throughputSamples } from './throughput-samples';

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
  /** Processor time that the tool took, in percent of one processor. */
  readonly cpu?: HostCpu;
  /** Measured beside the load, in order. */
  readonly roundTrips?: readonly RoundTrip[];
  readonly warnings: readonly string[];
}

export interface HostCpu {
  readonly clientPercent?: number;
  readonly serverPercent?: number;
}

/** One file of one end, as somebody kept it: no counters, and the other end's view only where the tool fetched it. */
export function assembleOutput(output: ToolOutput): AssembledMeasurement {
  const common = {
    complete: output.complete,
    ...(output.incompleteReason !== undefined && { reason: output.incompleteReason }),
    ...(output.toolVersion !== undefined && { toolVersion: output.toolVersion }),
  };
  if (output.kind === 'latency') {
    return { ...common, samples: [], statistics: latencyStatistics(output), client: output, warnings: output.warnings };
  }
  if (output.kind === 'conditions') {
    const statistics = conditionsStatistics(output);
    return { ...common, samples: [], statistics, client: output, warnings: output.warnings };
  }
  const hostRole = output.role ?? 'client';
  const throughput = throughputSamples([{ hostRole, output }], output.complete);
  return {
    ...common,
    samples: throughput.samples,
    statistics: throughputStatistics([output], throughput),
    [hostRole]: output,
    ...cpuOf({ [hostRole]: output }),
    warnings: [...output.warnings, ...throughput.warnings],
  };
}

/** Both ends' processor time: each knows its own and, from iperf3's exchange at the end, its peer's. */
export function cpuOf(outputs: { readonly client?: ThroughputOutput; readonly server?: ThroughputOutput }): {
  cpu?: HostCpu;
} {
  const clientPercent = outputs.client?.cpu?.localPercent ?? outputs.server?.cpu?.remotePercent;
  const serverPercent = outputs.client?.cpu?.remotePercent ?? outputs.server?.cpu?.localPercent;
  if (clientPercent === undefined && serverPercent === undefined) return {};
  return { cpu: withoutAbsent({ clientPercent, serverPercent }) };
}

export const NO_CLIENT_STREAM = 'nothing came from the client';

/** A tool that failed in a way no parser knows has still said something: its last words. */
export function reasonOf(output: ToolOutput, stream: RawStream): string {
  if (output.errors.length > 0) return output.errors.at(-1)!;
  const lastWords = hasMeasured(output) ? undefined : (lastLine(stream, 'stderr') ?? lastLine(stream, 'stdout'));
  return lastWords ?? output.incompleteReason ?? 'the tool did not finish';
}

function hasMeasured(output: ToolOutput): boolean {
  switch (output.kind) {
    case 'throughput':
      return output.intervals.length > 0;
    case 'latency':
      return output.observations !== undefined;
    case 'conditions':
      return output.pathMtuBytes !== undefined;
  }
}

const MAX_REASON_LENGTH = 400;

function lastLine(stream: RawStream, source: 'stdout' | 'stderr'): string | undefined {
  const last = stream.lines.findLast((line) => line.source === source && line.line.trim() !== '');
  return last !== undefined && 'line' in last ? last.line.trim().slice(0, MAX_REASON_LENGTH) : undefined;
}

export function toolText(stream: RawStream): string {
  return stream.lines.flatMap((line) => ('line' in line ? [line.line] : [])).join('\n');
}
