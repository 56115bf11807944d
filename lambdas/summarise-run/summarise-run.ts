/**
 * Reads the results of a run and writes its summary, its row and its report. A measurement that was planned and left no
 * result gets one that says why, so nothing that was asked for is absent. Summarising again writes the same again.
 */
import pMap from 'p-map';
import { unmeasuredResult } from '../../domain/analysis/measurement-result';
import { runCost } from '../../domain/forecast/run-cost';
import { zip } from '../../domain/maths/zip';
import type { RunCost } from '../../domain/model/cost';
import { comparedRunOf, isOfEarlierRun, type PlannedRun } from '../../domain/model/planned-run';
import type { ProbedPath } from '../../domain/model/probed-path';
import type { MeasurementResult } from '../../domain/model/result';
import type { Metric, Sample } from '../../domain/model/sample';
import { workOf } from '../../domain/plan/prepare-plan';
import { compareCells, compareRuns, type ComparedRun } from '../../domain/report/comparison';
import { earlierRunsCells, earlierRunsQuery } from '../../domain/report/earlier-runs';
import { judgeExpectations, statusCounts, type OtherRun } from '../../domain/report/expectations';
import { chartedMeasurementIds, renderReport } from '../../domain/report/render-report';
import type { FailedPair, ReportedRun } from '../../domain/report/report-input';
import { runOutcome, runSummary, type PairSummary, type RunSummary } from '../../domain/report/summary';
import type { PairFacts } from '../../domain/tables/columns';
import type { RunLinks, RunOutcome, SummariseRunRequest } from '../../domain/workflow/contracts';
import type { AthenaRow } from '../adapters/athena';
import type { Execution } from '../adapters/sfn';
import type { ResultFinder } from '../result-store/finder';
import type { RunFolding } from '../result-store/folding';
import type { ResultReader } from '../result-store/reader';
import type { RunClaims } from '../result-store/run-execution';
import type { ResultWriter } from '../result-store/writer';
import type { Log } from '../shared/logger';
import { knownEnds, pairLives } from './pair-lives';
import { pairExecutions, pairSummaries } from './pair-outcomes';
import { summariseUnplannedRun } from './summarise-unplanned-run';
import { errorMessage } from '../errors/error-text';

const CONCURRENT_OBJECTS = { concurrency: 32 };
/** The answer to a run does not wait longer than this for a look at earlier runs. */
const COMPARISON_DEADLINE_SECONDS = 60;
/** No chart needs the series of single streams and of the interface, which are most of the rows. */
const CHARTED_METRICS: readonly Metric[] = ['throughput', 'packets', 'allowance', 'round_trip'];

export interface SummariseRunDependencies {
  readonly database: string;
  readonly workGroup: string;
  readonly describePairExecution: (name: string) => Promise<Execution | undefined>;
  readonly runQuery: (sql: string, deadlineSeconds: number) => Promise<AthenaRow[]>;
  readonly store: ResultReader & ResultFinder & ResultWriter & RunFolding & RunClaims;
  readonly links: (runId: string) => Promise<RunLinks>;
  readonly now: () => Date;
  readonly log: Log;
}

