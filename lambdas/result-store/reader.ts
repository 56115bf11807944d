/** The documents and rows of the result bucket, read by what they are. Each document's schema is checked here. */
import type { Metric, Sample } from '../../domain/model/sample';
import type { MeasurementResult } from '../../domain/model/result';
import type { PlannedPair, PlannedRun } from '../../domain/model/planned-run';
import { resultFromJson, type MeasurementResultJson } from '../../domain/model/verdict-json';
import type { RunSummaryJson } from '../../domain/report/summary';
import { sampleOf, type Row } from '../../domain/tables/columns';
import type { PairHosts, PairRequest } from '../../domain/workflow/contracts';
import {
  launchIntentKey,
  measurementResultKey,
  pairHostsKey,
  partKey,
  planKey,
  summaryKey,
} from '../../domain/workflow/object-keys';
import type { ReadableBucket } from '../adapters/s3';
import { decodeDocument, decodeGzipLines, decodeJson, decodeSamplesPart } from './encoding';
import { decodeChunk, type RawChunk } from './raw-chunk';

export type ResultReader = ReturnType<typeof resultReader>;

export function resultReader({ getObject }: ReadableBucket) {
  const readDocument = async <T extends { readonly schema: string }>(key: string, schema: T['schema']) =>
    decodeDocument<T>(key, await getObject(key), schema);
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
    launchIntent: async (runId: string, pairId: string): Promise<Date> => {
      const key = launchIntentKey(runId, pairId);
      return new Date((decodeJson(key, await getObject(key)) as { readonly launchedAt: string }).launchedAt);
    },

    hosts: async (runId: string, pairId: string): Promise<PairHosts> => {
      const key = pairHostsKey(runId, pairId);
      return decodeJson(key, await getObject(key)) as PairHosts;
    },

    chunk: async (key: string): Promise<RawChunk> => decodeChunk(key, await getObject(key)),

    result: async (runId: string, measurementId: string): Promise<MeasurementResult> => {
      const key = measurementResultKey(runId, measurementId);
      return resultFromJson(await readDocument<MeasurementResultJson>(key, 'network-benchmark.measurement.v1'));
    },

    /** The samples of some metrics: those of single streams and counters are most of them, and few readers want them. */
    samples: async (
      { runId, measurementId }: Pick<MeasurementResult, 'runId' | 'measurementId'>,
      metrics: readonly Metric[],
    ): Promise<Sample[]> => {
      const key = partKey(runId, 'samples', measurementId);
      const members = decodeSamplesPart(key, await getObject(key));
      return metrics.flatMap((metric) => {
        const member = members.get(metric);
        const rows = member === undefined ? [] : (decodeGzipLines(key, member) as Row[]);
        return rows.map((row) => sampleOf(row, metric));
      });
    },

    summary: (runId: string) => readDocument<RunSummaryJson>(summaryKey(runId), 'network-benchmark.summary.v1'),
  };
}
