/** Which documents of a run the result bucket holds, without reading any of them. */
import {
  measurementResultKey,
  measurementResultPrefix,
  pairHostsKey,
  planKey,
  reportPrefix,
  summaryKey,
} from '../../domain/workflow/object-keys';
import type { ListableBucket } from '../adapters/s3';

export type ResultFinder = ReturnType<typeof resultFinder>;

export function resultFinder({ listObjects }: ListableBucket) {
  return {
    hasPlan: async (runId: string): Promise<boolean> => (await listObjects(planKey(runId))).length > 0,

    /** Ids of the measurements that have a result, in the order of their names. */
    measurementIds: async (runId: string): Promise<string[]> => {
      const prefix = measurementResultPrefix(runId);
      const keys = await listObjects(prefix);
      return keys.map((key) => key.slice(prefix.length).replace(/\.json$/, ''));
    },

    /** What there was of a run at the time of the call. */
    inventory: async (runId: string): Promise<RunInventory> => {
      const keys = new Set(await listObjects(reportPrefix(runId)));
      return {
        hasPlan: keys.has(planKey(runId)),
        hasSummary: keys.has(summaryKey(runId)),
        hasHosts: (pairId) => keys.has(pairHostsKey(runId, pairId)),
        hasResult: (measurementId) => keys.has(measurementResultKey(runId, measurementId)),
      };
    },
  };
}

export interface RunInventory {
  readonly hasPlan: boolean;
  readonly hasSummary: boolean;
  readonly hasHosts: (pairId: string) => boolean;
  readonly hasResult: (measurementId: string) => boolean;
}
