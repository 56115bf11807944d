/** The raw streams of one measurement become its result, its samples and its row; a second analysis writes the same again. */
import { measurementRow, sampleRow } from '../../domain/tables/columns';
import { analyseStreams, type FoundStreams } from '../../domain/analysis/measurement-result';
import { toolModule } from '../../domain/tools/catalogue';
import type { PlannedRun } from '../../domain/model/planned-run';
import type { AnalyseMeasurementRequest, AnalyseMeasurementResponse, PairHosts } from '../../domain/workflow/contracts';
import { IncompleteSeriesError } from '../../domain/workflow/error-names';
import {
  manifestKey,
  measurementResultKey,
  measurementRowKey,
  pairHostsKey,
  planKey,
  samplesKey,
} from '../../domain/workflow/object-keys';
import { type HostRole } from '../../domain/model/host-role';
import type { Log } from '../shared/logger';
import {
  decodeJson,
  encodeGzipRows,
  encodeJson,
  encodeRows,
  JSON_TYPE,
  NDJSON,
  NDJSON_GZIP,
} from '../shared/stored-json';
import { readStream, type ReadStream } from './read-stream';

export interface AnalyseMeasurementDependencies {
  readonly hostRoleId: string;
  readonly getObject: (key: string) => Promise<Uint8Array>;
  readonly listObjects: (prefix: string) => Promise<string[]>;
  readonly putObject: (key: string, body: Uint8Array, contentType: string) => Promise<void>;
  readonly log: Log;
}

export function makeAnalyseMeasurement(deps: AnalyseMeasurementDependencies) {
  const readJson = async <T>(key: string) => decodeJson<T>(key, await deps.getObject(key));

  return async (request: AnalyseMeasurementRequest): Promise<AnalyseMeasurementResponse> => {
    const { runId, pairIndex, measurementIndex } = request;
    const run = await readJson<PlannedRun>(planKey(runId));
    const pair = run.pairs[pairIndex];
    const measurement = pair?.measurements[measurementIndex];
    if (pair === undefined || measurement === undefined) {
      throw new Error(`measurement ${measurementIndex} of pair ${pairIndex}: must be in the plan of ${runId}, is not`);
    }
    const { measurementId } = measurement;
    const hosts = await readJson<PairHosts>(pairHostsKey(runId, pair.pairId));

    const read = async (hostRole: HostRole): Promise<ReadStream> => {
      const userId = `${deps.hostRoleId}:${hosts[hostRole].instanceId}`;
      const identity = { userId, runId, measurementId, hostRole };
      const found = await readStream(deps, identity);
      if (found.manifest === undefined && !request.acceptTruncated) {
        throw new IncompleteSeriesError(`${manifestKey(identity)}: must be in the store, is not there yet`);
      }
      return found;
    };
    const streams: FoundStreams = {
      client: await read('client'),
      ...(toolModule(measurement.tool).hasServerStream(measurement) ? { server: await read('server') } : {}),
    };

    const { result, samples } = analyseStreams({
      run,
      pair,
      measurement,
      hosts,
      streams,
      failureReason: request.failureReason,
    });
    const identity = { runId, measurementId };
    if (samples.length > 0) {
      const rows = samples.map((sample) => sampleRow(sample, identity));
      await deps.putObject(samplesKey(run.day, runId, measurementId), encodeGzipRows(rows), NDJSON_GZIP);
    }
    await deps.putObject(
      measurementRowKey(run.day, runId, measurementId),
      encodeRows([measurementRow(result)]),
      NDJSON,
    );
    // Last: whoever finds the result finds its rows too.
    await deps.putObject(measurementResultKey(runId, measurementId), encodeJson(result), JSON_TYPE);

    const { status, reason = null } = result;
    const verdictKind = result.verdict?.kind ?? null;
    deps.log('measurement analysed', {
      runId,
      measurementId,
      status,
      reason,
      verdictKind,
      sampleCount: samples.length,
    });
    return { measurementId, status, reason, verdictKind };
  };
}
