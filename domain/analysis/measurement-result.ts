/** The result of a measurement, from its plan, its hosts and the streams that arrived. */
import type { PlannedMeasurement, PlannedPair, PlannedRun } from '../model/planned-run';
import { withLoadedLatency } from '../assembly/loaded-latency';
import { judgeMeasurement, judgePacketRate, judgeRoundTrips } from './judge-measurement';
import type { LaunchedHost, PairHosts } from '../workflow/contracts';
import { toolModule } from '../tools/catalogue';
import { withToolCpu, type AssembledMeasurement } from '../assembly/assemble-measurement';
import { brokenRates, type RawStream } from '../assembly/raw-streams';
import { cutPathReason } from '../assembly/cut-path';
import { enaSrdPackets, interfaceBytes } from '../assembly/counter-samples';
import { isHeldBack } from '../model/verdict';
import type { MeasuredHost, MeasurementResult } from '../model/result';
import type { MetricKind } from '../model/settings';
import type { HostRole } from '../model/host-role';
import { conditionsOf, latencyOf, toolCpuOf } from '../model/statistics';
import { canLackCpuCredits, cpuContention, type HostProcessors } from '../verdict/causes/cpu';
import { enaExpressSetupWarnings, enaExpressShortfall } from '../verdict/ena-express';
import { singleFlowCap } from '../model/flow-cap';
import { fragmentsPerMessage, segmentBytes } from '../model/packet-form';
import type { HostFacts, StreamManifest } from '../model/raw-chunk';
import { printableMessage } from '../text/printable';

/** The stream of one host, as far as it was found in the store. */
export interface FoundStream {
  readonly stream?: RawStream;
  readonly manifest?: StreamManifest;
  readonly faults: readonly string[];
}

export interface FoundStreams {
  readonly client: FoundStream;
  /** The server's stream; absent if the tool's server streams nothing. */
  readonly server?: FoundStream;
}

/** The part of a result that follows from the plan, whether anything was measured or not. */
export function plannedResult(run: PlannedRun, pair: PlannedPair, measurement: PlannedMeasurement) {
  const { port, notApplicable, ...asked } = measurement;
  const { pairIndex, candidateSubnets, lifetimeSeconds, hostDeadlines, ends, measurements, ...placed } = pair;
  return {
    schema: 'network-benchmark.measurement.v1',
    runId: run.runId,
    planName: run.plan.name,
    day: run.day,
    region: run.region,
    scaledModel: run.scaledModel,
    ...asked,
    kind: toolModule(measurement.tool).kind(measurement),
    ...placed,
    publishedClient: run.instanceTypes[pair.clientType],
    publishedServer: run.instanceTypes[pair.serverType],
  } as const satisfies Partial<MeasurementResult>;
}

/** The result of a measurement that can't be made between these hosts, or that left nothing to analyse for a reason. */
export function unmeasuredResult(
  run: PlannedRun,
  pair: PlannedPair,
  measurement: PlannedMeasurement,
  failureReason: string,
): MeasurementResult {
  const { notApplicable } = measurement;
  const status = notApplicable === undefined ? 'failed' : 'not_applicable';
  const reason = notApplicable ?? failureReason;
  return { ...plannedResult(run, pair, measurement), status, reason, statistics: {}, verdict: null, warnings: [] };
}

interface AnalysisInput {
  readonly run: PlannedRun;
  readonly pair: PlannedPair;
  readonly measurement: PlannedMeasurement;
  readonly hosts: PairHosts;
  readonly streams: FoundStreams;
  /** Why the measurement failed; null when it did not. */
  readonly failureReason: string | null;
}

