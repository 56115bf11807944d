/** Whether a run passed: its outcome, and whether its execution is red. */
import type { MeasurementResult } from '../model/result';
import type { RunOutcome } from '../workflow/contracts';
import type { RunExpectations } from './expectations';

export interface PairOutcome {
  readonly pairId: string;
  /** `not_applicable`: nothing can be measured on the pair, so it was not launched. */
  readonly status: 'complete' | 'failed' | 'not_applicable';
  /** Why the pair is not complete; null when it is. */
  readonly reason: string | null;
}

/** A run is complete only when everything applicable was measured, no pair failed and nothing interrupted the run. */
export function outcomeOf(
  results: readonly Pick<MeasurementResult, 'status'>[],
  pairs: readonly Pick<PairOutcome, 'status'>[],
  interruptedReason: string | null,
): RunOutcome['outcome'] {
  const isWhole = results.every(({ status }) => status === 'complete' || status === 'not_applicable');
  if (isWhole && pairs.every(({ status }) => status !== 'failed') && interruptedReason === null) return 'complete';
  const hasMeasured = results.some(({ status }) => status === 'complete' || status === 'truncated');
  return hasMeasured ? 'incomplete' : 'failed';
}

export interface RunWithExpectations {
  readonly outcome: RunOutcome['outcome'];
  /** Undefined for a plan that expects nothing. */
  readonly expectations?: Pick<RunExpectations, 'outcome' | 'failsRun' | 'judged'>;
}

/** Whether all was measured, and only the plan's `failOn` makes the run fail. */
export function failsOnlyByExpectations({ outcome, expectations }: RunWithExpectations): boolean {
  return outcome === 'complete' && expectations?.outcome === 'not_met' && expectations.failsRun;
}

/** Whether the execution of the run is red, as the state machine decides it. */
export function hasFailed(run: RunWithExpectations): boolean {
  return run.outcome !== 'complete' || failsOnlyByExpectations(run);
}
