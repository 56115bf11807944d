/** Step Functions: describes, lists and stops executions. */
import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  paginateListExecutions,
  SFNClient,
  StopExecutionCommand,
  type ExecutionStatus,
} from '@aws-sdk/client-sfn';
import { allOf, answered, withExpectedErrors, REPEATED_BY_SDK } from './answers';

const client = new SFNClient(REPEATED_BY_SDK);

export interface Execution {
  readonly name: string;
  readonly arn: string;
  readonly status: ExecutionStatus;
  readonly startedAt: Date;
  readonly endedAt?: Date;
  /** The JSON output of an execution that succeeded. */
  readonly output?: string;
  readonly cause?: string;
  readonly error?: string;
}

export function executionArn(stateMachineArn: string, name: string): string {
  return `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
}

/** @returns undefined if no such execution was ever started */
export async function describeExecution(stateMachineArn: string, name: string): Promise<Execution | undefined> {
  const arn = executionArn(stateMachineArn, name);
  const described = client.send(new DescribeExecutionCommand({ executionArn: arn }));
  const found = await withExpectedErrors(described, { ExecutionDoesNotExist: undefined });
  if (found === undefined) return undefined;
  const { stopDate: endedAt, output, cause, error } = found;
  const startedAt = answered(found.startDate, 'DescribeExecution.startDate');
  const status = answered(found.status, 'DescribeExecution.status');
  return { name, arn, status, startedAt, endedAt, output, cause, error };
}

/** More events than a machine's first task causes with all its retries; one page has at most 1,000. */
const FIRST_EVENTS = 100;

/** Whether a task has succeeded among the first events of an execution. */
export async function hasSucceededTask(stateMachineArn: string, name: string): Promise<boolean> {
  const arn = executionArn(stateMachineArn, name);
  const request = { executionArn: arn, maxResults: FIRST_EVENTS, includeExecutionData: false };
  const { events } = await client.send(new GetExecutionHistoryCommand(request));
  return answered(events, 'GetExecutionHistory.events').some(({ type }) => type === 'TaskSucceeded');
}

export async function listRunningExecutions(stateMachineArn: string): Promise<string[]> {
  const pages = paginateListExecutions({ client }, { stateMachineArn, statusFilter: 'RUNNING' });
  const executions = await allOf(pages, (page) => page.executions);
  return executions.map(({ name }) => answered(name, 'ListExecutions.name'));
}

/** The maximum page size of Step Functions. */
const EXECUTIONS_PER_PAGE = 1000;
const UNSUCCESSFUL: readonly ExecutionStatus[] = ['FAILED', 'TIMED_OUT', 'ABORTED'];

/**
 * Names of the executions that have ended without success since a time. Step Functions lists the newest executions
 * first, so only the first page of each status is read, which limits this to three requests.
 */
export async function listUnsuccessfulExecutions(stateMachineArn: string, since: Date): Promise<string[]> {
  const names: string[] = [];
  for (const statusFilter of UNSUCCESSFUL) {
    const request = { stateMachineArn, statusFilter, maxResults: EXECUTIONS_PER_PAGE };
    const { executions } = await client.send(new ListExecutionsCommand(request));
    for (const { name, stopDate } of answered(executions, 'ListExecutions.executions')) {
      if (answered(stopDate, 'ListExecutions.stopDate') >= since) names.push(answered(name, 'ListExecutions.name'));
    }
  }
  return names;
}

/** Names of the executions that have started since a time, among the newest 1,000. */
export async function listExecutionsSince(stateMachineArn: string, since: Date): Promise<string[]> {
  const request = { stateMachineArn, maxResults: EXECUTIONS_PER_PAGE };
  const { executions } = await client.send(new ListExecutionsCommand(request));
  return answered(executions, 'ListExecutions.executions')
    .filter(({ startDate }) => answered(startDate, 'ListExecutions.startDate') >= since)
    .map(({ name }) => answered(name, 'ListExecutions.name'));
}

/** Stops an execution. One that has already ended is not an error. */
export async function stopExecution(
  stateMachineArn: string,
  name: string,
  error: string,
  cause: string,
): Promise<void> {
  await client.send(new StopExecutionCommand({ executionArn: executionArn(stateMachineArn, name), error, cause }));
}