export function analyseStreams(input: AnalysisInput) {
  const { run, pair, measurement, hosts } = input;
  const { client, server } = input.streams;
  const module = toolModule(measurement.tool);
  const found = withToolCpu(module.assemble({ client: client.stream, server: server?.stream }, measurement));
  const isMeasured = hasMeasured(module.kind(measurement), found);
  const assembled = isMeasured ? found : { ...found, samples: [], statistics: {}, roundTrips: [] };
  const reasons = reasonsOf(input, found);
  const status = !isMeasured ? 'failed' : reasons.length === 0 ? 'complete' : 'truncated';
  const contention = isMeasured ? cpuContention(processorsOf(input, assembled)) : undefined;
  const context = {
    clientType: run.instanceTypes[pair.clientType],
    // If the payload bucket is the other endpoint, the server's limits do not apply.
    serverType: module.usesPayloadBucket ? undefined : run.instanceTypes[pair.serverType],
    clientCpuCredits: pair.clientCpuCredits,
    serverCpuCredits: pair.serverCpuCredits,
    singleFlowCap: singleFlowCap(measurement.protocol ?? 'tcp', module.usesPayloadBucket ? 'object_store' : pair),
    flowCount: measurement.parallelStreams,
    targetBitsPerSecond: measurement.targetBitsPerSecond,
    dutyCycle: measurement.dutyCycle,
    cpuContention: contention,
    scaledModel: run.scaledModel,
    ...packetForm(measurement, pair),
    enaExpressShortfall: enaExpressShortfall(
      pair,
      measurement.protocol ?? 'tcp',
      enaSrdPackets(client.stream?.lines ?? []),
      enaSrdPackets(server?.stream?.lines ?? []),
    ),
    truncated: status === 'truncated',
  };
  const { verdict, otherDirection } = judgeMeasurement(assembled, context);
  const packetVerdict =
    isMeasured && module.kind(measurement) === 'packets'
      ? judgePacketRate(assembled, {
          ...context,
          direction: measurement.direction === 'reverse' ? 'reverse' : 'forward',
          datagramBytes: measurement.datagramBytes,
        })
      : undefined;
  // If every message was held back, there are no round trips, but the counters show what held them back.
  const onRoundTrips = module.kind(measurement) === 'latency' ? judgeRoundTrips(found, context) : undefined;
  const latencyVerdict = isMeasured || isHeldBack({ latencyVerdict: onRoundTrips }) ? onRoundTrips : undefined;
  const throughput = assembled.samples.filter(({ metric }) => metric === 'throughput' || metric === 'packets');
  const oneDirection = throughput.filter((sample) => sample.direction === throughput[0]?.direction);
  const result: MeasurementResult = {
    ...plannedResult(run, pair, measurement),
    client: measuredHost(hosts.client, client),
    server: measuredHost(hosts.server, server),
    isDisplaced: hosts.isDisplaced,
    status,
    reason: reasons.length === 0 ? undefined : reasons.join('; '),
    toolVersion: assembled.toolVersion,
    startedAt: instant(client.manifest?.startedAtSeconds ?? client.stream?.header.startedAtSeconds),
    endedAt: instant(client.manifest?.endedAtSeconds ?? client.stream?.lines.at(-1)?.time),
    sampleCount: oneDirection.length === 0 ? undefined : oneDirection.length,
    statistics: withLoadedLatency(assembled.statistics, assembled.roundTrips, verdict?.onset?.value ?? null),
    cpuContention: contention,
    verdict,
    otherDirection: otherDirection ?? undefined,
    packetVerdict,
    latencyVerdict,
    warnings: [
      ...assembled.warnings,
      ...(latencyVerdict && isHeldBack({ latencyVerdict }) ? [latencyVerdict.explanation] : []),
      ...byRole(input.streams).flatMap(([hostRole, { manifest }]) =>
        (manifest?.warnings ?? []).map((warning) => `${hostRole}: ${printableMessage(warning)}`),
      ),
      ...enaExpressSetupWarnings(pair, { client: factsOf(client), server: factsOf(server) }),
    ],
  };
  return { result, samples: assembled.samples };
}

function packetForm(measurement: PlannedMeasurement, pair: PlannedPair) {
  return {
    segmentBytes: measurement.protocol === 'udp' ? undefined : (measurement.mssBytes ?? segmentBytes(pair)),
    fragmentsPerDatagram: fragmentsPerMessage(measurement, pair),
  };
}

