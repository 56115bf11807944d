/** What each tool is to us: its documents, their parameters, how long they take. The one home of tool facts. */
import type { PlannedMeasurement } from '../plan/planned-run';
import type { HostCommand } from '../workflow/contracts';
import type { Tool } from './measurement';

export type MeasurementKind = 'latency' | 'throughput';

interface ToolFacts {
  readonly kind: MeasurementKind;
  /** Whether measuring with it uses up network I/O credits, so that it needs a pair nobody measured on before. */
  readonly spendsCredits: boolean;
  readonly serveDocument: string;
  readonly measureDocument: string;
  /** Whether the server side leaves a stream of lines of its own. */
  readonly hasServerStream: boolean;
  /** How long the tool runs beyond its measuring time: connecting, warming up, exchanging results. */
  readonly overheadSeconds: number;
}

export const TOOL_CATALOGUE: Readonly<Record<Tool, ToolFacts>> = {
  iperf3: {
    kind: 'throughput',
    spendsCredits: true,
    serveDocument: 'serve-iperf3',
    measureDocument: 'measure-iperf3',
    hasServerStream: true,
    overheadSeconds: 2,
  },
  sockperf: {
    kind: 'latency',
    spendsCredits: false,
    serveDocument: 'serve-sockperf',
    measureDocument: 'measure-sockperf',
    // sockperf's server prints nothing about the measurement.
    hasServerStream: false,
    overheadSeconds: 2,
  },
};

export const PREPARE_DOCUMENT = 'prepare-host';

/** `serve-*` returns as soon as the server listens. */
const SERVE_EXPECTED_SECONDS = 2;
const SERVE_DEADLINE_SECONDS = 60;
/** Ubuntu's archive answers in seconds or, on a bad day, in minutes. */
const PREPARE_EXPECTED_SECONDS = 30;
export const PREPARE_DEADLINE_SECONDS = 600;
/** After the tool's end: the last chunk's upload, retried, and the agent's reply. */
const MEASURE_GRACE_SECONDS = 90;

interface CommandContext {
  readonly runId: string;
  readonly pairId: string;
  readonly bucketName: string;
}

/** Seconds after which a measurement's own command has failed, whatever the agent says. */
export function measureDeadlineSeconds(measurement: PlannedMeasurement): number {
  return measureExpectedSeconds(measurement) + MEASURE_GRACE_SECONDS;
}

export function measureExpectedSeconds(measurement: PlannedMeasurement): number {
  return measurement.durationSeconds + TOOL_CATALOGUE[measurement.tool].overheadSeconds;
}

/** What serving and measuring take at most, one after the other. */
export function measurementLimitSeconds(measurement: PlannedMeasurement): number {
  return SERVE_DEADLINE_SECONDS + measureDeadlineSeconds(measurement);
}

export function prepareCommand(context: CommandContext): HostCommand {
  return command(PREPARE_DOCUMENT, context, PREPARE_EXPECTED_SECONDS, PREPARE_DEADLINE_SECONDS, {});
}

export function serveCommand(context: CommandContext, measurement: PlannedMeasurement): HostCommand {
  const { serveDocument } = TOOL_CATALOGUE[measurement.tool];
  return command(serveDocument, context, SERVE_EXPECTED_SECONDS, SERVE_DEADLINE_SECONDS, commonParameters(measurement));
}

export function measureCommand(
  context: CommandContext & { readonly serverAddress: string },
  measurement: PlannedMeasurement,
): HostCommand {
  return command(
    TOOL_CATALOGUE[measurement.tool].measureDocument,
    context,
    measureExpectedSeconds(measurement),
    measureDeadlineSeconds(measurement),
    {
      ...commonParameters(measurement),
      ServerAddress: context.serverAddress,
      ...toolParameters(measurement),
    },
  );
}

function command(
  document: string,
  context: CommandContext,
  expectedSeconds: number,
  deadlineSeconds: number,
  parameters: Readonly<Record<string, string>>,
): HostCommand {
  const all = {
    RunId: context.runId,
    PairId: context.pairId,
    BucketName: context.bucketName,
    ExecutionTimeoutSeconds: String(deadlineSeconds),
    ...parameters,
  };
  return {
    document,
    parameters: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value] as const])),
    expectedSeconds,
    deadlineSeconds,
  };
}

function commonParameters(measurement: PlannedMeasurement): Record<string, string> {
  return {
    MeasurementId: measurement.measurementId,
    Protocol: measurement.protocol,
    Port: String(measurement.port),
    DurationSeconds: String(measurement.durationSeconds),
  };
}

function toolParameters(measurement: PlannedMeasurement): Record<string, string> {
  switch (measurement.tool) {
    case 'iperf3':
      return {
        ParallelStreams: String(measurement.parallelStreams ?? 1),
        Direction: measurement.direction ?? 'forward',
        TargetBitsPerSecond: String(measurement.targetBitsPerSecond ?? 0),
      };
    case 'sockperf':
      return { MessageBytes: String(measurement.messageBytes) };
  }
}
