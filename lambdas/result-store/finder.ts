/** Which documents of a run the result bucket holds, without reading any of them. */
import {
  measurementResultKey,
  measurementResultPrefix,
  pairHostsKey,
  planKey,
  reportKey,
  reportPrefix,
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

    /** Ids of the measurements that have a result, in the order of their names. */
    measurementIds: async (runId: string): Promise<string[]> => {
      const prefix = measurementResultPrefix(runId);
      const keys = await listObjects(prefix);
      return keys.map((key) => key.slice(prefix.length).replace(/\.json$/, ''));
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