/** Why the measurement is not complete, the most informative reason first, each once. */
function reasonsOf({ streams, failureReason }: AnalysisInput, assembled: AssembledMeasurement): string[] {
  const found = byRole(streams);
  const hasAnything = found.some(([, { stream }]) => stream !== undefined);
  // If nothing arrived, the reason for the failure explains everything.
  if (failureReason !== null && !hasAnything) return [failureReason];
  const pathCut = pathCutReason(streams);
  const isExplained = pathCut !== undefined && streams.client.manifest?.exitCode === TIME_LIMIT_EXIT_CODE;
  const all = [
    ...(pathCut === undefined ? [] : [pathCut]),
    ...(failureReason === null || isExplained ? [] : [failureReason]),
    ...(pathCut === undefined ? unfinishedReasons(found, assembled) : []),
    ...found.flatMap(([, { faults }]) => faults),
    ...found.flatMap(([hostRole, { stream }]) =>
      stream === undefined ? [] : brokenRates(stream).map((broken) => `${hostRole}: ${broken}`),
    ),
    ...(isExplained ? [] : exitReason(streams.client.manifest)),
  ];
  return all
    .map(printableMessage)
    .filter((reason, index, reasons) => !reasons.slice(0, index).some((earlier) => earlier.includes(reason)));
}

function byRole(streams: FoundStreams) {
  return Object.entries(streams) as [HostRole, FoundStream][];
}

function unfinishedReasons(found: ReturnType<typeof byRole>, { complete, reason }: AssembledMeasurement): string[] {
  return [
    ...(complete ? [] : [reason ?? 'the tool did not finish']),
    ...found.flatMap(([hostRole, { manifest, stream }]) => {
      if (stream && !manifest)
        return [`${hostRole}: its stream has no end, because the host was lost or its tool still ran`];
      return !stream && hostRole === 'server' ? ['nothing came from the server'] : [];
    }),
  ];
}

/** How `timeout` exits, under which every document runs its tool. */
const TIME_LIMIT_EXIT_CODE = 124;

/** Looks for a cut path only where a tool waited for the other until its time limit, or waits for it still. */
function pathCutReason({ client, server }: FoundStreams): string | undefined {
  const hasWaited = client.manifest?.exitCode === TIME_LIMIT_EXIT_CODE || server?.manifest === undefined;
  return client.manifest && hasWaited ? cutPathReason({ client: client.stream, server: server?.stream }) : undefined;
}

/** An exit code of 0 proves nothing; any other means that the tool failed. */
function exitReason(manifest: StreamManifest | undefined): string[] {
  if (manifest === undefined || manifest.exitCode === 0) return [];
  const { tool, exitCode, signal } = manifest;
  return [`${tool} ${exitCode === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${exitCode}`}`];
}

function hasMeasured(kind: MetricKind, { samples, statistics }: AssembledMeasurement): boolean {
  switch (kind) {
    case 'throughput':
      return samples.some((sample) => sample.metric === 'throughput');
    case 'packets':
      return samples.some((sample) => sample.metric === 'packets');
    case 'latency':
      return latencyOf({ kind, statistics })?.rttMicros !== undefined;
    case 'conditions':
      return conditionsOf({ kind, statistics })?.pathMtuBytes !== undefined;
  }
}

function processorsOf({ run, pair, streams }: AnalysisInput, { statistics }: AssembledMeasurement): HostProcessors[] {
  return (['client', 'server'] as const).map((hostRole): HostProcessors => {
    const type = run.instanceTypes[pair[`${hostRole}Type`]];
    const facts = factsOf(streams[hostRole]);
    return {
      ...toolCpuOf({ statistics })[`${hostRole}Cpu`],
      hostRole,
      processorCount: facts?.vcpuCount ?? type?.vcpuCount,
      mayLackCpuCredits: canLackCpuCredits(type, pair[`${hostRole}CpuCredits`]),
    };
  });
}

function factsOf(found: FoundStream | undefined): HostFacts | undefined {
  const facts = found?.stream?.lines.find((line) => line.source === 'facts')?.facts;
  return facts && printableFacts(facts);
}

function instant(unixSeconds: number | undefined): string | undefined {
  return unixSeconds === undefined ? undefined : new Date(unixSeconds * 1000).toISOString();
}

function measuredHost(host: LaunchedHost, found?: FoundStream): MeasuredHost {
  const { instanceId, zone, zoneId, subnetId, vpcId, imageId, privateIp } = host;
  const lines = found?.stream?.lines ?? [];
  return {
    instanceId,
    zone,
    zoneId,
    subnetId,
    vpcId,
    imageId,
    privateIp,
    facts: factsOf(found),
    enaSrdPackets: enaSrdPackets(lines),
    interfaceBytes: interfaceBytes(lines),
  };
}

function printableFacts(facts: Readonly<Record<string, unknown>>): HostFacts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [name, typeof fact === 'string' ? printableMessage(fact) : fact]),
  );
}
