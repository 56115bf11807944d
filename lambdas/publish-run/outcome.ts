import type { RunSummaryJson } from '../../domain/report/summary';

/** Whether the execution of the run is red, as the state machine decides it. */
export function hasFailed({ outcome, expectations }: Pick<RunSummaryJson, 'outcome' | 'expectations'>): boolean {
  return outcome !== 'complete' || (expectations?.outcome === 'not_met' && expectations.failsRun);
}
