/** The two kinds of task that the state machines are made of; both always have a timeout. */
import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { RetryProps } from 'aws-cdk-lib/aws-stepfunctions';
import { TaskInput, Timeout } from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService, LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import { INVOKE_RETRY } from './retries';

interface TaskProps {
  readonly comment?: string;
  readonly assign?: Readonly<Record<string, unknown>>;
  /** @default what the call answered */
  readonly outputs?: unknown;
}

export interface ApiCallProps extends TaskProps {
  readonly service: 'ec2' | 'ssm';
  readonly action: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly retry: RetryProps;
}

/** No call of ours has work to wait for; an API that has not answered by then will not. */
const API_CALL_TIMEOUT = Duration.seconds(30);

export function apiCall(scope: Construct, id: string, props: ApiCallProps): CallAwsService {
  const task = CallAwsService.jsonata(scope, id, {
    comment: props.comment,
    service: props.service,
    action: props.action,
    parameters: { ...props.parameters },
    // The machine's role states its permissions in one place (`roles.ts`) and takes none from here.
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
  /** @default none beside those of the Lambda service's own errors */
  readonly retry?: RetryProps;
}

/** The state's result, `$states.result.Payload`, is what the handler returned. */
export function invocation(scope: Construct, id: string, props: InvocationProps): LambdaInvoke {
  const task = LambdaInvoke.jsonata(scope, id, {
    comment: props.comment,
    lambdaFunction: props.handler,
    payload: TaskInput.fromObject({ ...props.payload }),
    // Above the handlers' own limit of 15 minutes at most, so that the handler's error is the one that is seen.
    taskTimeout: Timeout.duration(Duration.minutes(16)),
    retryOnServiceExceptions: false,
    assign: props.assign,
    outputs: props.outputs ?? '{% $states.result.Payload %}',
  });
  if (props.retry !== undefined) task.addRetry(props.retry);
  task.addRetry(INVOKE_RETRY);
  return task;
}

/** What the console calls the states of a phase: `TearDownPair` is "Tear down pair". */
export function phaseName(constructId: string): string {
  return constructId.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
