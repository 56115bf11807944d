/**
 * What an ended run or pair had measured, made into results. Only for what no state machine was left to analyse: a pair
 * that failed in its own way has analysed its measurements itself.
 */
import type { MeasurementResult } from '../../domain/model/result';
import type { PlannedPair, PlannedRun } from '../../domain/model/planned-run';
import type { RunSummary } from '../../domain/report/summary';
import type {
  AnalyseMeasurementRequest,
  AnalyseMeasurementResponse,
  RunOutcome,
  SummariseRunRequest,
} from '../../domain/workflow/contracts';
import { pairExecutionName } from '../../domain/workflow/identifiers';
import {
  measurementResultKey,
  pairHostsKey,
  planKey,
  reportPrefix,
  summaryKey,
} from '../../domain/workflow/object-keys';
import type { Execution } from '../adapters/sfn';
import { inBatches } from '../shared/in-batches';
import { decodeJson } from '../shared/stored-json';
import type { EndedExecution, ReapRunDependencies } from './dependencies';

const CONCURRENT_PAIRS = 8;

export async function salvage(deps: ReapRunDependencies, ended: EndedExecution): Promise<void> {
  const { runId } = ended;
  const keys = new Set(await deps.listObjects(reportPrefix(runId)));
  // Refused before anything was launched.
  if (!keys.has(planKey(runId))) return;
  const run = await readJson<PlannedRun>(deps, planKey(runId));
  const launched = run.pairs.filter(
    ({ pairId }) => (ended.pairId ?? pairId) === pairId && keys.has(pairHostsKey(runId, pairId)),
  );
  const changes = await inBatches(launched, CONCURRENT_PAIRS, (pair) => salvagePair(deps, ended, pair, keys));
  await summariseAgain(deps, ended, keys, changes.includes(true));
}

async function salvagePair(
  deps: ReapRunDependencies,
  ended: EndedExecution,
  pair: PlannedPair,
  keys: ReadonlySet<string>,
): Promise<boolean> {
  const { runId } = ended;
  let hasChanged = false;
  let execution: Execution | undefined;
  for (const [measurementIndex, { measurementId }] of pair.measurements.entries()) {
    const key = measurementResultKey(runId, measurementId);
    const before = keys.has(key) ? await readJson<MeasurementResult>(deps, key) : undefined;
    if (before?.status === 'complete' || before?.status === 'not_applicable') continue;
    execution ??= await pairExecution(deps, ended, pair);
    const wasAnalysed = before !== undefined && (execution?.status === 'FAILED' || execution?.status === 'SUCCEEDED');
    if (wasAnalysed) continue;
    const request: AnalyseMeasurementRequest = {
      runId,
      pairIndex: pair.pairIndex,
      measurementIndex,
      acceptTruncated: true,
      failureReason: before?.reason ?? endReason(execution, "the pair's execution"),
    };
    const after = await deps.invokeFunction<AnalyseMeasurementResponse>(deps.analyseFunctionName, request);
    hasChanged ||= after.status !== before?.status || after.reason !== (before?.reason ?? null);
    deps.log('measurement salvaged', { runId, measurementId, status: after.status });
  }
  return hasChanged;
}

async function pairExecution(
  deps: ReapRunDependencies,
  ended: EndedExecution,
  pair: PlannedPair,
): Promise<Execution | undefined> {
  if (ended.pairId !== undefined) return ended.execution;
  return deps.describeExecution(deps.pairStateMachineArn, pairExecutionName(ended.runId, pair.pairId));
}

/** A run that still goes on summarises itself; one that ended without, or before these results, is summarised here. */
async function summariseAgain(
  deps: ReapRunDependencies,
  { runId, pairId, execution }: EndedExecution,
  keys: ReadonlySet<string>,
  hasChanged: boolean,
): Promise<void> {
  const run = pairId === undefined ? execution : await deps.describeExecution(deps.runStateMachineArn, runId);
  if (run === undefined || run.status === 'RUNNING') return;
  const isSummarised = keys.has(summaryKey(runId));
  if (isSummarised && !hasChanged) return;
  const request: SummariseRunRequest = {
    runId,
    pairs: [],
    interruptedReason: isSummarised
      ? (await readJson<RunSummary>(deps, summaryKey(runId))).interruptedReason
      : endReason(run, 'the run'),
  };
  const outcome = await deps.invokeFunction<RunOutcome>(deps.summariseFunctionName, request);
  deps.log('run summarised', { runId, outcome: outcome.outcome });
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  ABORTED: 'was stopped',
  TIMED_OUT: 'timed out',
  FAILED: 'failed',
  SUCCEEDED: 'ended without a result',
};

function endReason(execution: Execution | undefined, whose: string): string {
  if (execution === undefined) return `${whose} was never started`;
  const words = [execution.error, execution.cause].filter((text) => text !== undefined && text !== '');
  const ending = STATUS_WORDS[execution.status] ?? `is ${execution.status}`;
  return [`${whose} ${ending}`, ...words].join(': ').slice(0, 400);
}

async function readJson<T>(deps: ReapRunDependencies, key: string): Promise<T> {
  return decodeJson<T>(key, await deps.getObject(key));
}
