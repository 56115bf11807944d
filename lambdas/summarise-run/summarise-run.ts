/**
 * Reads what the measurements of a run came to and writes its summary, its row and its report. What was planned and left
 * no result gets one that says why: nothing that was asked for is absent. A second time writes the same again.
 */
import { measurementRow, runRow } from '../../domain/tables/columns';
import type { MeasurementResult } from '../../domain/model/result';
import type { Sample } from '../../domain/model/sample';
import { failedResult, notApplicableResult } from '../../domain/analysis/measurement-result';
import type { PlannedRun } from '../../domain/model/planned-run';
import { comparisonQuery, comparisonsOf } from '../../domain/report/comparison';
import type { Comparison, FailedPair, ReportedRun } from '../../domain/report/report-input';
import { chartedMeasurementIds, renderReport } from '../../domain/report/render-report';
import { compareRuns, type ComparedCells } from '../../domain/report/run-comparison';
import { runOutcome, runSummary, type PairSummary, type RunSummary } from '../../domain/report/summary';
import type { RunOutcome, SummariseRunRequest } from '../../domain/workflow/contracts';
import {
  measurementResultKey,
  measurementResultPrefix,
  measurementRowKey,
  planKey,
  reportKey,
  runRowKey,
  samplesKey,
  summaryKey,
} from '../../domain/workflow/object-keys';
import type { AthenaRow } from '../adapters/athena';
import type { Execution } from '../adapters/sfn';
import { inBatches } from '../shared/in-batches';
import type { Log } from '../shared/logger';
import { decodeJson, encodeJson, encodeRows, HTML_TYPE, JSON_TYPE, NDJSON } from '../shared/stored-json';
import { pairSummaries } from './pair-outcomes';
import { decodeSeries } from './read-series';

const CONCURRENT_OBJECTS = 32;
/** A run's answer does not wait longer than this for a look at earlier ones. */
const COMPARISON_DEADLINE_SECONDS = 60;

export interface SummariseRunDependencies {
  readonly bucketName: string;
  readonly database: string;
  readonly workGroup: string;
  readonly describePairExecution: (name: string) => Promise<Execution | undefined>;
  readonly runQuery: (sql: string, deadlineSeconds: number) => Promise<AthenaRow[]>;
  readonly getObject: (key: string) => Promise<Uint8Array>;
  readonly listObjects: (prefix: string) => Promise<string[]>;
  readonly putObject: (key: string, body: Uint8Array, contentType: string) => Promise<void>;
  readonly now: () => Date;
  readonly log: Log;
}

export function makeSummariseRun(deps: SummariseRunDependencies) {
  const readJson = async <T>(key: string) => decodeJson<T>(key, await deps.getObject(key));

  return async ({ runId, pairs: outcomes, interruptedReason }: SummariseRunRequest): Promise<RunOutcome> => {
    const run = await readJson<PlannedRun>(planKey(runId));
    const found = await readResults(deps, runId);
    const pairs = await pairSummaries(run, outcomes, found, deps.describePairExecution);
    const results = await completeResults(deps, run, found, pairs);
    const { comparisons, warning } = await compareWithEarlier(deps, run, results);
    const { compared, warnings: comparisonWarnings } = await compareWithNamed(deps, run, results);
    const warnings = [...(warning === undefined ? [] : [warning]), ...comparisonWarnings];
    const endedAt = deps.now().toISOString();
    const summary = runSummary({
      run,
      results,
      pairs,
      endedAt,
      interruptedReason,
      comparisons,
      comparedRun: compared?.comparison ?? null,
      warnings,
      reportUri: `s3://${deps.bucketName}/${reportKey(runId)}`,
    });
    await deps.putObject(summaryKey(runId), encodeJson(summary), JSON_TYPE);
    const row = runRow({
      runId,
      planName: run.plan.name,
      createdAt: run.createdAt,
      endedAt,
      outcome: summary.outcome,
      pairCount: pairs.length,
      failedPairCount: pairs.filter((pair) => pair.status === 'failed').length,
      repetitions: run.plan.repetitions,
      concurrency: run.plan.concurrency,
      measurementStatuses: results.map((result) => result.status),
      interruptedReason,
      reportUri: summary.report,
    });
    await deps.putObject(runRowKey(run.day, runId), encodeRows([row]), NDJSON);
    // After summary and row: a report that can't be drawn makes the run fail, but takes no data with it.
    const report = renderReport({
      run: reportedRun(run, summary, results.length),
      results,
      seriesOf: await readSeries(deps, run, results),
      failedPairs: failedPairsOf(pairs),
      ...(warning === undefined ? { comparisons } : { comparisonsUnavailable: warning }),
      ...(compared === undefined ? {} : { comparedRun: compared }),
      warnings: comparisonWarnings,
      athena: { database: deps.database, workGroup: deps.workGroup },
    });
    await deps.putObject(reportKey(runId), new TextEncoder().encode(report), HTML_TYPE);
    deps.log('run summarised', { runId, outcome: summary.outcome, measurementCount: results.length, warnings });
    return runOutcome(summary, `s3://${deps.bucketName}/${summaryKey(runId)}`);
  };
}

