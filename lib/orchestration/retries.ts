/**
 * Every retry of both state machines, with how long each goes on. Only what is safe to repeat is retried:
 *
 * | call                                    | retried after                             | longest wait |
 * | --------------------------------------- | ----------------------------------------- | ------------ |
 * | look up, terminate, cancel, disconnect  | any error                                 | 62 s         |
 * | delete a placement group                | any error                                 | 148 s        |
 * | send a command                          | answers that mean that nothing was sent   | 15 s         |
 * | start the execution of a pair           | answers that mean that it was not started | 126 s        |
 * | invoke a handler                        | errors of the Lambda service              | 31 s         |
 * | analyse a measurement                   | a manifest that is not stored yet         | 12 s         |
 */
import { Duration } from 'aws-cdk-lib';
import type { RetryProps } from 'aws-cdk-lib/aws-stepfunctions';
import { JitterType } from 'aws-cdk-lib/aws-stepfunctions';
import { ErrorName } from '../../domain/workflow/error-names';

/**
 * For calls that can be repeated freely. 2 + 4 + 8 + 16 + 32 s: at most about a minute. Jitter halves that on average,
 * and keeps 40 pairs from calling at the same moments.
 */
export const REPEATABLE_CALL_RETRY: RetryProps = {
  errors: ['States.TaskFailed', 'States.Timeout'],
  interval: Duration.seconds(2),
  backoffRate: 2,
  maxAttempts: 5,
  jitterStrategy: JitterType.FULL,
};

/**
 * Sending a command is retried only after answers that mean that nothing was sent: throttling, which SSM does not model
 * for SendCommand and which therefore appears as the service's base exception, and an agent whose registration has not
 * reached every part of the service yet. A broken connection is not retried: the command may have been sent, and a
 * measurement never runs twice on one pair. 1 + 2 + 4 + 8 = 15 s.
 */
export const SEND_COMMAND_RETRY: RetryProps = {
  errors: ['Ssm.ThrottlingException', 'Ssm.SsmException', 'Ssm.InvalidInstanceIdException'],
  interval: Duration.seconds(1),
  backoffRate: 2,
  maxAttempts: 4,
};

/** Errors of the Lambda service itself; every handler is idempotent. 1 + 2 + 4 + 8 + 16 = 31 s. */
export const INVOKE_RETRY: RetryProps = {
  errors: [
    'Lambda.TooManyRequestsException',
    'Lambda.ServiceException',
    'Lambda.AWSLambdaException',
    'Lambda.SdkClientException',
    'Lambda.ClientExecutionTimeoutException',
  ],
  interval: Duration.seconds(1),
  backoffRate: 2,
  maxAttempts: 5,
  jitterStrategy: JitterType.FULL,
};

/**
 * A host uploads its manifest right after its tool has ended; the server's may follow the client's by a few seconds.
 * 6 x 2 = 12 s.
 */
export const INCOMPLETE_SERIES_RETRY: RetryProps = {
  errors: [ErrorName.IncompleteSeries],
  interval: Duration.seconds(2),
  backoffRate: 1,
  maxAttempts: 6,
};

/** EC2 reports a placement group as in use for a while after its last host is gone. 3 s x 1.5^n, 8 times: 148 s. */
export const PLACEMENT_GROUP_IN_USE_RETRY: RetryProps = {
  errors: ['States.TaskFailed', 'States.Timeout'],
  interval: Duration.seconds(3),
  backoffRate: 1.5,
  maxAttempts: 8,
};

/**
 * Starting the execution of a pair is retried only after answers that mean that it was not started: a pair's execution
 * that ran and failed must not run again. 2 + 4 + 8 + 16 + 32 + 64 = 126 s.
 */
export const START_EXECUTION_RETRY: RetryProps = {
  errors: ['StepFunctions.ExecutionLimitExceededException', 'StepFunctions.ThrottlingException'],
  interval: Duration.seconds(2),
  backoffRate: 2,
  maxAttempts: 6,
  jitterStrategy: JitterType.FULL,
};
