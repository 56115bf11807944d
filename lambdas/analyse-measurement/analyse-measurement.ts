/** The raw streams of one measurement become its result, its samples and its row. */
import type { MeasurementResult } from '../../domain/measurement/measurement';
import { TOOL_CATALOGUE } from '../../domain/measurement/tool-catalogue';
import type { PlannedRun } from '../../domain/plan/planned-run';
import type { AnalyseMeasurementRequest, AnalyseMeasurementResponse, PairHosts } from '../../domain/workflow/contracts';
import { IncompleteSeriesError } from '../../domain/workflow/error-names';
import {
  manifestKey,
  measurementResultKey,
  pairHostsKey,
  planKey,
  rawStreamPrefix,
  type HostRole,
} from '../../domain/workflow/object-keys';
import type { Log } from '../shared/logger';
import { decodeJson, encodeJson } from '../shared/stored-json';

export interface AnalyseMeasurementDependencies {
  readonly bucketName: string;
  readonly hostRoleId: string;
  getObject(key: string): Promise<Uint8Array>;
  findObject(key: string): Promise<Uint8Array | undefined>;
  listObjects(prefix: string): Promise<string[]>;
  putObject(key: string, body: Uint8Array, contentType: string): Promise<void>;
  readonly log: Log;
}

export function makeAnalyseMeasurement(deps: AnalyseMeasurementDependencies) {
  return async (request: AnalyseMeasurementRequest): Promise<AnalyseMeasurementResponse> => {
    const { runId, pairIndex, measurementIndex } = request;
    const run = decodeJson<PlannedRun>(planKey(runId), await deps.getObject(planKey(runId)));
    const pair = run.pairs[pairIndex]!;
    const measurement = pair.measurements[measurementIndex]!;
    const hostsKey = pairHostsKey(runId, pair.pairId);
    const hosts = decodeJson<PairHosts>(hostsKey, await deps.getObject(hostsKey));
    const roles: HostRole[] = TOOL_CATALOGUE[measurement.tool].hasServerStream ? ['client', 'server'] : ['client'];
    const missing: string[] = [];
    let chunkCount = 0;
    for (const hostRole of roles) {
      const stream = {
        userId: `${deps.hostRoleId}:${hosts[hostRole].instanceId}`,
        runId,
        measurementId: measurement.measurementId,
        hostRole,
      };
      const keys = await deps.listObjects(rawStreamPrefix(stream));
      chunkCount += keys.filter((key) => key.endsWith('.ndjson.gz')).length;
      if (!keys.includes(manifestKey(stream))) missing.push(manifestKey(stream));
    }
    if (missing.length > 0 && !request.acceptTruncated) {
      throw new IncompleteSeriesError(
        `${measurement.measurementId}: must have a manifest, got none at ${missing.join(', ')}`,
      );
    }
    const reason = request.failureReason ?? (chunkCount === 0 ? 'no raw output arrived' : 'series not analysed');
    const result: MeasurementResult = {
      schema: 'network-benchmark.measurement.v1',
      runId,
      planName: run.plan.name,
      pairId: pair.pairId,
      repetition: pair.repetition,
      day: run.day,
      ...measurement,
      clientType: pair.clientType,
      serverType: pair.serverType,
      zoneRelation: pair.zoneRelation,
      placement: pair.placement,
      path: pair.path,
      status: 'failed',
      reason,
      statistics: {},
      verdict: null,
      warnings: [],
    };
    await deps.putObject(
      measurementResultKey(runId, measurement.measurementId),
      encodeJson(result),
      'application/json',
    );
    return { measurementId: measurement.measurementId, status: 'failed', reason, verdictKind: null };
  };
}
