import { runDigest } from '../../domain/history/run-digest';
import { consoleLink, executionLink } from '../../domain/workflow/console-links';
import { INDEX_KEY, reportKey } from '../../domain/workflow/object-keys';
import type { Log } from '../shared/logger';
import type { WriteMetrics } from '../shared/metrics';
import type { Announcement, EndedRun } from './announcements';
import { changeLine } from '../../domain/terminal/change-lines';
import { runMessage, type RunMessage } from './message';
import { runMetrics } from './metrics';
import { hasFailed } from '../../domain/run/outcome';

export interface MakeAnnouncementsDependencies {
  readonly bucketName: string;
  readonly region: string;
  readonly stackName: string;
  readonly runStateMachineArn: string;
  /** Whether runs that no schedule started have metrics, too. */
  readonly areAllRunsMeasured: boolean;
  /** Links that open without an account. Undefined where the deployment has none. */
  readonly presigned: { readonly hours: number; readonly linkTo: (key: string) => Promise<string> } | undefined;
  readonly writeMetrics: WriteMetrics;
  /** Undefined where nobody is told. */
  readonly publish: ((message: RunMessage) => Promise<void>) | undefined;
  readonly log: Log;
}

/** What becomes of a run that has ended: its metrics, and a message where somebody is told. */
export function makeAnnouncements(deps: MakeAnnouncementsDependencies): Readonly<Record<string, Announcement>> {
  const {
    bucketName,
    region,
    stackName,
    runStateMachineArn,
    areAllRunsMeasured,
    presigned,
    writeMetrics,
    publish,
    log,
  } = deps;

  function writeRunMetrics({ runId, summary, digest = runDigest(summary, undefined), ...run }: EndedRun): void {
    const { changes, possibleChanges } = run;
    for (const changed of changes) log('figure changed', { runId, change: changeLine(changed) });
    for (const changed of possibleChanges) log('figure possibly changed', { runId, change: changeLine(changed) });
    const changeCount = changes.length;
    writeMetrics(runMetrics({ digest, hasFailed: hasFailed(summary), changeCount, areAllRunsMeasured }));
  }

  async function sendMessage(send: (message: RunMessage) => Promise<void>, run: EndedRun): Promise<void> {
    const { runId, summary, changes, possibleChanges } = run;
    const links = {
      report: consoleLink(region, bucketName, reportKey(runId)),
      index: consoleLink(region, bucketName, INDEX_KEY),
      execution: executionLink(region, runStateMachineArn, runId),
    };
    const openReport = presigned && { link: await presigned.linkTo(reportKey(runId)), hours: presigned.hours };
    await send(runMessage({ summary, changes, possibleChanges, links, openReport, stackName }));
  }

  return {
    metrics: (run) => {
      writeRunMetrics(run);
      return Promise.resolve();
    },
    ...(publish === undefined ? {} : { message: (run: EndedRun) => sendMessage(publish, run) }),
  };
}
