/** The commands of a measurement: the document, its host and parameters, and how long it may take. */
import type { PairConditions } from '../model/conditions';
import type { PlannedMeasurement, PlannedPair } from '../model/planned-run';
import type { HostCommand, MeasurementCommands } from '../workflow/contracts';
import { TOOL_MODULES, toolModule } from './catalogue';
import type { ToolParameters } from './tool-module';

export const PREPARE_DOCUMENT = 'prepare-host';
export const PROBE_DOCUMENT = 'probe-path';

/** Below the port of every measurement, whose server would take a health check for its client. */
export const HEALTH_CHECK_PORT = 5200;
const NO_HEALTH_CHECKS = 0;

/** `serve-*` returns as soon as the server listens. */
const SERVE_EXPECTED_SECONDS = 2;
const SERVE_DEADLINE_SECONDS = 60;
/** Ubuntu's archive usually answers in seconds, sometimes in minutes. */
const PREPARE_EXPECTED_SECONDS = 30;
export const PREPARE_DEADLINE_SECONDS = 600;
/**
 * The longest that `probe-path` takes: up to 10 s for tracepath to be installed, and 25 s to run it. Polls are dense
 * around this time, so that hosts that can't reach each other are reported at once.
 */
const PROBE_EXPECTED_SECONDS = 25;
export const PROBE_DEADLINE_SECONDS = 75;
/** Time after the tool's end to upload the last chunk, with retries, and for the agent's reply. */
const MEASURE_GRACE_SECONDS = 90;

interface CommandContext {
  readonly runId: string;
  readonly pairId: string;
  readonly bucketName: string;
}

interface ClientContext extends CommandContext {
  /** The server's address on the pair's path. */
  readonly serverAddress: string;
  readonly payloadBucketName: string;
}

/** After this time, a measurement's command counts as failed, whatever the agent reports. */
function measureDeadlineSeconds(measurement: PlannedMeasurement): number {
  return measureExpectedSeconds(measurement) + MEASURE_GRACE_SECONDS;
}

export function measureExpectedSeconds(measurement: PlannedMeasurement): number {
  return measurement.durationSeconds + toolModule(measurement.tool).overheadSeconds;
}

/** The longest time that serving and measuring, one after the other, may take. */
export function measurementLimitSeconds(measurement: PlannedMeasurement): number {
  return SERVE_DEADLINE_SECONDS + measureDeadlineSeconds(measurement);
}

/** Both hosts of the pair get the same command. */
export function prepareCommand(
  context: CommandContext,
  {
    mtuBytes,
    path,
    enaExpress,
    zoneRelation,
  }: Pick<PairConditions, 'mtuBytes' | 'path' | 'enaExpress' | 'zoneRelation'>,
): HostCommand {
  const programs = hostPrograms();
  return command(PREPARE_DOCUMENT, context, PREPARE_EXPECTED_SECONDS, PREPARE_DEADLINE_SECONDS, {
    MtuBytes: mtuBytes,
    EnaExpress: enaExpress === 'off' ? 'off' : zoneRelation,
    HealthCheckPort: path === 'nlb' ? HEALTH_CHECK_PORT : NO_HEALTH_CHECKS,
    // All programs are checked, so that a missing one is found before anything is measured.
    Programs: programs.map(({ program }) => program).join(','),
    Packages: programs.map(({ debianPackage }) => debianPackage).join(','),
  });
}

/** Probes the route from the client to the server if it is the account's own; null for all other paths. */
export function probeCommand(
  context: CommandContext & Pick<ClientContext, 'serverAddress'>,
  { path, measurements }: Pick<PlannedPair, 'path' | 'measurements'>,
): HostCommand | null {
  const [first] = measurements;
  if (path !== 'own' || first === undefined) return null;
  return command(PROBE_DOCUMENT, context, PROBE_EXPECTED_SECONDS, PROBE_DEADLINE_SECONDS, {
    ServerAddress: context.serverAddress,
    Port: first.port,
  });
}

/** Returns the programs of all tools, each with its Debian package. */
export function hostPrograms(): { program: string; debianPackage: string }[] {
  const packages = new Map(TOOL_MODULES.flatMap(({ programs }) => Object.entries(programs)));
  return [...packages]
    .map(([program, debianPackage]) => ({ program, debianPackage }))
    .sort((one, other) => (one.program < other.program ? -1 : 1));
}

/** Returns the commands of the applicable measurements, each with its index on the pair. */
export function measurementCommands(
  context: ClientContext,
  measurements: readonly PlannedMeasurement[],
): MeasurementCommands[] {
  return measurements.flatMap((measurement, measurementIndex) => {
    const { measurementId, notApplicable } = measurement;
    if (notApplicable !== undefined) return [];
    const serve = serveCommand(context, measurement) ?? null;
    return [{ measurementId, measurementIndex, serve, measure: measureCommand(context, measurement) }];
  });
}

/** @returns undefined if the tool runs nothing on the server */
export function serveCommand(context: CommandContext, measurement: PlannedMeasurement): HostCommand | undefined {
  const { measurementId: MeasurementId, tool } = measurement;
  const parameters = toolModule(tool).serve?.(measurement);
  if (parameters === undefined) return undefined;
  const all = { MeasurementId, ...parameters };
  return command(`serve-${tool}`, context, SERVE_EXPECTED_SECONDS, SERVE_DEADLINE_SECONDS, all);
}

export function measureCommand(context: ClientContext, measurement: PlannedMeasurement): HostCommand {
  const { measurementId: MeasurementId, tool } = measurement;
  const module = toolModule(tool);
  const { payloadBucketName: PayloadBucket, serverAddress: ServerAddress } = context;
  const target: ToolParameters = module.usesPayloadBucket ? { PayloadBucket } : { ServerAddress };
  const [expected, deadline] = [measureExpectedSeconds(measurement), measureDeadlineSeconds(measurement)];
  return command(`measure-${tool}`, context, expected, deadline, {
    MeasurementId,
    ...target,
    ...module.measure(measurement),
  });
}

function command(
  document: string,
  context: CommandContext,
  expectedSeconds: number,
  deadlineSeconds: number,
  parameters: ToolParameters,
): HostCommand {
  const { runId: RunId, pairId: PairId, bucketName: BucketName } = context;
  const all = { RunId, PairId, BucketName, ExecutionTimeoutSeconds: deadlineSeconds, ...parameters };
  return {
    document,
    parameters: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [String(value)] as const])),
    expectedSeconds,
    deadlineSeconds,
  };
}
