/** Step Functions: starts runs and reads their output. The adapters of the handlers describe and stop them. */
import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { REPEATED_BY_SDK } from '../../../lambdas/adapters/answers';

const client = new SFNClient(REPEATED_BY_SDK);

export async function startExecution(stateMachineArn: string, name: string, input: unknown): Promise<void> {
  await client.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }));
}

/** @param arn of the execution @returns undefined while it runs, and when it failed */
export async function executionOutput(arn: string): Promise<string | undefined> {
  const { output } = await client.send(new DescribeExecutionCommand({ executionArn: arn }));
  return output;
}
