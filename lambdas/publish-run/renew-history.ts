/**
 * Brings the history of all runs up to date. Runs end at the same time, so it is written only in the place of the version
 * that was read, and begun again when somebody else was first: no run is ever lost from it.
 */
import pMap from 'p-map';
import { renewedHistory, type RunHistory, type UnreadableRun } from '../../domain/history/history';
import { runDigest, type RunDigest } from '../../domain/history/run-digest';
import { summaryKey } from '../../domain/workflow/object-keys';
import { UnreadableDocumentError } from '../result-store/encoding';
import type { RunHistoryStore } from '../result-store/run-history';
import { errorMessage } from '../errors/error-text';

/** How often it begins again before it gives up: of any number of writers at once, one succeeds each time. */
const ATTEMPTS = 25;
/** Each has one summary and one plan in memory. */
const CONCURRENT_RUNS = { concurrency: 8 };

export interface RenewHistoryDependencies {
  readonly store: Pick<RunHistoryStore, 'runIds' | 'findSummary' | 'findPlan' | 'readHistory' | 'replaceHistory'>;
  /** Waits a little, each writer for another time. */
  readonly pause: () => Promise<void>;
}

export interface RenewedHistory {
  readonly history: RunHistory;
  /** Those that were left out, which each renewal tries again. */
  readonly unreadable: readonly UnreadableRun[];
}

/**
 * Besides the run that has ended, the history gets every run that it lacks and the store has a summary of: all of them
 * where there is no history, and otherwise those whose own event was lost. It loses those that are no longer in the store.
 */
export async function renewHistory(
  { store, pause }: RenewHistoryDependencies,
  endedRunId: string,
): Promise<RenewedHistory> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await pause();
    // The version is read before the summaries, so that a summary which is rewritten after this moment has a later
    // version of the history, or makes this attempt fail.
    const { history, etag } = await store.readHistory();
    const stored = new Set(await store.runIds());
    const known = new Set(history.runs.map(({ runId }) => runId));
    const read = [...stored].filter((runId) => runId === endedRunId || !known.has(runId));
    const digests = await pMap(read, (runId) => digestOf(store, runId), CONCURRENT_RUNS);
    const found = digests.flatMap(({ digest }) => digest ?? []);
    const unreadable = digests.flatMap((each) => each.unreadable ?? []);
    const renewed = renewedHistory(history, found, (runId) => stored.has(runId));
    if (await store.replaceHistory(renewed, etag)) return { history: renewed, unreadable };
  }
  throw new Error(`the history was written by others during each of ${ATTEMPTS} attempts`);
}

interface ReadRun {
  /** Absent for a run that goes on, and for a dry run. */
  readonly digest?: RunDigest;
  readonly unreadable?: UnreadableRun;
}

/**
 * One run whose documents are damaged, or of a version that this one can't read, must not keep all others out.
 *
 * @throws what S3 refuses, because another attempt may succeed
 */
async function digestOf(store: Pick<RunHistoryStore, 'findSummary' | 'findPlan'>, runId: string): Promise<ReadRun> {
  try {
    const summary = await store.findSummary(runId);
    return summary === undefined ? {} : { digest: madeDigest(summary, await store.findPlan(runId)) };
  } catch (error) {
    if (error instanceof UnreadableDocumentError) return { unreadable: { runId, reason: error.message } };
    throw error;
  }
}

function madeDigest(...[summary, plan]: Parameters<typeof runDigest>): RunDigest {
  try {
    return runDigest(summary, plan);
  } catch (error) {
    throw new UnreadableDocumentError(`${summaryKey(summary.runId)}: ${errorMessage(error)}`, { cause: error });
  }
}