/** By measurement id. */
async function readResults(deps: SummariseRunDependencies, runId: string): Promise<Map<string, MeasurementResult>> {
  const keys = await deps.listObjects(measurementResultPrefix(runId));
  const results = await inBatches(keys, CONCURRENT_OBJECTS, async (key) =>
    decodeJson<MeasurementResult>(key, await deps.getObject(key)),
  );
  return new Map(results.map((result) => [result.measurementId, result]));
}

/**
 * One result for each planned measurement, in the plan's order. What can't be measured has its reason from the plan; one
 * that could and was never written fails with its pair's.
 */
async function completeResults(
  deps: SummariseRunDependencies,
  run: PlannedRun,
  found: ReadonlyMap<string, MeasurementResult>,
  pairs: readonly PairSummary[],
): Promise<MeasurementResult[]> {
  const missing: MeasurementResult[] = [];
  const results = run.pairs.flatMap((pair) =>
    pair.measurements.map((measurement) => {
      const result = found.get(measurement.measurementId);
      if (result !== undefined) return result;
      const absent =
        measurement.notApplicable === undefined
          ? failedResult(run, pair, measurement, pairs[pair.pairIndex]?.reason ?? 'no result was written')
          : notApplicableResult(run, pair, measurement, measurement.notApplicable);
      missing.push(absent);
      return absent;
    }),
  );
  await inBatches(missing, CONCURRENT_OBJECTS, async (result) => {
    const { runId, day, measurementId } = result;
    await deps.putObject(measurementRowKey(day, runId, measurementId), encodeRows([measurementRow(result)]), NDJSON);
    await deps.putObject(measurementResultKey(runId, measurementId), encodeJson(result), JSON_TYPE);
  });
  return results;
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
    expectedUsd: run.expectedUsd,
    upperUsd: run.upperUsd,
  };
}

function failedPairsOf(pairs: readonly PairSummary[]): FailedPair[] {
  return pairs.flatMap(({ pairId, status, reason }) =>
    status === 'failed' ? [{ pairId, reason: reason ?? 'no reason is known' }] : [],
  );
}

/** Only of the measurements that the report draws: a large run's samples do not fit into a function's memory. */
async function readSeries(
  deps: SummariseRunDependencies,
  run: PlannedRun,
  results: readonly MeasurementResult[],
): Promise<Map<string, readonly Sample[]>> {
  const series = await inBatches(chartedMeasurementIds(results), CONCURRENT_OBJECTS, async (measurementId) => {
    const key = samplesKey(run.day, run.runId, measurementId);
    return [measurementId, decodeSeries(key, await deps.getObject(key))] as const;
  });
  return new Map(series);
}

/** With the run that the plan names: one without results is a warning, for this run is none the worse for it. */
async function compareWithNamed(
  deps: SummariseRunDependencies,
  run: PlannedRun,
  results: readonly MeasurementResult[],
): Promise<{ compared?: ComparedCells; warnings: readonly string[] }> {
  const { compareTo } = run.plan;
  if (compareTo === undefined) return { warnings: [] };
  try {
    const earlier = [...(await readResults(deps, compareTo)).values()];
    if (earlier.length === 0) throw new Error('the store has no results of it');
    return { compared: compareRuns(compareTo, earlier, results), warnings: [] };
  } catch (error) {
    const warning = `no comparison with run ${compareTo}: ${(error as Error).message}`;
    deps.log('comparison failed', { runId: run.runId, warning });
    return { warnings: [warning] };
  }
}

/** A comparison is an addition: when Athena has no answer, the summary says so and stands without it. */
async function compareWithEarlier(
  deps: SummariseRunDependencies,
  run: PlannedRun,
  results: readonly MeasurementResult[],
): Promise<{ comparisons: Comparison[]; warning?: string }> {
  try {
    const rows = await deps.runQuery(comparisonQuery(run.runId, run.day, results), COMPARISON_DEADLINE_SECONDS);
    return { comparisons: comparisonsOf(rows, results) };
  } catch (error) {
    const warning = `no comparison with earlier runs: ${(error as Error).message}`;
    deps.log('comparison failed', { runId: run.runId, warning });
    return { comparisons: [], warning };
  }
}
