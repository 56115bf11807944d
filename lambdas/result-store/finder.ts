/** Which documents of a run the result bucket holds, without reading any of them. */
import {
  forecastKey,
  launchIntentKey,
  measurementResultKey,
  measurementResultPrefix,
  pairHostsKey,
  pairsPrefix,
  planKey,
  probedPathKey,
  refusedLaunchPrefix,
  reportKey,
  reportPrefix,
  seriesPrefix,
  summaryKey,
} from '../../domain/workflow/object-keys';
import type { ListableBucket } from '../adapters/s3';

export type ResultFinder = ReturnType<typeof resultFinder>;

/** What there was of a run at the time of the call. */
export type RunInventory = Awaited<ReturnType<ResultFinder['inventory']>>;

export function resultFinder({ listObjects }: Pick<ListableBucket, 'listObjects'>) {
  return {
    hasPlan: async (runId: string): Promise<boolean> => (await listObjects(planKey(runId))).length > 0,

    /** The report is written after everything else of a run. */
    hasReport: async (runId: string): Promise<boolean> => (await listObjects(reportKey(runId))).length > 0,

    hasForecast: async (runId: string): Promise<boolean> => (await listObjects(forecastKey(runId))).length > 0,

    /** What the launches of a run's pairs left. */
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

    /** Ids of the measurements that have a result, in the order of their names. */
    measurementIds: async (runId: string): Promise<string[]> => {
      const prefix = measurementResultPrefix(runId);
      const keys = await listObjects(prefix);
      return keys.map((key) => key.slice(prefix.length).replace(/\.json$/, ''));
    },

    /** Ids of the measurements whose series is a file beside the report. */
    seriesIds: async (runId: string): Promise<ReadonlySet<string>> => {
      const prefix = seriesPrefix(runId);
      const keys = await listObjects(prefix);
      return new Set(keys.filter((key) => key.endsWith('.csv')).map((key) => key.slice(prefix.length, -'.csv'.length)));
    },

    /** The summary is written before the run is folded. */
    hasSummary: async (runId: string): Promise<boolean> => (await listObjects(summaryKey(runId))).length > 0,

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
