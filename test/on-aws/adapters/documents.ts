/** Systems Manager: deployed documents, and commands of our own on a host. */
import {
  DescribeDocumentCommand,
  GetCommandInvocationCommand,
  paginateListCommandInvocations,
  SendCommandCommand,
  SSMClient,
} from '@aws-sdk/client-ssm';
import { allOf, answered, withExpectedErrors, REPEATED_BY_SDK } from '../../../lambdas/adapters/answers';

const client = new SSMClient(REPEATED_BY_SDK);

/** @returns `Active`, `Creating`, `Failed`…; undefined when there is no such document */
export async function documentStatus(name: string): Promise<string | undefined> {
  const described = client.send(new DescribeDocumentCommand({ Name: name }));
  const answer = await withExpectedErrors(described, { InvalidDocument: undefined });
  return answer?.Document?.Status;
}

/** Runs a shell script on a host by AWS's own document. @returns the id of the command */
export async function sendShellScript(instanceId: string, script: string): Promise<string> {
  const { Command } = await client.send(
    new SendCommandCommand({
      InstanceIds: [instanceId],
      DocumentName: 'AWS-RunShellScript',
      Parameters: { commands: [script] },
    }),
  );
  return answered(Command?.CommandId, 'SendCommand.CommandId');
}

export interface ScriptResult {
  /** `Pending`, `InProgress`, `Success`, `Failed`… */
  readonly status: string;
  readonly standardOutput: string;
  readonly standardError: string;
}

export async function scriptResult(commandId: string, instanceId: string): Promise<ScriptResult> {
  const asked = client.send(new GetCommandInvocationCommand({ CommandId: commandId, InstanceId: instanceId }));
  // Systems Manager does not know the invocation in the first moments after the command was sent.
  const answer = await withExpectedErrors(asked, { InvocationDoesNotExist: undefined });
  return {
    status: answer?.Status ?? 'Pending',
    standardOutput: answer?.StandardOutputContent ?? '',
    standardError: answer?.StandardErrorContent ?? '',
  };
}

/** Everything that commands on a host have printed, as far as Systems Manager shows it. */
export async function commandOutputs(instanceId: string): Promise<string[]> {
  const pages = paginateListCommandInvocations({ client }, { InstanceId: instanceId, Details: true });
  const invocations = await allOf(pages, (page) => page.CommandInvocations);
  return invocations.flatMap(({ CommandPlugins }) => (CommandPlugins ?? []).map(({ Output }) => Output ?? ''));
}
