import { isScheduledRun } from '../../domain/workflow/identifiers';
import { EventMetric } from '../../domain/workflow/metric-names';
import type { Log } from '../shared/runtime';
import type { WriteMetrics } from '../shared/metrics';

/** Messages of the delay queue, each of which arrives when its scheduled run must have started. */
export interface DueStartEvent {
  readonly Records: readonly { readonly attributes: { readonly SentTimestamp: string } }[];
}

export interface CheckScheduleDependencies {
  /** How long before its message was sent a run may have started and still be the one that was due. */
  readonly toleranceSeconds: number;
  /** Lists the names of all executions that have started since the given time, whatever their status. */
  readonly listExecutionsSince: (since: Date) => Promise<readonly string[]>;
  readonly writeMetrics: WriteMetrics;
  readonly log: Log;
}

/** Counts each due time at which no scheduled run had started. */
export function makeCheckSchedule(dependencies: CheckScheduleDependencies) {
  return async ({ Records: records }: DueStartEvent): Promise<void> => {
    for (const { attributes } of records) {
      const dueAt = new Date(Number(attributes.SentTimestamp));
      const since = new Date(dueAt.getTime() - dependencies.toleranceSeconds * 1000);
      const started = (await dependencies.listExecutionsSince(since)).filter(isScheduledRun);
      if (started.length > 0) {
        dependencies.log('the scheduled run has started', { dueAt, runId: started[0] });
        continue;
      }
      dependencies.log('no scheduled run has started', { dueAt, since });
      const missed = { name: EventMetric.scheduledRunsNotStarted, unit: 'Count', value: 1 } as const;
      dependencies.writeMetrics([{ dimensions: {}, values: [missed] }]);
    }
  };
}