export function makeSummariseRun(deps: SummariseRunDependencies) {
  const { store } = deps;

  return async (request: SummariseRunRequest): Promise<RunOutcome> => {
    const { runId, pairs: outcomes, interruptedReason, startedAt } = request;
    // An execution whose plan-run never came to ask must not write into an earlier run of its name either.
    if (startedAt !== undefined) await store.claimRun(runId, startedAt);
    if (!(await store.hasPlan(runId))) return summariseUnplannedRun(deps, request);
    const run = await store.plan(runId);
    const found = ownResults(run, await readResults(deps, runId));
    const ends = await knownEnds(store, run, outcomes);
    const executions = await pairExecutions(run, outcomes, found, ends, deps.describePairExecution);
    const pairs = pairSummaries(run, outcomes, found, executions);
    const cost = runCost({
      run,
      results: found,
      lives: await pairLives(store, run, executions, ends),
      forecast: (await store.hasForecast(runId)) ? await store.forecast(runId) : undefined,
      workOf,
    });
    const probedPaths = await readProbedPaths(deps, run);
    const results = await completeResults(deps, run, found, pairs);
    const earlier = await attempt(deps, run, 'earlier runs', () => compareWithEarlier(deps, run, results));
    const { otherRun, comparedRun, warning: notCompared } = await compareWithOther(deps, run, results);
    const expectations = judgeExpectations({ plan: run.plan, results, costUsd: cost.costUsd, otherRun });
    const warnings = [earlier.warning, notCompared].filter((warning) => warning !== undefined);
    const uris = store.uris(runId);

    const summary = runSummary({
      run,
      results,
      pairs,
      endedAt: deps.now().toISOString(),
      interruptedReason,
      cost,
      earlierRuns: earlier.compared ?? [],
      comparedRun,
      expectations,
      probedPaths,
      warnings,
      reportUri: uris.report,
    });
    // Before the run is folded, which completes the rows of the measurements with their prices.
    await store.writeCost(cost);
    await store.writeSummary(summary);
    // After the summary: an analysis that comes later finds the summary, and folds its measurement itself.
    await store.foldRun(run);
    await store.writePairRows(run.day, runId, pairFacts(run, pairs, cost));
    await store.writeRunRow(run.day, {
      runId,
      planName: run.plan.name,
      createdAt: run.createdAt,
      endedAt: summary.endedAt,
      outcome: summary.outcome,
      pairCount: pairs.length,
      failedPairCount: pairs.filter((pair) => pair.status === 'failed').length,
      repetitions: run.plan.repetitions,
      concurrency: run.plan.concurrency,
      measurementStatuses: results.map((result) => result.status),
      interruptedReason,
      reportUri: summary.report,
      expectedUsd: run.expectedUsd,
      upperUsd: run.upperUsd,
      costUsd: cost.costUsd,
      expectationsOutcome: expectations?.outcome,
      expectationCounts: expectations && statusCounts(expectations),
      tags: run.tags,
    });
    // The report comes after summary and row: if it can't be drawn, the run fails but loses no data.
    const report = renderReport({
      run: reportedRun(run, summary, results.length),
      results,
      seriesOf: await readSeries(deps, runId, results),
      seriesFiles: await store.seriesIds(runId),
      failedPairs: failedPairsOf(pairs),
      pairCosts: cost.pairs,
      probedPaths,
      earlierRuns: earlier.compared,
      earlierRunsUnavailable: earlier.warning,
      comparedRun,
      expectations,
      warnings: [notCompared].filter((warning) => warning !== undefined),
      athena: { database: deps.database, workGroup: deps.workGroup },
    });
    await store.writeReport(runId, report);
    deps.log('run summarised', {
      runId,
      outcome: summary.outcome,
      expectations: expectations?.outcome,
      measurementCount: results.length,
      warnings,
    });
    return runOutcome(summary, uris.summary, await deps.links(runId));
  };
}

/** By measurement id. */
async function readResults(
  { store }: SummariseRunDependencies,
  runId: string,
): Promise<Map<string, MeasurementResult>> {
  const measurementIds = await store.measurementIds(runId);
  const results = await pMap(measurementIds, (measurementId) => store.result(runId, measurementId), CONCURRENT_OBJECTS);
  return new Map(results.map((result) => [result.measurementId, result]));
}

/** What an earlier run of the same name measured is no result of this one. */
function ownResults(run: PlannedRun, results: ReadonlyMap<string, MeasurementResult>): Map<string, MeasurementResult> {
  const isOwn = ({ startedAt }: MeasurementResult) => startedAt === undefined || !isOfEarlierRun(run, startedAt);
  return new Map([...results].filter(([, result]) => isOwn(result)));
}

/** Only a route of the account's own is probed, and only where its pair came so far. */
async function readProbedPaths(
  { store }: SummariseRunDependencies,
  { runId, pairs }: PlannedRun,
): Promise<ProbedPath[]> {
  const own = pairs.filter(({ path }) => path === 'own');
  if (own.length === 0) return [];
  const { hasProbedPath } = await store.launches(runId);
  const probed = own.filter(({ pairId }) => hasProbedPath(pairId));
  return pMap(probed, ({ pairId }) => store.probedPath(runId, pairId), CONCURRENT_OBJECTS);
}

