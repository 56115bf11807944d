/**
 * Makes the end of a run known. S3's event about its report starts it, because the report is what every run ends with:
 * complete, incomplete or refused, reaped after a stop, or rewritten when an analysis came late.
 *
 * Each step is tried although an earlier one failed, and may be repeated. What failed is thrown together at the end, so
 * that Lambda repeats the invocation and the alarm on its errors sees it.
 */
import { newsOf, watchedFigures } from '../../domain/history/changes';
import type { IndexInput } from '../../domain/run/report-input';
import { runIdOfReport, summaryKey } from '../../domain/workflow/object-keys';
import type { RunHistoryStore } from '../result-store/run-history';
import { Failures } from '../shared/failures';
import type { Log } from '../shared/runtime';
import { announceOnce, type AnnounceDependencies } from './announcements';
import pMap from 'p-map';
import { renewedHistory, type RunHistory, type UnreadableRun } from '../../domain/history/history';
import { runDigest, type RunDigest } from '../../domain/history/run-digest';
import { UnreadableDocumentError } from '../result-store/encoding';
import { errorMessage } from '../errors/aws-errors';

/** The part that is read of S3's event "Object Created", as EventBridge delivers it. */
export interface ReportCreatedEvent {
  /** The same whenever the event is delivered. */
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
      return;
    }
    const failures = new Failures();
    const renewed = await failures.attempt('history', () => watchedHistory(deps, runId), undefined);
    if (renewed !== undefined) {
      const page = { ...renewed, bucketName, region, renewedAt: now().toISOString() };
      await failures.attempt('index', () => store.writeIndex(renderIndex(page)), undefined);
      for (const each of renewed.unreadable) log('run left out of the history', { ...each });
      // An old run stays as it is; the one that has just ended should be readable.
      const own = renewed.unreadable.find((each) => each.runId === runId);
      if (own !== undefined) failures.add(`history without the run itself: ${own.reason}`);
    }
    const digest = renewed?.history.runs.find((run) => run.runId === runId);
    const ended = { runId, summary, digest, ...newsOf(renewed?.watched ?? [], runId) };
    const announced = () => announceOnce(deps, id, ended, failures);
    await failures.attempt('announcements', announced, undefined);
    log('run published', { runId, runCount: renewed?.history.runs.length, failures: failures.reasons });
    failures.throwIfAny(`run ${runId} was not published whole`);
  };
}

/** The changes are looked for once, for the page as for the message and the metrics: it takes longer than all else. */
async function watchedHistory(deps: RenewHistoryDependencies, runId: string) {
  const renewed = await renewHistory(deps, runId);
  return { ...renewed, watched: watchedFigures(renewed.history) };
}

/**
 * Brings the history of all runs up to date. Runs end at the same time, so it is written only in the place of the version
 * that was read, and begun again when somebody else was first: no run is ever lost from it.
 */

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
