/** Every retry of both state machines, with the arithmetic of how long it goes on. */
import { Duration } from 'aws-cdk-lib';
import type { RetryProps } from 'aws-cdk-lib/aws-stepfunctions';
import { JitterType } from 'aws-cdk-lib/aws-stepfunctions';
import { ErrorName } from '../../domain/workflow/error-names';

/**
 * Calls that may be repeated at will: look-ups, terminating, cancelling, deleting. 2 + 4 + 8 + 16 + 32 s: at most a
 * minute, halved on average by the jitter that keeps 40 pairs from asking in step.
 */
export const REPEATABLE_CALL_RETRY: RetryProps = {
  errors: ['States.TaskFailed', 'States.Timeout'],
  interval: Duration.seconds(2),
  backoffRate: 2,
  maxAttempts: 5,
  jitterStrategy: JitterType.FULL,
};

/**
 * Sending a command, only after answers that say that nothing was sent: throttling (which SSM does not model for
 * SendCommand, so that it comes as the service's base exception) and an agent whose registration is not known everywhere
 * yet. A connection that broke is not among them: the command may have been sent, and a measurement never runs twice on
 * one pair. 1 + 2 + 4 + 8 = 15 s.
 */
export const SEND_COMMAND_RETRY: RetryProps = {
  errors: ['Ssm.ThrottlingException', 'Ssm.SsmException', 'Ssm.InvalidInstanceIdException'],
  interval: Duration.seconds(1),
  backoffRate: 2,
  maxAttempts: 4,
};

/** The Lambda service's own troubles; all handlers are idempotent. 1 + 2 + 4 + 8 + 16 = 31 s. */
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

/** A host uploads its manifest right after its tool has ended, the server's sometimes after the client's. 6 x 2 = 12 s. */
export const INCOMPLETE_SERIES_RETRY: RetryProps = {
  errors: [ErrorName.IncompleteSeries],
  interval: Duration.seconds(2),
  backoffRate: 1,
  maxAttempts: 6,
};

/** A placement group counts as in use for a while after its last host is gone. 3 s x 1.5^n, 8 times: 148 s. */
export const PLACEMENT_GROUP_IN_USE_RETRY: RetryProps = {
  errors: ['States.TaskFailed', 'States.Timeout'],
  interval: Duration.seconds(3),
  backoffRate: 1.5,
  maxAttempts: 8,
};

/**
 * Starting a pair's execution, only after answers that say that it was not started: a child that ran and failed must not
 * run again. 2 + 4 + 8 + 16 + 32 + 64 = 126 s.
 */
export const START_EXECUTION_RETRY: RetryProps = {
  errors: ['StepFunctions.ExecutionLimitExceededException', 'StepFunctions.ThrottlingException'],
  interval: Duration.seconds(2),
  backoffRate: 2,
  maxAttempts: 6,
  jitterStrategy: JitterType.FULL,
};
