/** Compares a run with earlier runs and with the expectations of its plan. */
import { comparedRunOf, type PlannedRun } from '../../domain/model/planned-run';
import type { MeasurementResult } from '../../domain/model/result';
import { compareCells, compareRuns, type ComparedCell, type ComparedRun } from '../../domain/run/comparison';
import { earlierRunsCells, earlierRunsQuery, type EarlierRunsCell } from '../../domain/run/earlier-runs';
import { judgeExpectations, type OtherRun, type RunExpectations } from '../../domain/run/expectations';
import type { AthenaRow } from '../adapters/athena';
import type { ResultFinder, ResultReader } from '../result-store/reader';
import { errorMessage } from '../errors/aws-errors';
import type { Log } from '../shared/runtime';
import { readResults, type MeasuredRun } from './measured-run';

/** The summary of a run waits no longer than this for the query of earlier runs. */
const COMPARISON_DEADLINE_SECONDS = 60;

export interface ComparedRunDependencies {
  readonly runQuery: (sql: string, deadlineSeconds: number) => Promise<AthenaRow[]>;
  readonly store: ResultReader & ResultFinder;
  readonly log: Log;
}

export interface RunComparisons {
  /** The comparison with all earlier runs; absent if they could not be queried. */
  readonly earlierRuns?: readonly ComparedCell<EarlierRunsCell>[];
  /** Why the earlier runs could not be queried. */
  readonly earlierRunsUnavailable?: string;
  /** The comparison with the run that the plan names; absent if that run has no results. */
  readonly comparedRun?: ComparedRun;
  /** Why there is no comparison with the run that the plan names. */
  readonly notCompared?: string;
  /** Absent if the plan has no expectations. */
  readonly expectations?: RunExpectations;
}

export async function runComparisons(
  deps: ComparedRunDependencies,
  { run, results, cost }: MeasuredRun,
): Promise<RunComparisons> {
  const earlier = await attempt(deps, run, 'earlier runs', () => compareWithEarlier(deps, run, results));
  const { otherRun, comparedRun, warning } = await compareWithOther(deps, run, results);
  return {
    earlierRuns: earlier.compared,
    earlierRunsUnavailable: earlier.warning,
    comparedRun,
    notCompared: warning,
    expectations: judgeExpectations({ plan: run.plan, results, costUsd: cost.costUsd, otherRun }),
  };
}

/** A comparison is optional: if it fails, the summary is written without it and with a warning. */
async function attempt<T>(
  { log }: ComparedRunDependencies,
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
  { runQuery }: ComparedRunDependencies,
  run: PlannedRun,
  results: readonly MeasurementResult[],
) {
  const rows = await runQuery(earlierRunsQuery(run, results), COMPARISON_DEADLINE_SECONDS);
  return compareCells(earlierRunsCells(rows), results).compared;
}

/** Compares with the run that the plan names, if any. */
async function compareWithOther(
  deps: ComparedRunDependencies,
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
    const earlier = [...(await readResults(deps.store, runId)).values()];
    if (earlier.length === 0) throw new Error('the store has no results of it');
    return { otherRun: { runId, results: earlier }, comparedRun: compareRuns(runId, earlier, results) };
  });
  return compared ?? { otherRun: { runId, reason: warning }, warning };
}
