/**
 * What was measured in a run, from what its pairs left in the store. A measurement that was planned and left no result
 * gets one that says why, so nothing that was asked for is absent.
 */
import pMap from 'p-map';
import { unmeasuredResult } from '../../domain/analysis/measurement-result';
import { runCost } from '../../domain/forecast/run-cost';
import type { RunCost } from '../../domain/model/cost';
import type { PlannedRun } from '../../domain/model/planned-run';
import type { ProbedPath } from '../../domain/model/probed-path';
import type { MeasurementResult } from '../../domain/model/result';
import { workOf } from '../../domain/plan/prepare-plan';
import type { PairSummary } from '../../domain/run/summary';
import type { SummariseRunRequest } from '../../domain/workflow/contracts';
import type { Execution } from '../adapters/sfn';
import type { ResultFinder, ResultReader } from '../result-store/reader';
import type { RunFolding } from '../result-store/folding';
import type { ResultWriter } from '../result-store/writer';
import { knownHosts, pairLives, pairExecutions, pairSummaries } from './pair-ends';

export const CONCURRENT_OBJECTS = { concurrency: 32 };

export interface MeasuredRunDependencies {
  readonly describePairExecution: (name: string) => Promise<Execution | undefined>;
  readonly store: ResultReader & ResultFinder & ResultWriter & Pick<RunFolding, 'earlierCost'>;
}

export interface MeasuredRun {
  readonly run: PlannedRun;
  /** One for each planned measurement, in the plan's order. */
  readonly results: readonly MeasurementResult[];
  readonly pairs: readonly PairSummary[];
  readonly cost: RunCost;
  readonly probedPaths: readonly ProbedPath[];
}

/** Writes the results that are missing. */
export async function measuredRun(
  { store, describePairExecution }: MeasuredRunDependencies,
  { runId, pairs: outcomes }: SummariseRunRequest,
): Promise<MeasuredRun> {
  const run = await store.plan(runId);
  const found = await readResults(store, runId);
  const ends = await knownHosts(store, run, outcomes);
  const executions = await pairExecutions(run, outcomes, found, ends, describePairExecution);
  const pairs = pairSummaries(run, outcomes, found, executions);
  const cost = runCost({
    run,
    results: found,
    lives: await pairLives(store, run, executions, ends),
    forecast: (await store.hasForecast(runId)) ? await store.forecast(runId) : undefined,
    workOf,
  });
  const probedPaths = await readProbedPaths(store, run);
  return { run, results: await completeResults(store, run, found, pairs), pairs, cost, probedPaths };
}

/** By measurement id. */
export async function readResults(
  store: ResultReader & ResultFinder,
  runId: string,
): Promise<Map<string, MeasurementResult>> {
  const measurementIds = await store.measurementIds(runId);
  const results = await pMap(measurementIds, (measurementId) => store.result(runId, measurementId), CONCURRENT_OBJECTS);
  return new Map(results.map((result) => [result.measurementId, result]));
}

/** Only a route of the account's own is probed, and only where its pair came so far. */
async function readProbedPaths(
  store: ResultReader & ResultFinder,
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
  store: ResultWriter,
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
