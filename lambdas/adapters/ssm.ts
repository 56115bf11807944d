/** Systems Manager: parameters that name AMIs, documents, and commands that a stopped run left behind. */
import {
  CancelCommandCommand,
  GetDocumentCommand,
  GetParameterCommand,
  paginateListCommands,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { allOf, answered, withExpectedErrors, REPEATED_BY_SDK } from './answers';

const client = new SSMClient(REPEATED_BY_SDK);

export async function getParameter(name: string): Promise<string> {
  const { Parameter } = await client.send(new GetParameterCommand({ Name: name }));
  return answered(Parameter?.Value, `value of SSM parameter ${name}`);
}

export async function findParameter(name: string): Promise<string | undefined> {
  return withExpectedErrors(getParameter(name), { ParameterNotFound: undefined });
}

/** @param version a number, or `$LATEST` */
export async function getDocument(name: string, version: string): Promise<{ version: number; content: unknown }> {
  const asked = { Name: name, DocumentVersion: version, DocumentFormat: 'JSON' } as const;
  const { Content, DocumentVersion } = await client.send(new GetDocumentCommand(asked));
  return {
    version: Number(answered(DocumentVersion, `version ${version} of document ${name}`)),
    content: JSON.parse(answered(Content, `content of document ${name}`)) as unknown,
  };
}

export async function listUnfinishedCommands(instanceId: string): Promise<string[]> {
  const commands = allOf(paginateListCommands({ client }, { InstanceId: instanceId }), (page) => page.Commands);
  // SSM returns this error for a host that never registered or is already gone, and which has no commands.
  const found = await withExpectedErrors(commands, { InvalidInstanceId: [] });
  return found
    .filter(({ Status }) => Status === 'Pending' || Status === 'InProgress')
    .map(({ CommandId }) => answered(CommandId, 'ListCommands.CommandId'));
}

/** Requests the cancellation of a command. One that has already ended is not an error. */
export async function cancelCommand(commandId: string, instanceId: string): Promise<void> {
  await client.send(new CancelCommandCommand({ CommandId: commandId, InstanceIds: [instanceId] }));
}
