/**
 * The summary and the report of a run without a plan in the store: the plan was refused, or could not be prepared or
 * stored. There are no pairs and no measurements, only the reason. It gets no row, because nothing was measured.
 */
import type { ReportInput } from '../../domain/run/report-input';
import { runOutcome } from '../../domain/terminal/run-outcome';
import { runSummary } from '../../domain/run/summary';
import type { RunLinks, RunOutcome, SummariseRunRequest } from '../../domain/workflow/contracts';
import type { ResultWriter } from '../result-store/writer';
import type { Log } from '../shared/logger';

interface Dependencies {
  readonly database: string;
  readonly workGroup: string;
  readonly renderReport: (input: ReportInput) => string;
  readonly store: Pick<ResultWriter, 'uris' | 'writeSummary' | 'writeReport'>;
  readonly links: (runId: string) => Promise<RunLinks>;
  readonly now: () => Date;
  readonly log: Log;
}

export async function summariseUnplannedRun(
  { store, database, workGroup, renderReport, links, now, log }: Dependencies,
  { runId, interruptedReason, planName }: SummariseRunRequest,
): Promise<RunOutcome> {
  const uris = store.uris(runId);
  const endedAt = now().toISOString();
  const run = {
    runId,
    createdAt: endedAt,
    plan: { name: planName ?? '(the plan has no name that can be read)' },
    expectedUsd: null,
    upperUsd: null,
  };
  const summary = runSummary({
    run,
    results: [],
    pairs: [],
    endedAt,
    interruptedReason: interruptedReason ?? `the store has no plan of run ${runId}`,
    earlierRuns: [],
    warnings: [],
    reportUri: uris.report,
  });
  await store.writeSummary(summary);
  const report = renderReport({
    // The report of a run without pairs shows neither repetitions nor concurrency.
    run: {
      ...summary,
      day: endedAt.slice(0, 10),
      pairCount: 0,
      measurementCount: 0,
      repetitions: 1,
      concurrency: 0,
    },
    results: [],
    seriesOf: new Map(),
    failedPairs: [],
    athena: { database, workGroup },
  });
  await store.writeReport(runId, report);
  log('refusal summarised', { runId });
  return runOutcome(summary, uris.summary, await links(runId));
}
