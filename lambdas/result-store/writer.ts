/** Writes everything in the result bucket. The same values always give the same bytes under the same keys. */
import type { RunForecast } from '../../domain/forecast/forecast-run';
import type { RunCost } from '../../domain/model/cost';
import type { HostRole } from '../../domain/model/host-role';
import type { PlannedRun } from '../../domain/model/planned-run';
import type { MeasurementResult } from '../../domain/model/result';
import type { Sample } from '../../domain/model/sample';
import type { ProbedPath } from '../../domain/model/probed-path';
import { resultToJson } from '../../domain/model/verdict-json';
import { summaryToJson, type RunSummary } from '../../domain/run/summary';
import { liveSampleRow, measurementRow, sampleRow, type LiveSampleIdentity } from '../../domain/tables/columns';
import { seriesCsv } from '../../domain/tables/series-csv';
import { storedSample } from '../../domain/tables/stored-sample';
import type { PairHosts, RefusedLaunch } from '../../domain/workflow/contracts';
import {
  costKey,
  forecastKey,
  launchIntentKey,
  liveMeasurementRowKey,
  liveSamplesKey,
  measurementResultKey,
  measurementSamplesKey,
  pairHostsKey,
  planKey,
  probedPathKey,
  refusedLaunchKey,
  reportKey,
  rowPartKey,
  seriesCsvKey,
  summaryKey,
} from '../../domain/workflow/object-keys';
import type { WritableBucket } from '../adapters/s3';
import {
  encodeGzip,
  encodeGzipRows,
  encodeJson,
  encodeMeasurementSamples,
  encodeRows,
  GZIP_TYPE,
  HTML_TYPE,
  JSON_TYPE,
  NDJSON_TYPE,
} from './encoding';

export type ResultWriter = ReturnType<typeof resultWriter>;

/** The chunk that live samples come from, and the partition that they belong to. */
export interface LiveSamplesOrigin extends LiveSampleIdentity {
  readonly hostRole: HostRole;
  /** The UTC day of the partition, `YYYY-MM-DD`. */
  readonly day: string;
}

export function resultWriter({ bucketName, putObject, putObjectOnce }: WritableBucket) {
  const uri = (key: string) => `s3://${bucketName}/${key}`;
  const writeJson = (key: string, value: unknown) => putObject(key, encodeJson(value), JSON_TYPE);
  const writeMeasurementSamples = (runId: string, measurementId: string, samples: readonly Sample[]) => {
    const key = measurementSamplesKey(runId, measurementId);
    const rows = samples.map((sample) => sampleRow(sample, { runId, measurementId }));
    const { body, metadata } = encodeMeasurementSamples(key, rows);
    return putObject(key, body, GZIP_TYPE, metadata);
  };
  const writeSeries = async (runId: string, measurementId: string, samples: readonly Sample[]): Promise<void> => {
    if (samples.length === 0) return;
    await putObject(seriesCsvKey(runId, measurementId), encodeGzip(seriesCsv(samples)), GZIP_TYPE);
  };

  return {
    /** The S3 URIs of a run's documents, whether or not these exist yet. */
    uris: (runId: string) => ({
      plan: uri(planKey(runId)),
      forecast: uri(forecastKey(runId)),
      summary: uri(summaryKey(runId)),
      report: uri(reportKey(runId)),
    }),

    writePlan: (run: PlannedRun): Promise<void> => writeJson(planKey(run.runId), run),

    writeForecast: (runId: string, forecast: RunForecast & { readonly warnings: readonly string[] }): Promise<void> =>
      writeJson(forecastKey(runId), forecast),

    /** @returns false and keeps the earlier time if the launch of this pair was tried before */
    writeLaunchIntentOnce: (runId: string, pairId: string, launchedAt: Date): Promise<boolean> =>
      putObjectOnce(launchIntentKey(runId, pairId), encodeJson({ launchedAt: launchedAt.toISOString() }), JSON_TYPE),

    /** Keeps the first record, because only the first call of an attempt may have seen a host. */
    writeRefusedLaunchOnce: async (
      runId: string,
      pairId: string,
      attempt: number,
      refused: RefusedLaunch,
    ): Promise<void> => {
      await putObjectOnce(refusedLaunchKey(runId, pairId, attempt), encodeJson(refused), JSON_TYPE);
    },

    writeHosts: (hosts: PairHosts): Promise<void> => writeJson(pairHostsKey(hosts.runId, hosts.pairId), hosts),

    writeProbedPath: (path: ProbedPath): Promise<void> => writeJson(probedPathKey(path.runId, path.pairId), path),

    writeLiveSamples: (origin: LiveSamplesOrigin, samples: readonly Sample[]): Promise<void> => {
      const { day, hostRole, ...identity } = origin;
      const { runId, measurementId, sequence } = identity;
      const key = liveSamplesKey(day, { runId, measurementId, hostRole }, sequence);
      return putObject(key, encodeGzipRows(samples.map((sample) => liveSampleRow(sample, identity))), GZIP_TYPE);
    },

    /**
     * Writes the rows first, so that whoever finds the result finds its rows too.
     * @param samples absent for a result without an analysis, because an analysis may be storing samples now
     */
    writeResult: async (result: MeasurementResult, samples?: readonly Sample[]): Promise<void> => {
      const { day, runId, measurementId } = result;
      const row = measurementRow(result);
      if (samples) {
        const stored = samples.map(storedSample);
        await writeMeasurementSamples(runId, measurementId, stored);
        await writeSeries(runId, measurementId, stored);
      }
      await putObject(rowPartKey(runId, measurementId), encodeGzipRows([row]), GZIP_TYPE);
      await putObject(liveMeasurementRowKey(day, runId, measurementId), encodeRows([row]), NDJSON_TYPE);
      await writeJson(measurementResultKey(runId, measurementId), resultToJson(result));
    },

    writeCost: (cost: RunCost): Promise<void> => writeJson(costKey(cost.runId), cost),

    writeSummary: (summary: RunSummary): Promise<void> => writeJson(summaryKey(summary.runId), summaryToJson(summary)),

    writeReport: (runId: string, html: string): Promise<void> =>
      putObject(reportKey(runId), new TextEncoder().encode(html), HTML_TYPE),
  };
}
