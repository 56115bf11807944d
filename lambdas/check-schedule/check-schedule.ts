import { isScheduledRun } from '../../domain/workflow/identifiers';
import { EventMetric } from '../../domain/workflow/metric-names';
import type { Log } from '../shared/runtime';
import type { WriteMetrics } from '../shared/metrics';

/** A message of the queue that is delayed until the run must have started. */
export interface DueStartEvent {
  readonly Records: readonly { readonly attributes: { readonly SentTimestamp: string } }[];
}

export interface CheckScheduleDependencies {
  /** How long before the message a run may have started, and still be the one that was due. */
  readonly toleranceSeconds: number;
  /** Names of the executions that have started since a time, whatever became of them. */
  readonly listExecutionsSince: (since: Date) => Promise<readonly string[]>;
  readonly writeMetrics: WriteMetrics;
  readonly log: Log;
}

/** Counts each time at which a run was due and none had started. */
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
