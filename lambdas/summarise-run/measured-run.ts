/**
 * Collects what a run measured from what its pairs stored. A planned measurement without a result gets one that gives
 * the reason, so that every planned measurement has a result.
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
  /** One result for each planned measurement, in the plan's order. */
  readonly results: readonly MeasurementResult[];
  readonly pairs: readonly PairSummary[];
  readonly cost: RunCost;
  readonly probedPaths: readonly ProbedPath[];
}

/** Collects the results of a run and writes those that are missing. */
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

export async function readResults(
  store: ResultReader & ResultFinder,
  runId: string,
): Promise<Map<string, MeasurementResult>> {
  const measurementIds = await store.measurementIds(runId);
  const results = await pMap(measurementIds, (measurementId) => store.result(runId, measurementId), CONCURRENT_OBJECTS);
  return new Map(results.map((result) => [result.measurementId, result]));
}

/** Only a pair on the path `own` is probed, and its probe is missing if the pair failed before. */
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
 * Writes the missing results. A measurement that can't be made gets its reason from the plan, any other from its pair.
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
