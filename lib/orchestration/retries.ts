/**
 * The retries of both state machines and how long they may take. Only calls that are safe to repeat are retried:
 *
 * | call                                   | retried after                               | longest wait |
 * | -------------------------------------- | ------------------------------------------- | ------------ |
 * | look up, terminate, cancel, disconnect | any error                                   | 62 s         |
 * | delete a placement group               | any error                                   | 148 s        |
 * | send a command                         | responses that mean that nothing was sent   | 143 s        |
 * | start the execution of a pair          | responses that mean that it was not started | 126 s        |
 * | invoke a handler                       | throttling and errors of the Lambda service | 481 s        |
 * | invoke a handler                       | a crash, a timeout, an error that may pass  | 15 s         |
 * | analyse a measurement                  | a manifest that is not stored yet           | 12 s         |
 */
import { Duration } from 'aws-cdk-lib';
import type { RetryProps } from 'aws-cdk-lib/aws-stepfunctions';
import { JitterType } from 'aws-cdk-lib/aws-stepfunctions';
import { ErrorName } from '../../domain/workflow/error-names';

const ANY_ERROR = ['States.TaskFailed', 'States.Timeout'];
/** Jitter halves the waits on average, and keeps 40 pairs from calling at the same moments. */
const DOUBLING_WITH_JITTER = { backoffRate: 2, jitterStrategy: JitterType.FULL };

/** For calls that can be repeated freely. */
export const REPEATABLE_CALL_RETRY: RetryProps = {
  errors: ANY_ERROR,
  interval: Duration.seconds(2),
  maxAttempts: 5,
  ...DOUBLING_WITH_JITTER,
};

/**
 * These responses are throttling, which SSM does not model for SendCommand and which therefore appears as the service's
 * base exception, and an agent whose registration is not known everywhere yet. A broken connection is not retried: the
 * command may have been sent, and a measurement must not run twice on one pair. A server waits for its client as long
 * as the longest wait (`server_life_seconds` in `ssm-documents/shared/server.sh`).
 */
export const SEND_COMMAND_RETRY: RetryProps = {
  errors: ['Ssm.ThrottlingException', 'Ssm.SsmException', 'Ssm.InvalidInstanceIdException'],
  interval: Duration.seconds(1),
  maxDelay: Duration.seconds(16),
  maxAttempts: 12,
  ...DOUBLING_WITH_JITTER,
};

/**
 * Every handler is idempotent. A new account may run only ten functions at once, so 40 pairs compete for them. With
 * waits of at most half a minute, each pair retries soon after a function has ended.
 */
export const INVOKE_RETRY: RetryProps = {
  errors: [
    'Lambda.TooManyRequestsException',
    'Lambda.ServiceException',
    'Lambda.AWSLambdaException',
    'Lambda.SdkClientException',
    'Lambda.ClientExecutionTimeoutException',
  ],
  interval: Duration.seconds(1),
  maxDelay: Duration.seconds(30),
  maxAttempts: 20,
  ...DOUBLING_WITH_JITTER,
};

/**
 * Repeats unfinished work, because every handler is idempotent; otherwise one crash would lose a complete measurement.
 * Lambda reports a process that exited as `Runtime.ExitError` and a timeout as `Sandbox.Timedout`.
 */
export const UNFINISHED_RETRY: RetryProps = {
  errors: [ErrorName.Passing, 'Runtime.ExitError', 'Sandbox.Timedout'],
  interval: Duration.seconds(5),
  maxAttempts: 2,
  ...DOUBLING_WITH_JITTER,
};

/** A host uploads its manifest right after its tool has ended; the server's may follow a few seconds later. */
export const INCOMPLETE_SERIES_RETRY: RetryProps = {
  errors: [ErrorName.IncompleteSeries],
  interval: Duration.seconds(2),
  backoffRate: 1,
  maxAttempts: 6,
};

/** EC2 reports a placement group as in use for a while after its last host is gone. */
export const PLACEMENT_GROUP_IN_USE_RETRY: RetryProps = {
  errors: ANY_ERROR,
  interval: Duration.seconds(3),
  backoffRate: 1.5,
  maxAttempts: 8,
};

/**
 * The execution of a pair that ran and failed must not run again. AWS's guide and its model spell the limit
 * differently, and AWS's own solutions also catch the base exception and one of the SDK's client.
 */
export const START_EXECUTION_RETRY: RetryProps = {
  errors: [
    'StepFunctions.ExecutionLimitExceeded',
    'StepFunctions.ExecutionLimitExceededException',
    'StepFunctions.ThrottlingException',
    'StepFunctions.AWSStepFunctionsException',
    'StepFunctions.SdkClientException',
  ],
  interval: Duration.seconds(2),
  maxAttempts: 6,
  ...DOUBLING_WITH_JITTER,
};
