/**
 * Produces the results of what an ended run or pair had measured. It handles only measurements that no state machine
 * was left to analyse, because a pair that failed by itself has analysed its measurements.
 *
 * | result of a measurement    | the pair's execution              | what happens                                  |
 * | -------------------------- | --------------------------------- | --------------------------------------------- |
 * | complete or not applicable | any                               | nothing                                       |
 * | truncated or failed        | FAILED or SUCCEEDED               | nothing: the pair analysed it itself          |
 * | truncated or failed        | ABORTED, TIMED_OUT, never started | analysed again: a dying host may still upload |
 * | none                       | any                               | analysed, with the end of the pair as reason  |
 *
 * | the run's execution | summary, report              | what happens                                           |
 * | ------------------- | ---------------------------- | ------------------------------------------------------ |
 * | still running       | any                          | nothing: the run summarises itself                     |
 * | ended               | of an earlier execution      | nothing: this execution was refused for its name       |
 * | ended               | deleted with everything else | nothing: somebody has deleted the run                  |
 * | ended               | none                         | summarised, with the end of the run as reason          |
 * | ended               | no report                    | summarised again, with the reason that the summary has |
 * | ended               | both there, nothing new      | nothing                                                |
 * | ended               | both there, other results    | summarised again, with the reason that the summary has |
 *
 * When a run is stopped, Step Functions stops its pairs too, so that all their events arrive at once. If two calls
 * summarised the same run at the same time, the summary of the call that read less might be the last. Only the run's
 * own event therefore handles the pairs of an interrupted run, unless a later look finds that it never came.
 */
import { isDeepStrictEqual } from 'node:util';
import pMap from 'p-map';
import type { PlannedPair } from '../../domain/model/planned-run';
import type { MeasurementResult } from '../../domain/model/result';
import { resultToJson } from '../../domain/model/verdict-json';
import { measurementSummary, type RunSummaryJson } from '../../domain/run/summary';
import type { AnalyseMeasurementRequest, RunOutcome, SummariseRunRequest } from '../../domain/workflow/contracts';
import { pairExecutionName } from '../../domain/workflow/identifiers';
import type { invokeFunction } from '../adapters/lambda';
import type * as executionCalls from '../adapters/sfn';
import type { Execution } from '../adapters/sfn';
import type { ResultFinder, RunInventory, ResultReader } from '../result-store/reader';
import { type RunExecutionFinder, wasRemoved, type RemovedRunsDependencies } from '../result-store/run-execution';
import { causeInWords, EXECUTION_ENDINGS, tellingErrorName } from '../shared/execution-endings';
import type { Log } from '../shared/runtime';

const CONCURRENT_PAIRS = { concurrency: 8 };
/** Limits the reason for a result, a row and the report, because an execution's cause can have 32,768 characters. */
const REASON_CHARACTERS = 400;

type ExecutionCalls = Pick<typeof executionCalls, 'describeExecution' | 'listRunningExecutions' | 'stopExecution'>;

export interface SalvageDependencies extends ExecutionCalls, RemovedRunsDependencies {
  readonly invokeFunction: typeof invokeFunction;
  readonly pairStateMachineArn: string;
  readonly analyseFunctionName: string;
  readonly summariseFunctionName: string;
  readonly store: Pick<
    ResultReader & ResultFinder & RunExecutionFinder,
    'plan' | 'result' | 'summary' | 'inventory' | 'findEarlierRun'
  >;
  readonly log: Log;
}

export interface EndedExecution {
  readonly execution: Execution;
  readonly runId: string;
  /** The pair whose execution ended; undefined if the whole run ended. */
  readonly pairId: string | undefined;
}

