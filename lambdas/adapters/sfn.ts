/** Step Functions: executions by name, by state, and their end. */
import {
  DescribeExecutionCommand,
  ExecutionDoesNotExist,
  paginateListExecutions,
  SFNClient,
  StopExecutionCommand,
  type ExecutionStatus,
} from '@aws-sdk/client-sfn';
import { REPEATED_BY_SDK } from './retries';

const client = new SFNClient(REPEATED_BY_SDK);

export interface Execution {
  readonly name: string;
  readonly arn: string;
  readonly status: ExecutionStatus;
  readonly cause?: string;
  readonly error?: string;
}

/** The ARN of an execution follows from its machine's and its name. */
export function executionArn(stateMachineArn: string, name: string): string {
  return `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
}

/** @returns undefined when it was never started */
export async function describeExecution(stateMachineArn: string, name: string): Promise<Execution | undefined> {
  const arn = executionArn(stateMachineArn, name);
  try {
    const found = await client.send(new DescribeExecutionCommand({ executionArn: arn }));
    return {
      name,
      arn,
      status: found.status!,
      ...(found.cause === undefined ? {} : { cause: found.cause }),
      ...(found.error === undefined ? {} : { error: found.error }),
    };
  } catch (error) {
    if (error instanceof ExecutionDoesNotExist) return undefined;
    throw error;
  }
}

/** Names of the machine's running executions. */
export async function listRunningExecutions(stateMachineArn: string): Promise<string[]> {
  const names: string[] = [];
  for await (const page of paginateListExecutions({ client }, { stateMachineArn, statusFilter: 'RUNNING' })) {
    for (const execution of page.executions ?? []) names.push(execution.name!);
  }
  return names;
}

/** Stopping an execution that has ended is not an error. */
export async function stopExecution(
  stateMachineArn: string,
  name: string,
  error: string,
  cause: string,
): Promise<void> {
  await client.send(new StopExecutionCommand({ executionArn: executionArn(stateMachineArn, name), error, cause }));
}
