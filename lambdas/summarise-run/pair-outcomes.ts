/** How each pair of a run ended, and what its execution gives as the reason if it did not end well. */
import pMap from 'p-map';
import type { MeasurementResult } from '../../domain/model/result';
import { isLaunched, type PlannedMeasurement, type PlannedPair, type PlannedRun } from '../../domain/model/planned-run';
import type { PairSummary } from '../../domain/run/summary';
import type { PairOutcome } from '../../domain/workflow/contracts';
import { pairExecutionName } from '../../domain/workflow/identifiers';
import type { Execution } from '../adapters/sfn';
import { causeInWords, EXECUTION_ENDINGS, tellingErrorName } from '../shared/execution-endings';

/** DescribeExecution is throttled per account, so that those of a thousand pairs take a while. */
const CONCURRENT_LOOKUPS = { concurrency: 8 };

/**
 * The executions of launched pairs by pair id: of those that are not complete, whose reason is asked, and of those whose
 * hosts ended nobody knows when. A pair that was never started has none.
 */
export async function pairExecutions(
  run: PlannedRun,
  outcomes: readonly PairOutcome[],
  results: ReadonlyMap<string, MeasurementResult>,
  ends: ReadonlyMap<string, string>,
  describePairExecution: (name: string) => Promise<Execution | undefined>,
): Promise<Map<string, Execution>> {
  const asked = run.pairs.filter(
    (pair) => isLaunched(pair) && !(ends.has(pair.pairId) && isComplete(pair, outcomes, results)),
  );
  const found = await pMap(
    asked,
    async ({ pairId }) => [pairId, await describePairExecution(pairExecutionName(run.runId, pairId))] as const,
    CONCURRENT_LOOKUPS,
  );
  return new Map(found.flatMap(([pairId, execution]) => (execution === undefined ? [] : [[pairId, execution]])));
}

/** A stopped run reports no outcomes, so that its pairs are judged by their results alone. */
function isComplete(
  { pairIndex, measurements }: PlannedPair,
  outcomes: readonly PairOutcome[],
  results: ReadonlyMap<string, MeasurementResult>,
): boolean {
  const isMeasured = measurements.every((measurement) => isGood(measurement, results));
  return isMeasured && !outcomes.some((outcome) => outcome.pairIndex === pairIndex && outcome.status === 'failed');
}

export function pairSummaries(
  run: PlannedRun,
  outcomes: readonly PairOutcome[],
  results: ReadonlyMap<string, MeasurementResult>,
  executions: ReadonlyMap<string, Execution>,
): PairSummary[] {
  const summarise = (pair: PlannedPair): PairSummary => {
    const { pairId, clientType, serverType } = pair;
    if (!isLaunched(pair)) return { pairId, status: 'not_applicable', reason: null, clientType, serverType };
    if (isComplete(pair, outcomes, results))
      return { pairId, status: 'complete', reason: null, clientType, serverType };
    const reason = failureOf(executions.get(pairId), pair, results);
    return { pairId, status: 'failed', reason, clientType, serverType };
  };
  return run.pairs.map(summarise);
}

/** A measurement that can't be made has no result before the run is summarised. */
function isGood(
  { measurementId, notApplicable }: PlannedMeasurement,
  results: ReadonlyMap<string, MeasurementResult>,
): boolean {
  const status = results.get(measurementId)?.status;
  return status === 'complete' || status === 'not_applicable' || (status === undefined && notApplicable !== undefined);
}

function failureOf(
  execution: Execution | undefined,
  pair: PlannedPair,
  results: ReadonlyMap<string, MeasurementResult>,
): string {
  if (execution === undefined) return 'the pair was never started';
  if (execution.status === 'RUNNING') return "the pair's execution is still running";
  if (execution.status === 'SUCCEEDED') {
    const reasons = pair.measurements.flatMap((measurement) => {
      if (isGood(measurement, results)) return [];
      const { measurementId } = measurement;
      return [`${measurementId}: ${results.get(measurementId)?.reason ?? 'no result was written'}`];
    });
    return reasons.join('; ') || "the pair's execution succeeded, but its run counts it as failed";
  }
  const cause = causeInWords(execution);
  if (execution.status === 'FAILED' && cause) return cause;
  const ending = `the pair's execution ${EXECUTION_ENDINGS[execution.status]}`;
  const words = [cause, tellingErrorName(execution)].find((text) => text);
  return words === undefined ? ending : `${ending}: ${words}`;
}
