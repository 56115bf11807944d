import { failsOnlyByExpectations } from '../../domain/report/expectation-words';
import type { RunSummaryJson } from '../../domain/report/summary';

/** Whether the execution of the run is red, as the state machine decides it. */
export function hasFailed(run: Pick<RunSummaryJson, 'outcome' | 'expectations'>): boolean {
  return run.outcome !== 'complete' || failsOnlyByExpectations(run);
}
