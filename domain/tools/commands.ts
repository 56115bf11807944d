/** The commands of a measurement: which document runs where, with which parameters, and for how long at most. */
import type { PlannedMeasurement } from '../plan/planned-run';
import type { HostCommand } from '../workflow/contracts';
import { toolModule } from './catalogue';

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
  return measurement.durationSeconds + toolModule(measurement.tool).overheadSeconds;
}

/** What serving and measuring take at most, one after the other. */
export function measurementLimitSeconds(measurement: PlannedMeasurement): number {
  return SERVE_DEADLINE_SECONDS + measureDeadlineSeconds(measurement);
}

export function prepareCommand(context: CommandContext): HostCommand {
  return command(PREPARE_DOCUMENT, context, PREPARE_EXPECTED_SECONDS, PREPARE_DEADLINE_SECONDS, {});
}

/** @returns undefined for a tool that needs nothing on the server. */
export function serveCommand(context: CommandContext, measurement: PlannedMeasurement): HostCommand | undefined {
  const { serve } = toolModule(measurement.tool);
  if (serve === undefined) return undefined;
  return command(serve.document, context, SERVE_EXPECTED_SECONDS, SERVE_DEADLINE_SECONDS, {
    MeasurementId: measurement.measurementId,
    ...serve.parameters(measurement),
  });
}

export function measureCommand(
  context: CommandContext & { readonly serverAddress: string },
  measurement: PlannedMeasurement,
): HostCommand {
  const { measure } = toolModule(measurement.tool);
  return command(measure.document, context, measureExpectedSeconds(measurement), measureDeadlineSeconds(measurement), {
    MeasurementId: measurement.measurementId,
    ServerAddress: context.serverAddress,
    ...measure.parameters(measurement),
  });
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