/**
 * Writes the missing results: what can't be measured has its reason from the plan, everything else that of its pair.
 * @returns one result for each planned measurement, in the plan's order
 */
async function completeResults(
  { store }: SummariseRunDependencies,
  run: PlannedRun,
  found: ReadonlyMap<string, MeasurementResult>,
  pairs: readonly PairSummary[],
): Promise<MeasurementResult[]> {
  const planned = run.pairs.flatMap((pair) => pair.measurements.map((measurement) => ({ pair, measurement })));
  return pMap(
    planned,
    async ({ pair, measurement }) => {
      const result = found.get(measurement.measurementId);
      if (result !== undefined) return result;
      const pairReason = pairs[pair.pairIndex]?.reason ?? 'no result was written';
      const missing = unmeasuredResult(run, pair, measurement, pairReason);
      await store.writeResult(missing);
      return missing;
    },
    CONCURRENT_OBJECTS,
  );
}

/** A comparison is an addition: the summary stands without it, with a warning instead. */
async function attempt<T>(
  { log }: SummariseRunDependencies,
  { runId }: PlannedRun,
  other: string,
  compare: () => Promise<T>,
): Promise<{ compared?: T; warning?: string }> {
  try {
    return { compared: await compare() };
  } catch (error) {
    const warning = `no comparison with ${other}: ${errorMessage(error)}`;
    log('comparison failed', { runId, warning });
    return { warning };
  }
}

async function compareWithEarlier(
  { runQuery }: SummariseRunDependencies,
  run: PlannedRun,
  results: readonly MeasurementResult[],
) {
  const rows = await runQuery(earlierRunsQuery(run, results), COMPARISON_DEADLINE_SECONDS);
  return compareCells(earlierRunsCells(rows), results).compared;
}

/** With the run that the plan wants to be compared with; nothing where it names none. */
async function compareWithOther(
  deps: SummariseRunDependencies,
  run: PlannedRun,
  results: readonly MeasurementResult[],
): Promise<{ otherRun?: OtherRun; comparedRun?: ComparedRun; warning?: string }> {
  const named = comparedRunOf(run);
  if (named === undefined) return {};
  const { runId, reason } = named;
  if (runId === null) {
    return { otherRun: { runId, reason }, warning: `no comparison with the previous run: ${reason}` };
  }
  const { compared, warning = '' } = await attempt(deps, run, `run ${runId}`, async () => {
    const earlier = [...(await readResults(deps, runId)).values()];
    if (earlier.length === 0) throw new Error('the store has no results of it');
    return { otherRun: { runId, results: earlier }, comparedRun: compareRuns(runId, earlier, results) };
  });
  return compared ?? { otherRun: { runId, reason: warning }, warning };
}

/** Reads the series of the drawn measurements only: all samples of a large run do not fit into a function's memory. */
async function readSeries(
  { store }: SummariseRunDependencies,
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

function pairFacts(run: PlannedRun, pairs: readonly PairSummary[], cost: RunCost): PairFacts[] {
  const { runId, plan } = run;
  return zip(zip(run.pairs, pairs), cost.pairs).map(([[pair, { status, reason }], pairCost]) => {
    return { runId, planName: plan.name, pair, status, reason, cost: pairCost };
  });
}

function reportedRun(run: PlannedRun, summary: RunSummary, measurementCount: number): ReportedRun {
  return {
    runId: run.runId,
    planName: run.plan.name,
    outcome: summary.outcome,
    day: run.day,
    createdAt: run.createdAt,
    endedAt: summary.endedAt,
    pairCount: run.pairs.length,
    measurementCount,
    repetitions: run.plan.repetitions,
    concurrency: run.plan.concurrency,
    interruptedReason: summary.interruptedReason,
    order: run.plan.order,
    seed: run.seed,
    tags: run.tags,
    expectedUsd: run.expectedUsd,
    upperUsd: run.upperUsd,
    costUsd: summary.costUsd,
  };
}

function failedPairsOf(pairs: readonly PairSummary[]): FailedPair[] {
  return pairs.flatMap(({ pairId, status, reason }) =>
    status === 'failed' ? [{ pairId, reason: reason ?? 'no reason is known' }] : [],
  );
}
