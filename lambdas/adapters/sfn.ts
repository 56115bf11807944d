/** Step Functions: describes, lists and stops executions. */
import {
  DescribeExecutionCommand,
  ExecutionDoesNotExist,
  paginateListExecutions,
  SFNClient,
  StopExecutionCommand,
  type ExecutionStatus,
} from '@aws-sdk/client-sfn';
import { answered } from './answered';
import { REPEATED_BY_SDK } from './retries';

const client = new SFNClient(REPEATED_BY_SDK);

export interface Execution {
  readonly name: string;
  readonly arn: string;
  readonly status: ExecutionStatus;
  readonly cause?: string;
  readonly error?: string;
}

/** The ARN of an execution follows from the ARN of its machine and its own name. */
export function executionArn(stateMachineArn: string, name: string): string {
  return `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
}

/** @returns undefined when no such execution was ever started */
export async function describeExecution(stateMachineArn: string, name: string): Promise<Execution | undefined> {
  const arn = executionArn(stateMachineArn, name);
  try {
    const found = await client.send(new DescribeExecutionCommand({ executionArn: arn }));
    return {
      name,
      arn,
      status: answered(found.status, 'DescribeExecution.status'),
      cause: found.cause,
      error: found.error,
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
    for (const execution of page.executions ?? []) {
      names.push(answered(execution.name, 'ListExecutions.name'));
    }
  }
  return names;
}

/** An execution that has ended already is no error. */
export async function stopExecution(
  stateMachineArn: string,
  name: string,
  error: string,
  cause: string,
): Promise<void> {
  await client.send(new StopExecutionCommand({ executionArn: executionArn(stateMachineArn, name), error, cause }));
}
