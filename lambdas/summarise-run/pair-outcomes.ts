/** How each pair of a run ended, and why those that did not end well did not: told by their executions. */
import type { MeasurementResult } from '../../domain/model/result';
import { isLaunched } from '../../domain/model/planned-run';
import type { PlannedMeasurement, PlannedPair, PlannedRun } from '../../domain/model/planned-run';
import type { PairSummary } from '../../domain/report/summary';
import type { PairFailure, PairOutcome } from '../../domain/workflow/contracts';
import { pairExecutionName } from '../../domain/workflow/identifiers';
import type { Execution } from '../adapters/sfn';
import { inBatches } from '../shared/in-batches';

/** DescribeExecution is throttled per account; a thousand failed pairs take a while and are told all the same. */
const CONCURRENT_LOOKUPS = 8;

export async function pairSummaries(
  run: PlannedRun,
  outcomes: readonly PairOutcome[],
  results: ReadonlyMap<string, MeasurementResult>,
  describePairExecution: (name: string) => Promise<Execution | undefined>,
): Promise<PairSummary[]> {
  const reported = new Map(outcomes.map((outcome) => [outcome.pairIndex, outcome.status]));
  const summarise = async (pair: PlannedPair): Promise<PairSummary> => {
    const { pairId, clientType, serverType } = pair;
    if (!isLaunched(pair)) return { pairId, status: 'not_applicable', reason: null, clientType, serverType };
    const isMeasured = pair.measurements.every((measurement) => isGood(measurement, results));
    // A stopped run reports no outcomes: then what was measured has to speak.
    const isComplete = isMeasured && (reported.get(pair.pairIndex) ?? 'complete') === 'complete';
    if (isComplete) return { pairId, status: 'complete', reason: null, clientType, serverType };
    const execution = await describePairExecution(pairExecutionName(run.runId, pairId));
    return { pairId, status: 'failed', reason: failureOf(execution, pair, results), clientType, serverType };
  };
  return inBatches(run.pairs, CONCURRENT_LOOKUPS, summarise);
}

/** What can't be measured leaves no result until the run is summarised. */
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
      const { measurementId } = measurement;
      return isGood(measurement, results)
        ? []
        : [`${measurementId}: ${results.get(measurementId)?.reason ?? 'no result was written'}`];
    });
    return reasons.join('; ') || "the pair's execution succeeded, but its run counts it as failed";
  }
  const words = [pairFailureReason(execution.cause) ?? execution.cause, execution.error].find((text) => text);
  return execution.status === 'FAILED'
    ? (words ?? 'the pair failed without a reason')
    : `the pair's execution was ${STATUS_WORDS[execution.status] ?? execution.status}${words === undefined ? '' : `: ${words}`}`;
}

const STATUS_WORDS: Readonly<Record<string, string>> = { ABORTED: 'stopped', TIMED_OUT: 'timed out' };

/** The cause of a pair that knew why it failed is a `PairFailure`; anything else is the service's own text. */
function pairFailureReason(cause: string | undefined): string | undefined {
  try {
    const { reason } = JSON.parse(cause ?? '') as Partial<PairFailure>;
    return typeof reason === 'string' ? reason : undefined;
  } catch {
    return undefined;
  }
}
