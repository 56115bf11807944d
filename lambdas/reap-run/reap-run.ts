/** Terminates, by tag, what a stopped execution left. */
import { parsePairExecutionName } from '../../domain/workflow/identifiers';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { TaggedHost, TaggedPlacementGroup, Tags } from '../adapters/ec2-hosts';
import type { Execution } from '../adapters/sfn';
import type { Log } from '../shared/logger';

export interface ReapRunDependencies {
  readonly stackName: string;
  readonly pairStateMachineArn: string;
  readonly runStateMachineArn: string;
  readonly analyseFunctionName: string;
  readonly summariseFunctionName: string;
  findHosts(tags: Tags): Promise<TaggedHost[]>;
  terminateHosts(instanceIds: readonly string[]): Promise<void>;
  findPlacementGroups(tags: Tags): Promise<TaggedPlacementGroup[]>;
  deletePlacementGroup(name: string): Promise<boolean>;
  listUnfinishedCommands(instanceId: string): Promise<string[]>;
  cancelCommand(commandId: string, instanceId: string): Promise<void>;
  listRunningExecutions(stateMachineArn: string): Promise<string[]>;
  stopExecution(stateMachineArn: string, name: string, error: string, cause: string): Promise<void>;
  describeExecution(stateMachineArn: string, name: string): Promise<Execution | undefined>;
  invokeFunction<T>(functionName: string, payload: unknown): Promise<T>;
  findObject(key: string): Promise<Uint8Array | undefined>;
  readonly log: Log;
}

/** "Step Functions Execution Status Change", as far as it is read here. */
export interface ExecutionStatusEvent {
  readonly detail: { readonly stateMachineArn: string; readonly name: string; readonly status: string };
}

export function makeReapRun(deps: ReapRunDependencies) {
  return async (
    event: ExecutionStatusEvent | { readonly Records: readonly { readonly body: string }[] },
  ): Promise<void> => {
    const events =
      'Records' in event ? event.Records.map(({ body }) => JSON.parse(body) as ExecutionStatusEvent) : [event];
    for (const { detail } of events) {
      const pair =
        detail.stateMachineArn === deps.pairStateMachineArn ? parsePairExecutionName(detail.name) : undefined;
      const scope: Tags = {
        [ResourceTag.stack]: deps.stackName,
        [ResourceTag.runId]: pair?.runId ?? detail.name,
        ...(pair === undefined ? {} : { [ResourceTag.pairId]: pair.pairId }),
      };
      const hosts = await deps.findHosts(scope);
      await deps.terminateHosts(hosts.map((host) => host.instanceId));
      for (const group of await deps.findPlacementGroups(scope)) await deps.deletePlacementGroup(group.name);
      deps.log('reaped', { runId: scope[ResourceTag.runId], hostCount: hosts.length });
    }
  };
}
