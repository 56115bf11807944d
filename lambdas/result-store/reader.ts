/** Reads the documents and rows of the result bucket by what they are, and checks the schema of each document. */
import type { RunForecast } from '../../domain/forecast/forecast-run';
import type { Metric, Sample } from '../../domain/model/sample';
import { CHUNK_LIMITS } from '../../domain/model/raw-chunk';
import type { MeasurementResult } from '../../domain/model/result';
import type { PlannedPair, PlannedRun } from '../../domain/model/planned-run';
import type { ProbedPath } from '../../domain/model/probed-path';
import { resultFromJson, type MeasurementResultJson } from '../../domain/model/verdict-json';
import type { RunSummaryJson } from '../../domain/run/summary';
import { sampleOf, type Row } from '../../domain/tables/columns';
import type { PairHosts, PairRequest, RefusedLaunch } from '../../domain/workflow/contracts';
import {
  forecastKey,
  launchIntentKey,
  measurementResultKey,
  measurementSamplesKey,
  pairHostsKey,
  planKey,
  probedPathKey,
  refusedLaunchKey,
  summaryKey,
  measurementResultPrefix,
  pairsPrefix,
  refusedLaunchPrefix,
  reportKey,
  reportPrefix,
  seriesFilesOf,
  seriesPrefix,
  UNFINISHED_PREFIX,
} from '../../domain/workflow/object-keys';
import type { ReadableBucket, ListableBucket } from '../adapters/s3';
import { decodeDocument, decodeGzipLines, decodeJson, decodeMeasurementSamples } from './encoding';
import { decodeChunk, type RawChunk } from './raw-stream';

export type ResultReader = ReturnType<typeof resultReader>;

export function resultReader({ getObject, getObjectUpTo, getDescribedObject }: ReadableBucket) {
  const readDocument = async <T extends { readonly schema: string }>(key: string, schema: T['schema']) =>
    decodeDocument<T>(key, await getObject(key), schema);
  const readJson = async <T>(key: string) => decodeJson(key, await getObject(key)) as T;
  const plan = (runId: string) => readDocument<PlannedRun>(planKey(runId), 'network-benchmark.plan.v1');

  return {
    plan,

    plannedPair: async ({ runId, pairIndex }: PairRequest): Promise<{ run: PlannedRun; pair: PlannedPair }> => {
      const run = await plan(runId);
      const pair = run.pairs[pairIndex];
      if (pair === undefined) throw new Error(`pairIndex: must be 0 to ${run.pairs.length - 1}, got ${pairIndex}`);
      return { run, pair };
    },

    /** When the launch of a pair was first tried. */
    launchIntent: async (runId: string, pairId: string): Promise<Date> =>
      new Date((await readJson<{ readonly launchedAt: string }>(launchIntentKey(runId, pairId))).launchedAt),

    hosts: (runId: string, pairId: string) => readJson<PairHosts>(pairHostsKey(runId, pairId)),

    refusedLaunch: (runId: string, pairId: string, attempt: number) =>
      readJson<RefusedLaunch>(refusedLaunchKey(runId, pairId, attempt)),

    probedPath: (runId: string, pairId: string) => readJson<ProbedPath>(probedPathKey(runId, pairId)),

    forecast: (runId: string) => readJson<RunForecast>(forecastKey(runId)),

    /** @throws if the chunk is broken, or larger than the streamer's */
    chunk: async (key: string): Promise<RawChunk> =>
      decodeChunk(key, await getObjectUpTo(key, CHUNK_LIMITS.storedBytes)),

    result: async (runId: string, measurementId: string): Promise<MeasurementResult> => {
      const key = measurementResultKey(runId, measurementId);
      return resultFromJson(await readDocument<MeasurementResultJson>(key, 'network-benchmark.measurement.v1'));
    },

    /** Reads only the given metrics, because most samples are of single streams and counters and rarely needed. */
    samples: async (
      { runId, measurementId }: Pick<MeasurementResult, 'runId' | 'measurementId'>,
      metrics: readonly Metric[],
    ): Promise<Sample[]> => {
      const key = measurementSamplesKey(runId, measurementId);
      const members = decodeMeasurementSamples(key, await getDescribedObject(key));
      return metrics.flatMap((metric) => {
        const member = members.get(metric);
        const rows = member === undefined ? [] : (decodeGzipLines(key, member) as Row[]);
        return rows.map(sampleOf);
      });
    },

    summary: (runId: string) => readDocument<RunSummaryJson>(summaryKey(runId), 'network-benchmark.summary.v1'),
  };
}

export type ResultFinder = ReturnType<typeof resultFinder>;

export type RunInventory = Awaited<ReturnType<ResultFinder['inventory']>>;

/** Finds which documents of a run exist, without reading any of them. */
export function resultFinder({ listObjects }: Pick<ListableBucket, 'listObjects'>) {
  const has = (keyOf: (runId: string) => string) => async (runId: string) =>
    (await listObjects(keyOf(runId))).length > 0;

  return {
    hasPlan: has(planKey),
    hasForecast: has(forecastKey),
    /** The summary is written before the run is folded. */
    hasSummary: has(summaryKey),
    /** The report is written after everything else of a run. */
    hasReport: has(reportKey),

    launches: async (runId: string) => {
      const keys = await listObjects(pairsPrefix(runId));
      const known = new Set(keys);
      return {
        isTried: (pairId: string) => known.has(launchIntentKey(runId, pairId)),
        hasHosts: (pairId: string) => known.has(pairHostsKey(runId, pairId)),
        hasProbedPath: (pairId: string) => known.has(probedPathKey(runId, pairId)),
        /** The attempts that were refused, as indices into the candidate subnets. */
        refusedAttempts: (pairId: string) => {
          const prefix = refusedLaunchPrefix(runId, pairId);
          return keys
            .filter((key) => key.startsWith(prefix))
            .map((key) => Number.parseInt(key.slice(prefix.length), 10));
        },
      };
    },

    /** Of all runs. */
    unfinishedKeys: (): Promise<string[]> => listObjects(UNFINISHED_PREFIX),

    measurementIds: async (runId: string): Promise<string[]> => {
      const prefix = measurementResultPrefix(runId);
      const keys = await listObjects(prefix);
      return keys.map((key) => key.slice(prefix.length).replace(/\.json$/, ''));
    },

    /** The files with the series beside the report, as links from it, by measurement id. */
    seriesFiles: async (runId: string) => seriesFilesOf(runId, await listObjects(seriesPrefix(runId))),

    inventory: async (runId: string) => {
      const keys = new Set(await listObjects(reportPrefix(runId)));
      return {
        isEmpty: keys.size === 0,
        hasPlan: keys.has(planKey(runId)),
        hasSummary: keys.has(summaryKey(runId)),
        hasReport: keys.has(reportKey(runId)),
        hasHosts: (pairId: string) => keys.has(pairHostsKey(runId, pairId)),
        hasResult: (measurementId: string) => keys.has(measurementResultKey(runId, measurementId)),
      };
    },
  };
}
