/**
 * Announces the end of a run once by a message and metrics, however often its report is written. A marker beside the
 * report holds the id of the announcing event and the announcements made so far. Lambda retries a failed invocation
 * with the same event, which continues where it failed; any other event finds the marker and does nothing.
 */
import type { HistoryNews } from '../../domain/history/changes';
import { type RunDigest, runDigest, type CellDigest } from '../../domain/history/run-digest';
import { hasFailed, type RunSummaryJson } from '../../domain/run/summary';
import type { Published, RunHistoryStore } from '../result-store/run-history';
import type { Failures } from '../shared/failures';
import type { Log } from '../shared/runtime';
import { consoleLink, executionLink } from '../../domain/workflow/console-links';
import { INDEX_KEY, reportKey } from '../../domain/workflow/object-keys';
import type { WriteMetrics, MetricLine } from '../shared/metrics';
import { changeLine } from '../../domain/terminal/change-lines';
import { runMessage, type RunMessage } from './message';
import { median } from '../../domain/maths/statistics';
import {
  COST_METRIC,
  EventMetric,
  FIGURE_DIMENSIONS,
  FIGURE_METRICS,
  PLAN_DIMENSION,
} from '../../domain/workflow/metric-names';

/** What is known about a run at its end. If the history could not be renewed, it has no changes. */
export interface EndedRun extends HistoryNews {
  readonly runId: string;
  readonly summary: RunSummaryJson;
  /** The run's entry in the history; absent if the history could not be renewed or the run could not be read. */
  readonly digest?: RunDigest;
}

export type Announcement = (run: EndedRun) => Promise<void>;

export interface AnnounceDependencies {
  readonly store: Pick<RunHistoryStore, 'claimPublished' | 'findPublished' | 'writePublished'>;
  /** The announcements by name; the marker stores the names of those already made. */
  readonly announcements: Readonly<Record<string, Announcement>>;
  readonly log: Log;
}

/** Makes each announcement that was not made yet, even if an earlier one fails. */
export async function announceOnce(
  { store, announcements, log }: AnnounceDependencies,
  eventId: string,
  run: EndedRun,
  failures: Failures,
): Promise<void> {
  const { runId } = run;
  const claim: Published = { schema: 'network-benchmark.published.v1', eventId, done: [] };
  const found = (await store.claimPublished(runId, claim)) ? claim : await store.findPublished(runId);
  // The run has been deleted meanwhile.
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

export interface MakeAnnouncementsDependencies {
  readonly bucketName: string;
  readonly region: string;
  readonly stackName: string;
  readonly runStateMachineArn: string;
  /** Whether runs that were not started by a schedule also have metrics. */
  readonly areAllRunsMeasured: boolean;
  /** Creates links that open without an account; undefined if the deployment has none. */
  readonly presigned: { readonly hours: number; readonly linkTo: (key: string) => Promise<string> } | undefined;
  readonly writeMetrics: WriteMetrics;
  /** Publishes a message to the topic; undefined if nobody is to be notified. */
  readonly publish: ((message: RunMessage) => Promise<void>) | undefined;
  readonly log: Log;
}

/** The announcements of an ended run: its metrics, and a message if somebody is to be notified. */
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

export interface RunMetricsInput {
  readonly digest: RunDigest;
  readonly hasFailed: boolean;
  /** How many figures have changed since earlier runs. */
  readonly changeCount: number;
  readonly areAllRunsMeasured: boolean;
}

/**
 * A metric costs 0.30 USD for a month in which it has data every hour, or 1/700 of that per hour. A schedule repeats
 * the same few metrics, whereas each manual run could add new ones, so manual runs have none by default.
 */
function runMetrics({ digest, hasFailed, changeCount, areAllRunsMeasured }: RunMetricsInput): MetricLine[] {
  const { isScheduled, planName, costUsd, cells } = digest;
  if (!isScheduled && !areAllRunsMeasured) return [];
  const plan = { [PLAN_DIMENSION]: dimensionValue(planName) };
  const counts = [
    ...(isScheduled ? [{ name: EventMetric.scheduledRunsFailed, value: hasFailed ? 1 : 0 }] : []),
    { name: EventMetric.figuresChanged, value: changeCount },
  ];
  return [
    { dimensions: {}, values: counts.map((each) => ({ ...each, unit: 'Count' as const })) },
    ...(costUsd === null
      ? []
      : [{ dimensions: plan, values: [{ name: COST_METRIC, unit: 'None' as const, value: costUsd }] }]),
    ...cells.map(figuresOf).filter(({ values }) => values.length > 0),
  ];
}

/**
 * The median over a run's repetitions, as in the history. Repetitions whose CPUs were kept busy by other work are left
 * out, because a graph can't mark them.
 */
function figuresOf({ clientType, serverType, conditions, figures }: CellDigest): MetricLine {
  const names = [clientType, serverType, conditions].map(dimensionValue);
  return {
    dimensions: Object.fromEntries(FIGURE_DIMENSIONS.map((dimension, index) => [dimension, names[index] ?? ''])),
    values: FIGURE_METRICS.flatMap(({ key, metricName, unit }) => {
      const found = figures.find((figure) => figure.key === key);
      if (found === undefined || found.values.length === 0) return [];
      return [{ name: metricName, unit, value: median(found.values) }];
    }),
  };
}

/** CloudWatch requires non-empty ASCII of at most 1,024 characters, but no graph could show more than this limit. */
const MAX_DIMENSION_CHARACTERS = 250;

function dimensionValue(text: string): string {
  const ascii = text.replace(/[^ -~]+/gu, ' ').trim();
  return ascii === '' ? 'unnamed' : ascii.slice(0, MAX_DIMENSION_CHARACTERS);
}
