/** Errors, and the ends of executions, as people read them. */
import type { Execution } from '../adapters/sfn';

/** The SDK gives the error code of the service as the name of the error. */
export function errorCode(error: unknown): string {
  return error instanceof Error ? error.name : 'UnknownError';
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** `RequestLimitExceeded: Request limit exceeded.` */
export function errorText(error: unknown): string {
  return `${errorCode(error)}: ${errorMessage(error)}`;
}

/** The predicate of a sentence about an execution. */
export const EXECUTION_ENDINGS: Readonly<Record<Execution['status'], string>> = {
  ABORTED: 'was stopped',
  TIMED_OUT: 'timed out',
  FAILED: 'failed',
  SUCCEEDED: 'ended without a result',
  RUNNING: 'is still running',
  PENDING_REDRIVE: 'waits for its redrive',
};
