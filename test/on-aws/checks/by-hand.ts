/** Parts of the shell commands that several checks show for looking by hand. */

/** Starts a run and waits until it measures. */
export const startAndWait = (runId: string, plan: string, seconds: number) =>
  `arn=$(start ${runId} examples/plans/${plan}.json); sleep ${seconds}`;

export const STATUS = 'aws stepfunctions describe-execution --execution-arn "$arn" --query \'[status,error,cause]\'';
