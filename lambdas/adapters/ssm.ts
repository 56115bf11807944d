/** Systems Manager: public parameters that name AMIs, and commands that a stopped run left behind. */
import {
  CancelCommandCommand,
  GetParameterCommand,
  InvalidInstanceId,
  paginateListCommands,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { REPEATED_BY_SDK } from './retries';

const client = new SSMClient(REPEATED_BY_SDK);

export async function getParameter(name: string): Promise<string> {
  const { Parameter } = await client.send(new GetParameterCommand({ Name: name }));
  if (Parameter?.Value === undefined) throw new Error(`SSM parameter ${name}: must have a value, got none`);
  return Parameter.Value;
}

/** Ids of the commands that are still pending or in progress on a host. */
export async function listUnfinishedCommands(instanceId: string): Promise<string[]> {
  const commandIds: string[] = [];
  try {
    for await (const page of paginateListCommands({ client }, { InstanceId: instanceId })) {
      for (const command of page.Commands ?? []) {
        if (command.CommandId !== undefined && (command.Status === 'Pending' || command.Status === 'InProgress')) {
          commandIds.push(command.CommandId);
        }
      }
    }
  } catch (error) {
    // This is the answer for a host that never registered or is gone already, and which has no commands.
    if (error instanceof InvalidInstanceId) return [];
    throw error;
  }
  return commandIds;
}

/** Requests the cancellation. The service does not mind a command that has ended meanwhile. */
export async function cancelCommand(commandId: string, instanceId: string): Promise<void> {
  await client.send(new CancelCommandCommand({ CommandId: commandId, InstanceIds: [instanceId] }));
}