/** @param isLaterLook whether this is one of the calls after one and five minutes */
export async function salvage(deps: SalvageDependencies, ended: EndedExecution, isLaterLook: boolean): Promise<void> {
  const { runId } = ended;
  const run =
    ended.pairId === undefined ? ended.execution : await deps.describeExecution(deps.runStateMachineArn, runId);
  const earlierRun = run && (await deps.store.findEarlierRun(runId, run.startedAt.toISOString()));
  if (earlierRun !== undefined) {
    deps.log('the store has an earlier run of this name', { runId, earlierRun });
    return;
  }
  const inventory = await deps.store.inventory(runId);
  if (run !== undefined && (await wasRemoved(deps, runId, inventory))) {
    deps.log('run was removed from the store', { runId });
    return;
  }
  // Without a plan nothing was launched, so at most the summary with the reason is missing.
  if (!inventory.hasPlan) return summariseAgain(deps, runId, run, inventory, false);
  if (ended.pairId !== undefined && wasInterrupted(run) && (inventory.hasSummary || !isLaterLook)) return;
  const { pairs } = await deps.store.plan(runId);
  const launched = pairs.filter(({ pairId }) => (ended.pairId ?? pairId) === pairId && inventory.hasHosts(pairId));
  const salvaged = await pMap(launched, (pair) => salvagePair(deps, ended, pair, inventory), CONCURRENT_PAIRS);
  const summary = inventory.hasSummary ? await deps.store.summary(runId) : undefined;
  // A plan that was still being written when the run was stopped comes after a summary that has no pair.
  // An analysis that its pair began before it was stopped may have written after the summary, so that the results are
  // compared with the summary, and not with those before this look.
  const isSummaryOfPlan = summary?.pairs.length === pairs.length;
  const hasChanged =
    summary !== undefined && !(isSummaryOfPlan && salvaged.flat().every((result) => isSummarised(result, summary)));
  await summariseAgain(deps, runId, run, inventory, hasChanged);
}

/** Whether the summary tells of a measurement what its result does. */
function isSummarised(result: MeasurementResult, { measurements }: RunSummaryJson): boolean {
  const told = measurements.find(({ measurementId }) => measurementId === result.measurementId);
  // As JSON, because the summary was read from it.
  return isDeepStrictEqual(JSON.parse(JSON.stringify(resultToJson(measurementSummary(result)))), told);
}

function wasInterrupted(run: Execution | undefined): boolean {
  return run?.status === 'ABORTED' || run?.status === 'TIMED_OUT';
}

/** @returns the results of the pair, those included that nothing was done about */
async function salvagePair(
  deps: SalvageDependencies,
  ended: EndedExecution,
  { pairId, pairIndex, measurements }: PlannedPair,
  inventory: RunInventory,
): Promise<MeasurementResult[]> {
  const { runId } = ended;
  const results: MeasurementResult[] = [];
  let execution: Execution | undefined;
  for (const [measurementIndex, { measurementId }] of measurements.entries()) {
    const before = inventory.hasResult(measurementId) ? await deps.store.result(runId, measurementId) : undefined;
    if (before?.status === 'complete' || before?.status === 'not_applicable') {
      results.push(before);
      continue;
    }
    execution ??=
      ended.pairId === undefined
        ? await deps.describeExecution(deps.pairStateMachineArn, pairExecutionName(runId, pairId))
        : ended.execution;
    const endedByItself = execution?.status === 'FAILED' || execution?.status === 'SUCCEEDED';
    if (before !== undefined && endedByItself) {
      results.push(before);
      continue;
    }
    const request: AnalyseMeasurementRequest = {
      runId,
      pairIndex,
      measurementIndex,
      acceptTruncated: true,
      failureReason: before?.reason ?? endReason(execution, "the pair's execution"),
    };
    await deps.invokeFunction(deps.analyseFunctionName, request);
    const after = await deps.store.result(runId, measurementId);
    results.push(after);
    deps.log('measurement salvaged', { runId, measurementId, status: after.status });
  }
  return results;
}

async function summariseAgain(
  deps: SalvageDependencies,
  runId: string,
  run: Execution | undefined,
  { hasSummary, hasReport }: RunInventory,
  hasChanged: boolean,
): Promise<void> {
  if (run === undefined || run.status === 'RUNNING') return;
  if (hasReport && !hasChanged) return;
  const interruptedReason = hasSummary
    ? (await deps.store.summary(runId)).interruptedReason
    : endReason(run, 'the run');
  const request: SummariseRunRequest = { runId, pairs: [], interruptedReason };
  const { outcome } = (await deps.invokeFunction(deps.summariseFunctionName, request)) as RunOutcome;
  deps.log('run summarised', { runId, outcome });
}

function endReason(execution: Execution | undefined, subject: string): string {
  if (execution === undefined) return `${subject} was never started`;
  const words = [tellingErrorName(execution), causeInWords(execution)].filter((text) => text);
  return [`${subject} ${EXECUTION_ENDINGS[execution.status]}`, ...words].join(': ').slice(0, REASON_CHARACTERS);
}
