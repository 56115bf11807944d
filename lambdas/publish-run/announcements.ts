/**
 * What happens once at the end of a run, however often its report is written: its message, and its metrics. A marker
 * beside the report names the event that does it and what it has done. Lambda repeats a failed invocation with the same
 * event, which then goes on where it failed; any other event finds that the run has one, and leaves it alone.
 */
import type { HistoryNews } from '../../domain/history/changes';
import type { RunDigest } from '../../domain/history/run-digest';
import type { RunSummaryJson } from '../../domain/run/summary';
import type { Published, RunHistoryStore } from '../result-store/run-history';
import type { Failures } from '../shared/failures';
import type { Log } from '../shared/logger';

/**
 * What is known about a run at its end. Nothing of it is new where the history could not be renewed, which the failure of
 * that reports.
 */
export interface EndedRun extends HistoryNews {
  readonly runId: string;
  readonly summary: RunSummaryJson;
  /** As the history has it; absent where that could not be renewed, or the run not be read. */
  readonly digest?: RunDigest;
}

export type Announcement = (run: EndedRun) => Promise<void>;

export interface AnnounceDependencies {
  readonly store: Pick<RunHistoryStore, 'claimPublished' | 'findPublished' | 'writePublished'>;
  /** By name, which stays in the marker. */
  readonly announcements: Readonly<Record<string, Announcement>>;
  readonly log: Log;
}

/** Tries each announcement that was not made, even if an earlier one fails. */
export async function announceOnce(
  { store, announcements, log }: AnnounceDependencies,
  eventId: string,
  run: EndedRun,
  failures: Failures,
): Promise<void> {
  const { runId } = run;
  const claim: Published = { schema: 'network-benchmark.published.v1', eventId, done: [] };
  const found = (await store.claimPublished(runId, claim)) ? claim : await store.findPublished(runId);
  // Somebody has removed the run since.
  if (found === undefined) return;
  if (found.eventId !== eventId) {
    log('announced by another event', { runId, eventId: found.eventId });
    return;
  }
  const done = [...found.done];
  for (const [name, announce] of Object.entries(announcements)) {
    if (done.includes(name)) continue;
    const announced = async () => {
      await announce(run);
      done.push(name);
      await store.writePublished(runId, { ...claim, done });
    };
    await failures.attempt(name, announced, undefined);
  }
}
