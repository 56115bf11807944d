/** Step Functions: starts runs. The adapters of the handlers describe and stop them. */
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { REPEATED_BY_SDK } from '../../lambdas/adapters/retries';

const client = new SFNClient(REPEATED_BY_SDK);

export async function startExecution(stateMachineArn: string, name: string, input: unknown): Promise<void> {
  await client.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }));
}
