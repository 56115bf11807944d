/** How people read the end of an execution. */
import type { PairFailure } from '../../domain/workflow/contracts';
import { ErrorName } from '../../domain/workflow/error-names';
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

/** The error of a pair's execution that reap-run has stopped. */
export const RUN_ENDED = 'RunEnded';
const SAY_NOTHING: ReadonlySet<string | undefined> = new Set([
  undefined,
  '',
  'States.Timeout',
  RUN_ENDED,
  ...Object.values(ErrorName),
]);

/** The error's name, unless it is one of ours or repeats how the execution ended. */
export function tellingErrorName({ error }: Execution): string | undefined {
  return SAY_NOTHING.has(error) ? undefined : error;
}

/** A pair's execution that its state machine failed has a `PairFailure` as its cause; any other text is a service's. */
export function causeInWords({ cause }: Execution): string | undefined {
  try {
    const { reason } = JSON.parse(cause ?? '') as Partial<PairFailure>;
    return typeof reason === 'string' ? reason : cause;
  } catch {
    return cause;
  }
}
