/**
 * The history of all runs, `history/runs.json.gz`: a digest of each run that has a summary. It can be rebuilt from the
 * documents of the runs, which is done if it is lost or has another version.
 */
import * as z from 'zod';
import { runDigestSchema, type RunDigest } from './run-digest';

const SCHEMA = 'network-benchmark.history.v3';

const runHistorySchema = z
  .strictObject({
    schema: z.literal(SCHEMA),
    /** In the order of planning. */
    runs: z.array(runDigestSchema).readonly(),
  })
  .readonly();

export type RunHistory = z.infer<typeof runHistorySchema>;

/** A run that is not in the history, because its documents can't be read, e.g. for their outdated version. */
export interface UnreadableRun {
  readonly runId: string;
  readonly reason: string;
}

export const EMPTY_HISTORY: RunHistory = { schema: SCHEMA, runs: [] };

/** @returns undefined for a document that is not a history of this version */
export function readHistory(document: unknown): RunHistory | undefined {
  return runHistorySchema.safeParse(document).data;
}

/** Adds or replaces the digests of these runs, and removes the runs that are no longer kept. */
export function renewedHistory(
  history: RunHistory,
  digests: readonly RunDigest[],
  isKept: (runId: string) => boolean,
): RunHistory {
  const runs = new Map([...history.runs, ...digests].map((digest) => [digest.runId, digest]));
  const kept = [...runs.values()].filter(({ runId }) => isKept(runId));
  return { ...history, runs: kept.sort((left, right) => (planned(left) < planned(right) ? -1 : 1)) };
}

/** This text sorts by time, and then by the id of runs that were planned at the same moment. */
const planned = ({ createdAt, runId }: RunDigest) => `${createdAt} ${runId}`;
