/** Describes the end of an execution for people. */
import type { PairFailure } from '../../domain/workflow/contracts';
import { ErrorName } from '../../domain/workflow/error-names';
import type { Execution } from '../adapters/sfn';

/** What follows the subject in a sentence about an execution. */
export const EXECUTION_ENDINGS: Readonly<Record<Execution['status'], string>> = {
  ABORTED: 'was stopped',
  TIMED_OUT: 'timed out',
  FAILED: 'failed',
  SUCCEEDED: 'ended without a result',
  RUNNING: 'is still running',
  PENDING_REDRIVE: 'waits for its redrive',
};

/** The error with which reap-run stops a pair's execution. */
export const RUN_ENDED = 'RunEnded';
const SAY_NOTHING: ReadonlySet<string | undefined> = new Set([
  undefined,
  '',
  'States.Timeout',
  RUN_ENDED,
  ...Object.values(ErrorName),
]);

/** The error's name, unless it is one of ours or only repeats how the execution ended. */
export function tellingErrorName({ error }: Execution): string | undefined {
  return SAY_NOTHING.has(error) ? undefined : error;
}

/** The cause is a `PairFailure` if the state machine failed the pair; any other cause is the text of an AWS service. */
export function causeInWords({ cause }: Execution): string | undefined {
  try {
    const { reason } = JSON.parse(cause ?? '') as Partial<PairFailure>;
    return typeof reason === 'string' ? reason : cause;
  } catch {
    return cause;
  }
}
