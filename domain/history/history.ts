/**
 * The history of all runs, `history/runs.json.gz`: a digest of each run that has a summary. It can be rebuilt from the
 * documents of the runs, which is done if it is lost or has another version.
 *
 * So that it does not grow with the number of runs, of each cell only the newest runs are kept, and of a run that has
 * no such cell and is no longer listed only the id.
 */
import * as z from 'zod';
import { withNewestCells } from './newest';
import { runDigestSchema, type RunDigest } from './run-digest';

const SCHEMA = 'network-benchmark.history.v3';

/** The page over all runs lists the newest so many. */
export const LISTED_RUNS = 1000;
/** More than the search for changes looks back from a run, so that what it finds anew is the same as over all runs. */
const LEAST_RUNS_OF_A_CELL = 150;

const runHistorySchema = z
  .strictObject({
    schema: z.literal(SCHEMA),
    /** In the order of planning. */
    runs: z.array(runDigestSchema).readonly(),
    /** Of the runs that are only counted, in no order. A history of 0.3.0 has none. */
    olderRunIds: z.array(z.string()).readonly().default([]),
  })
  .readonly();

export type RunHistory = z.infer<typeof runHistorySchema>;

/** A run that is not in the history, because its documents can't be read, e.g. for their outdated version. */
export interface UnreadableRun {
  readonly runId: string;
  readonly reason: string;
}

export const EMPTY_HISTORY: RunHistory = { schema: SCHEMA, runs: [], olderRunIds: [] };

/** @returns undefined for a document that is not a history of this version */
export function readHistory(document: unknown): RunHistory | undefined {
  return runHistorySchema.safeParse(document).data;
}

/** Adds or replaces the digests of these runs, and removes the runs that are no longer stored. */
export function renewedHistory(
  history: RunHistory,
  digests: readonly RunDigest[],
  isStored: (runId: string) => boolean,
): RunHistory {
  const runs = new Map([...history.runs, ...digests].map((digest) => [digest.runId, digest]));
  const stored = [...runs.values()].filter(({ runId }) => isStored(runId));
  const newest = withNewestCells(stored, LEAST_RUNS_OF_A_CELL);
  const kept = newest.filter(({ cells }, index) => cells.length > 0 || index >= newest.length - LISTED_RUNS);
  const keptIds = new Set(kept.map(({ runId }) => runId));
  const others = new Set([...history.olderRunIds.filter(isStored), ...newest.map(({ runId }) => runId)]);
  return { ...history, runs: kept, olderRunIds: [...others].filter((runId) => !keptIds.has(runId)) };
}

/** How many runs there are, also those that are only counted. */
export const runCountOf = ({ runs, olderRunIds }: RunHistory) => runs.length + olderRunIds.length;
