/**
 * The history of all runs, `history/runs.json.gz`: one digest for each run that has a summary. It holds nothing that the
 * documents of the runs don't, so a history that is lost, or of another version, is made again from them.
 */
import * as z from 'zod';
import { runDigestSchema, type RunDigest } from './run-digest';

const SCHEMA = 'network-benchmark.history.v3';

const runHistorySchema = z
  .strictObject({
    schema: z.literal(SCHEMA),
    /** In the order in which they were planned. */
    runs: z.array(runDigestSchema).readonly(),
  })
  .readonly();

export type RunHistory = z.infer<typeof runHistorySchema>;

/** A run whose documents can't be read, such as those of a version that no longer is: it is in no history. */
export interface UnreadableRun {
  readonly runId: string;
  readonly reason: string;
}

export const EMPTY_HISTORY: RunHistory = { schema: SCHEMA, runs: [] };

/** @returns undefined for what is no history of this version */
export function readHistory(document: unknown): RunHistory | undefined {
  return runHistorySchema.safeParse(document).data;
}

/** The history with these runs in it, in the place of what it had of them, and without those that are gone. */
export function renewedHistory(
  history: RunHistory,
  digests: readonly RunDigest[],
  isKept: (runId: string) => boolean,
): RunHistory {
  const runs = new Map([...history.runs, ...digests].map((digest) => [digest.runId, digest]));
  const kept = [...runs.values()].filter(({ runId }) => isKept(runId));
  return { ...history, runs: kept.sort((left, right) => (planned(left) < planned(right) ? -1 : 1)) };
}

/** The order of this text is that of time, and of the names of runs that were planned at the same moment. */
const planned = ({ createdAt, runId }: RunDigest) => `${createdAt} ${runId}`;
