/** Building blocks of phases: calls of AWS APIs and handlers, each with a timeout, and transitions between states. */
import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { RetryProps, State, TaskStateBase } from 'aws-cdk-lib/aws-stepfunctions';
import { Choice, Condition, Pass, TaskInput, Timeout, Wait, WaitTime } from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService, LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import { DATA_PATH_POLLING, type Polling } from '../../domain/workflow/polling';
import { LONGEST_HANDLER_TIMEOUT } from '../functions/benchmark-functions';
import { pairErrorText, elapsedSecondsExpression, jsonata, pauseExpression } from './expressions';
import { INVOKE_RETRY, REPEATABLE_CALL_RETRY, UNFINISHED_RETRY } from './retries';

interface TaskProps {
  readonly comment?: string;
  readonly assign?: Readonly<Record<string, unknown>>;
  /** @default the result of the call */
  readonly outputs?: unknown;
}

export interface ApiCallProps extends TaskProps {
  readonly service: 'ec2' | 'ssm';
  readonly action: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** @default any error is retried, because the call is safe to repeat */
  readonly retry?: RetryProps;
}

/** None of these calls waits for work to finish, so a call that takes longer will not return at all. */
const API_CALL_TIMEOUT = Duration.seconds(30);

/** One minute more than the longest handler timeout, so that a handler's own timeout is reported as such. */
const INVOCATION_TIMEOUT = LONGEST_HANDLER_TIMEOUT.plus(Duration.minutes(1));

export function apiCall(scope: Construct, id: string, props: ApiCallProps): CallAwsService {
  const task = CallAwsService.jsonata(scope, id, {
    comment: props.comment,
    service: props.service,
    action: props.action,
    parameters: { ...props.parameters },
    // The construct requires a value, but the machine's role ignores it (see `benchmark-state-machine.ts`).
    iamResources: ['*'],
    taskTimeout: Timeout.duration(API_CALL_TIMEOUT),
    assign: props.assign,
    outputs: props.outputs,
  });
  task.addRetry(props.retry ?? REPEATABLE_CALL_RETRY);
  return task;
}

export interface InvocationProps extends TaskProps {
  readonly handler: IFunction;
  readonly payload: Readonly<Record<string, unknown>>;
  /** @default errors of the Lambda service and unfinished invocations are retried */
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
  task.addRetry(UNFINISHED_RETRY);
  return task;
}

export function when(expression: string): Condition {
  return Condition.jsonata(jsonata(expression));
}

/** Assigns the result of an expression to `$failureReason` on the transition to a state. */
export function failingWith(expression: string) {
  return { assign: { failureReason: jsonata(expression) } };
}

/** Leads from any error of these tasks to a state that is entered with `$failureReason`. */
export function catchAll(tasks: readonly TaskStateBase[], failed: State, reason: string = pairErrorText()): void {
  for (const task of tasks) task.addCatch(failed, { errors: ['States.ALL'], ...failingWith(reason) });
}

export interface LookAgainProps {
  readonly phase: string;
  readonly tasks: readonly TaskStateBase[];
  /** A JSONata condition that ends the polling. */
  readonly isOverdue: string;
  /** The state to enter with `$failureReason` if a call fails after the deadline. */
  readonly overdue: State;
  /** A JSONata expression for what failed, before the text of the error. */
  readonly what: string;
  readonly pause: State;
}

/** Polls again after a poll that failed despite its retries; only the deadline ends the polling. */
export function lookAgain(scope: Construct, props: LookAgainProps): void {
  const { phase, tasks, isOverdue, overdue, what, pause } = props;
  const question = Choice.jsonata(scope, `${phase}: look again?`)
    .when(when(isOverdue), overdue, failingWith(`${what} & ": " & ${pairErrorText('$lookError')}`))
    .otherwise(pause);
  for (const task of tasks) {
    task.addCatch(question, { errors: ['States.ALL'], assign: { lookError: jsonata('$states.errorOutput') } });
  }
}

/** @param elapsedSeconds expression for the time since the polling began */
export function pauseOf(scope: Construct, phase: string, polling: Polling, elapsedSeconds: string): Wait {
  const time = WaitTime.seconds(jsonata(pauseExpression(polling, elapsedSeconds)));
  return Wait.jsonata(scope, `${phase}: wait`, { time });
}

export interface HandlerPollingProps {
  readonly phase: string;
  /** A task whose handler returns at once and reports what it still waits for. */
  readonly task: LambdaInvoke;
  /** The name of the variable that stores when the polling began. */
  readonly startedAt: string;
  /** Name of the choice after each call, and the condition on which it ends the polling. */
  readonly question: string;
  readonly isDone: string;
  readonly done: State;
  readonly deadlineSeconds: number;
  /** The state to enter with `$failureReason` after the deadline. */
  readonly overdue: State;
  readonly overdueReason: string;
}

/** Calls a handler of the data path repeatedly until its work is done or the deadline has passed. */
export function pollHandler(scope: Construct, props: HandlerPollingProps): State {
  const { phase, task } = props;
  const elapsed = elapsedSecondsExpression(`$${props.startedAt}`);
  const begin = Pass.jsonata(scope, `${phase}: begin`, { assign: { [props.startedAt]: jsonata('$millis()') } });
  const pause = pauseOf(scope, phase, DATA_PATH_POLLING, elapsed);
  const question = Choice.jsonata(scope, `${phase}: ${props.question}`)
    .when(when(props.isDone), props.done)
    .when(when(`${elapsed} > ${props.deadlineSeconds}`), props.overdue, failingWith(props.overdueReason))
    .otherwise(pause);
  begin.next(task);
  task.next(question);
  pause.next(task);
  return begin;
}
