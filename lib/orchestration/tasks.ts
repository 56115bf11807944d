/**
 * The two kinds of task that the state machines use: a call of an AWS API and a call of a handler, each with a timeout.
 */
import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { RetryProps } from 'aws-cdk-lib/aws-stepfunctions';
import { TaskInput, Timeout } from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService, LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import { LONGEST_HANDLER_TIMEOUT } from '../functions/benchmark-functions';
import { jsonata } from './expressions';
import { INVOKE_RETRY } from './retries';

interface TaskProps {
  readonly comment?: string;
  readonly assign?: Readonly<Record<string, unknown>>;
  /** @default what the call returned */
  readonly outputs?: unknown;
}

export interface ApiCallProps extends TaskProps {
  readonly service: 'ec2' | 'ssm';
  readonly action: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly retry: RetryProps;
}

/** None of these calls waits for work to finish, so one that has not answered by then will not answer. */
const API_CALL_TIMEOUT = Duration.seconds(30);

/** One minute more than any handler has, so that a handler that times out is reported with its own error. */
const INVOCATION_TIMEOUT = LONGEST_HANDLER_TIMEOUT.plus(Duration.minutes(1));

export function apiCall(scope: Construct, id: string, props: ApiCallProps): CallAwsService {
  const task = CallAwsService.jsonata(scope, id, {
    comment: props.comment,
    service: props.service,
    action: props.action,
    parameters: { ...props.parameters },
    // The construct requires a value but the machine's role ignores it: all its permissions are in `roles.ts`.
    iamResources: ['*'],
    taskTimeout: Timeout.duration(API_CALL_TIMEOUT),
    assign: props.assign,
    outputs: props.outputs,
  });
  task.addRetry(props.retry);
  return task;
}

export interface InvocationProps extends TaskProps {
  readonly handler: IFunction;
  readonly payload: Readonly<Record<string, unknown>>;
  /** @default only errors of the Lambda service are retried */
  readonly retry?: RetryProps;
}

/** The state's result, `$states.result.Payload`, is what the handler returned. */
export function invocation(scope: Construct, id: string, props: InvocationProps): LambdaInvoke {
  const task = LambdaInvoke.jsonata(scope, id, {
    comment: props.comment,
    lambdaFunction: props.handler,
    payload: TaskInput.fromObject({ ...props.payload }),
    taskTimeout: Timeout.duration(INVOCATION_TIMEOUT),
    retryOnServiceExceptions: false,
    assign: props.assign,
    outputs: props.outputs ?? jsonata('$states.result.Payload'),
  });
  if (props.retry !== undefined) task.addRetry(props.retry);
  task.addRetry(INVOKE_RETRY);
  return task;
}

/** The name of a phase in the console, from the id of its construct: `TearDownPair` becomes "Tear down pair". */
export function phaseName(constructId: string): string {
  return constructId.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
