/** Step Functions: describes, lists and stops executions. */
import {
  DescribeExecutionCommand,
  paginateListExecutions,
  SFNClient,
  StopExecutionCommand,
  type ExecutionStatus,
} from '@aws-sdk/client-sfn';
import { allOf, answered, withExpectedErrors } from './answers';
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
function executionArn(stateMachineArn: string, name: string): string {
  return `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`;
}

/** @returns undefined when no such execution was ever started */
export async function describeExecution(stateMachineArn: string, name: string): Promise<Execution | undefined> {
  const arn = executionArn(stateMachineArn, name);
  const described = client.send(new DescribeExecutionCommand({ executionArn: arn }));
  const found = await withExpectedErrors(described, { ExecutionDoesNotExist: undefined });
  if (found === undefined) return undefined;
  const { cause, error } = found;
  return { name, arn, status: answered(found.status, 'DescribeExecution.status'), cause, error };
}

/** Names of the machine's running executions. */
export async function listRunningExecutions(stateMachineArn: string): Promise<string[]> {
  const pages = paginateListExecutions({ client }, { stateMachineArn, statusFilter: 'RUNNING' });
  const executions = await allOf(pages, (page) => page.executions);
  return executions.map(({ name }) => answered(name, 'ListExecutions.name'));
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
