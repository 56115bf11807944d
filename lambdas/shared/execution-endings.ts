import type { Execution } from '../adapters/sfn';

/** The predicate of a sentence about an execution. */
export const EXECUTION_ENDINGS: Readonly<Record<Execution['status'], string>> = {
  ABORTED: 'was stopped',
  TIMED_OUT: 'timed out',
  FAILED: 'failed',
  SUCCEEDED: 'ended without a result',
  RUNNING: 'is still running',
  PENDING_REDRIVE: 'waits for its redrive',
};
