/**
 * Publishes the end of a run. It is started by S3's event about the run's report, because every run ends with a report:
 * complete, incomplete or refused, reaped after a stop, or rewritten after a late analysis. A run that is no longer in the
 * store (`npm run delete-run`) is dropped from the history and the page, and not announced.
 *
 * Each step runs even if an earlier one failed, and may be repeated. All failures are thrown together at the end, so
 * that Lambda retries the invocation and the alarm on errors sees them.
 */
import { newsOf, watchedFigures } from '../../domain/history/changes';
import type { IndexInput } from '../../domain/run/report-input';
import { runIdOfReport, summaryKey } from '../../domain/workflow/object-keys';
import type { RunHistoryStore } from '../result-store/run-history';
import { Failures } from '../shared/failures';
import type { Log } from '../shared/runtime';
import { announceOnce, type AnnounceDependencies } from './announcements';
import pMap from 'p-map';
import { renewedHistory, runCountOf, type RunHistory, type UnreadableRun } from '../../domain/history/history';
import { runDigest, type RunDigest } from '../../domain/history/run-digest';
import { UnreadableDocumentError } from '../result-store/encoding';
import { errorMessage } from '../errors/aws-errors';

/** The fields that are read of S3's event "Object Created", as EventBridge delivers it. */
export interface ReportCreatedEvent {
  /** The event's id, which is the same each time that the event is delivered. */
  readonly id: string;
  readonly detail: { readonly bucket: { readonly name: string }; readonly object: { readonly key: string } };
}

export interface PublishRunDependencies
  extends Pick<RenewHistoryDependencies, 'pause'>, Pick<AnnounceDependencies, 'announcements'> {
  readonly bucketName: string;
  readonly region: string;
  readonly store: RunHistoryStore;
  readonly renderIndex: (input: IndexInput) => string;
  readonly now: () => Date;
  readonly log: Log;
}

export function makePublishRun(deps: PublishRunDependencies) {
  const { bucketName, region, store, renderIndex, now, log } = deps;

  return async ({ id, detail: { bucket, object } }: ReportCreatedEvent): Promise<void> => {
    if (bucket.name !== bucketName) {
      throw new Error(`bucket: must be ${bucketName}, got ${JSON.stringify(bucket.name)}`);
    }
    const runId = runIdOfReport(object.key);
    if (runId === undefined) {
      log('not a report', { key: object.key });
      return;
    }
    const summary = await store.findSummary(runId);
    if (summary === undefined) {
      log('run was removed', { runId });
      // Nothing is written into a store that was emptied.
      if ((await store.readHistory()).etag === undefined) return;
    }
    const failures = new Failures();
    const renewed = await failures.attempt('history', () => watchedHistory(deps, runId), undefined);
    if (renewed !== undefined) {
      const page = { ...renewed, bucketName, region, renewedAt: now().toISOString() };
      await failures.attempt('index', () => store.writeIndex(renderIndex(page)), undefined);
      for (const each of renewed.unreadable) log('run left out of the history', { ...each });
      // An old run may stay unreadable, but the run that has just ended must be readable.
      const own = renewed.unreadable.find((each) => each.runId === runId);
      if (own !== undefined) failures.add(`the history lacks this run: ${own.reason}`);
    }
    const digest = renewed?.history.runs.find((run) => run.runId === runId);
    if (summary !== undefined) {
      const ended = { runId, summary, digest, ...newsOf(renewed?.watched ?? [], runId) };
      const announced = () => announceOnce(deps, id, ended, failures);
      await failures.attempt('announcements', announced, undefined);
    }
    log('run published', { runId, runCount: renewed && runCountOf(renewed.history), failures: failures.reasons });
    failures.throwIfAny(`run ${runId} was published only in part`);
  };
}

/** Finds the changes once for the page, the message and the metrics, because this takes longer than everything else. */
async function watchedHistory(deps: RenewHistoryDependencies, runId: string) {
  const renewed = await renewHistory(deps, runId);
  return { ...renewed, watched: watchedFigures(renewed.history) };
}

/** How often a renewal starts over before it gives up. Among concurrent writers one succeeds in each round. */
const ATTEMPTS = 25;
/** Limited, because each run being read has its summary and its plan in memory. */
const CONCURRENT_RUNS = { concurrency: 8 };
/** So many runs are added before the history is written, which bounds memory and what a function that is cut off loses. */
const RUNS_AT_ONCE = 500;

export interface RenewHistoryDependencies {
  readonly store: Pick<RunHistoryStore, 'runIds' | 'findSummary' | 'findPlan' | 'readHistory' | 'replaceHistory'>;
  /** Waits before the next attempt, for a short time that differs between writers. */
  readonly pause: () => Promise<void>;
}

export interface RenewedHistory {
  readonly history: RunHistory;
  /** The runs that were left out; the next renewal tries them again. */
  readonly unreadable: readonly UnreadableRun[];
}

/**
 * Brings the history of all runs up to date: adds the run that has ended and every other run with a summary that the
 * history lacks, e.g. because its event was lost, and removes runs that are no longer in the store. Runs may end at the
 * same time, so the history is written only over the version that was read; otherwise the renewal starts over.
 */
export async function renewHistory(
  { store, pause }: RenewHistoryDependencies,
  endedRunId: string,
): Promise<RenewedHistory> {
  /** The runs that a written history has as they are now, or that it can't have. */
  const done = new Set<string>();
  let unreadable: readonly UnreadableRun[] = [];
  let attempts = 0;
  while (attempts < ATTEMPTS) {
    // Read the version first. A summary that is rewritten afterwards either gets a later version of the history or
    // makes this attempt fail.
    const { history, etag } = await store.readHistory();
    const stored = new Set(await store.runIds());
    const known = new Set([...history.runs.map(({ runId }) => runId), ...history.olderRunIds]);
    const lacking = [...stored].filter((runId) => runId !== endedRunId && !known.has(runId));
    const wanted = [...(stored.has(endedRunId) ? [endedRunId] : []), ...lacking].filter((runId) => !done.has(runId));
    const read = wanted.slice(0, RUNS_AT_ONCE);
    const digests = await pMap(read, (runId) => digestOf(store, runId), CONCURRENT_RUNS);
    const found = digests.flatMap(({ digest }) => digest ?? []);
    const renewed = renewedHistory(history, found, (runId) => stored.has(runId));
    if (await store.replaceHistory(renewed, etag)) {
      for (const runId of read) done.add(runId);
      unreadable = [...unreadable, ...digests.flatMap((each) => each.unreadable ?? [])];
      if (read.length === wanted.length) return { history: renewed, unreadable };
    } else {
      attempts += 1;
      await pause();
    }
  }
  throw new Error(`another writer changed the history during each of ${ATTEMPTS} attempts`);
}

interface ReadRun {
  /** The run's entry in the history; absent for a run that is still going on and for a dry run. */
  readonly digest?: RunDigest;
  readonly unreadable?: UnreadableRun;
}

/** @throws S3's errors, because another attempt may succeed. Damaged or unknown documents only exclude this run. */
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
