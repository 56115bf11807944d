/**
 * Makes the end of a run known. S3's event about its report starts it, because the report is what every run ends with:
 * complete, incomplete or refused, reaped after a stop, or rewritten when an analysis came late.
 *
 * Each step is tried although an earlier one failed, and may be repeated. What failed is thrown together at the end, so
 * that Lambda repeats the invocation and the alarm on its errors sees it.
 */
import { newsOf, watchedFigures } from '../../domain/history/changes';
import type { IndexInput } from '../../domain/run/report-input';
import { runIdOfReport } from '../../domain/workflow/object-keys';
import type { RunHistoryStore } from '../result-store/run-history';
import { Failures } from '../shared/failures';
import type { Log } from '../shared/logger';
import { announceOnce, type AnnounceDependencies } from './announcements';
import { renewHistory, type RenewHistoryDependencies } from './renew-history';

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
