/** Reads the results of a run and writes its summary, rows and report. Repeating it writes the same again. */
import pMap from 'p-map';
import type { PlannedRun } from '../../domain/model/planned-run';
import type { MeasurementResult } from '../../domain/model/result';
import type { Metric, Sample } from '../../domain/model/sample';
import { chartedMeasurementIds } from '../../domain/run/charted';
import { runFacts } from '../../domain/run/ended-run';
import type { ReportInput } from '../../domain/run/report-input';
import { runSummary, type RunSummary } from '../../domain/run/summary';
import { runOutcome } from '../../domain/terminal/run-outcome';
import { isScheduledRun } from '../../domain/workflow/identifiers';
import type { RunLinks, RunOutcome, SummariseRunRequest } from '../../domain/workflow/contracts';
import type { ResultFinder, ResultReader } from '../result-store/reader';
import type { RunFolding } from '../result-store/folding';
import type { RunClaims } from '../result-store/run-execution';
import type { ResultWriter } from '../result-store/writer';
import { errorText } from '../errors/aws-errors';
import { runComparisons, type ComparedRunDependencies, type RunComparisons } from './compared-run';
import { CONCURRENT_OBJECTS, measuredRun, type MeasuredRun, type MeasuredRunDependencies } from './measured-run';
import type { Log } from '../shared/runtime';

/** Charts do not need the series of single streams and of the interface, which are most of the rows. */
const CHARTED_METRICS: readonly Metric[] = ['throughput', 'packets', 'allowance', 'round_trip'];

export interface SummariseRunDependencies extends MeasuredRunDependencies, ComparedRunDependencies {
  readonly database: string;
  readonly workGroup: string;
  readonly store: ResultReader & ResultFinder & ResultWriter & RunFolding & RunClaims;
  readonly renderReport: (input: ReportInput) => string;
  readonly links: (runId: string) => Promise<RunLinks>;
  /** @returns undefined where AWS does not tell, or not yet */
  readonly findStarter: (runId: string, plannedAt: Date) => Promise<string | undefined>;
  readonly now: () => Date;
}

interface EndedRun extends MeasuredRun, RunComparisons {
  readonly summary: RunSummary;
}

export function makeSummariseRun(deps: SummariseRunDependencies) {
  const { store } = deps;

  return async (request: SummariseRunRequest): Promise<RunOutcome> => {
    const { runId, startedAt } = request;
    // An execution whose plan-run never ran must not write into an earlier run of the same name either.
    if (startedAt !== undefined) await store.claimRun(runId, startedAt);
    if (!(await store.hasPlan(runId))) return summariseUnplannedRun(deps, request);

    const measured = await measuredRun(deps, request);
    const comparisons = await runComparisons(deps, measured);
    const startedBy = await starterOf(deps, measured.run);
    const summary = summaryOf(deps, request, measured, { ...comparisons, startedBy });
    const ended = { ...measured, ...comparisons, summary };
    await writeSummaryAndRows(deps, ended);
    // The report comes after summary and row: if it can't be drawn, the run fails but loses no data.
    await store.writeReport(runId, deps.renderReport(await reportInput(deps, ended)));

    deps.log('run summarised', {
      runId,
      outcome: summary.outcome,
      expectations: summary.expectations?.outcome,
      measurementCount: measured.results.length,
      warnings: summary.warnings,
    });
    return runOutcome(summary, store.uris(runId).summary, await deps.links(runId));
  };
}

/** Nobody needs it for a verdict, so a run ends as it would without it. */
async function starterOf({ findStarter, log }: SummariseRunDependencies, { runId, createdAt }: PlannedRun) {
  if (isScheduledRun(runId)) return 'schedule';
  try {
    return (await findStarter(runId, new Date(createdAt))) ?? 'unknown';
  } catch (error) {
    log('who started the run is not known', { runId, reason: errorText(error) });
    return 'unknown';
  }
}

function summaryOf(
  { store, now }: SummariseRunDependencies,
  { runId, interruptedReason }: SummariseRunRequest,
  { run, results, pairs, cost, probedPaths }: MeasuredRun,
  {
    earlierRuns = [],
    earlierRunsUnavailable,
    comparedRun,
    notCompared,
    expectations,
    startedBy,
  }: RunComparisons & Pick<RunSummary, 'startedBy'>,
): RunSummary {
  return runSummary({
    run,
    results,
    pairs,
    endedAt: now().toISOString(),
    interruptedReason,
    cost,
    earlierRuns,
    comparedRun,
    expectations,
    probedPaths,
    startedBy,
    warnings: [earlierRunsUnavailable, notCompared].filter((warning) => warning !== undefined),
    reportUri: store.uris(runId).report,
  });
}

async function writeSummaryAndRows(
  { store }: SummariseRunDependencies,
  { run, cost, summary }: EndedRun,
): Promise<void> {
  await store.writeCost(cost);
  await store.writeSummary(summary);
  // Fold after the summary: an analysis that comes later finds the summary and folds its measurement itself.
  await store.foldRun(run);
}

async function reportInput(deps: SummariseRunDependencies, ended: EndedRun): Promise<ReportInput> {
  const { store, database, workGroup } = deps;
  const { run, results, pairs, cost, notCompared } = ended;
  const { probedPaths, earlierRuns, earlierRunsUnavailable, comparedRun, expectations } = ended;
  return {
    run: {
      ...runFacts(ended),
      day: run.day,
      measurementCount: results.length,
      order: run.plan.order,
      seed: run.seed,
    },
    results,
    seriesOf: await readSeries(store, run.runId, results),
    seriesFiles: await store.seriesFiles(run.runId),
    failedPairs: pairs.flatMap(({ pairId, status, reason }) =>
      status === 'failed' ? [{ pairId, reason: reason ?? 'no reason is known' }] : [],
    ),
    pairCosts: cost.pairs,
    probedPaths,
    earlierRuns,
    earlierRunsUnavailable,
    comparedRun,
    expectations,
    warnings: notCompared === undefined ? [] : [notCompared],
    athena: { database, workGroup },
  };
}

/** Reads only the series that are drawn, because a function's memory can't hold all samples of a large run. */
async function readSeries(
  store: ResultReader & Pick<RunFolding, 'sampledIds'>,
  runId: string,
  results: readonly MeasurementResult[],
): Promise<Map<string, readonly Sample[]>> {
  const withSamples = await store.sampledIds(runId);
  const series = await pMap(
    chartedMeasurementIds(results).filter((measurementId) => withSamples.has(measurementId)),
    async (measurementId) => [measurementId, await store.samples({ runId, measurementId }, CHARTED_METRICS)] as const,
    CONCURRENT_OBJECTS,
  );
  return new Map(series);
}

/**
 * Dependencies for a run without a plan in the store: the plan was refused, or could not be prepared or stored. Its
 * summary and report contain only the reason. It gets no row, because nothing was measured.
 */
interface Dependencies {
  readonly database: string;
  readonly workGroup: string;
  readonly renderReport: (input: ReportInput) => string;
  readonly store: Pick<ResultWriter, 'uris' | 'writeSummary' | 'writeReport'>;
  readonly links: (runId: string) => Promise<RunLinks>;
  readonly now: () => Date;
  readonly log: Log;
}

async function summariseUnplannedRun(
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
