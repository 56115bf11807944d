/**
 * Removes what an ended execution left, and saves what it had measured. Teardown inside a state machine is no guarantee:
 * a stop or a timeout runs no Catch. The same event comes three times, at once and after one and five minutes, because a
 * launch that was under way when its execution was stopped is seen only later; each time is complete in itself.
 */
import { parsePairExecutionName } from '../../domain/workflow/identifiers';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { Tags } from '../adapters/ec2-hosts';
import type { EndedExecution, ReapRunDependencies } from './dependencies';
import { parseReapEvents, type ReapEvent } from './reap-event';
import { salvage } from './salvage';

export function makeReapRun(deps: ReapRunDependencies) {
  return async (event: ReapEvent): Promise<void> => {
    for (const { stateMachineArn, name } of parseReapEvents(event)) {
      const ended = await endedExecution(deps, stateMachineArn, name);
      if (ended === undefined) continue;
      if (ended.pairId === undefined) await stopChildren(deps, ended);
      await removeHosts(deps, ended);
      await salvage(deps, ended);
    }
  };
}

async function endedExecution(
  deps: ReapRunDependencies,
  stateMachineArn: string,
  name: string,
): Promise<EndedExecution | undefined> {
  const isPair = stateMachineArn === deps.pairStateMachineArn;
  if (!isPair && stateMachineArn !== deps.runStateMachineArn) {
    throw new Error(`stateMachineArn: must be one of this stack's two, got ${JSON.stringify(stateMachineArn)}`);
  }
  const pair = isPair ? parsePairExecutionName(name) : undefined;
  if (isPair && pair === undefined) {
    deps.log('not a pair of a run', { name });
    return undefined;
  }
  const execution = await deps.describeExecution(stateMachineArn, name);
  // A failed execution can be redriven under its own name: then its hosts are in use, and this event is about the past.
  if (execution === undefined || execution.status === 'RUNNING') {
    deps.log('execution has not ended', { name, status: execution?.status });
    return undefined;
  }
  return { execution, runId: pair?.runId ?? name, ...(pair === undefined ? {} : { pairId: pair.pairId }) };
}

/** Stopping a run leaves the pairs it started running: Step Functions does not stop `startExecution.sync` children here. */
async function stopChildren(deps: ReapRunDependencies, { runId, execution }: EndedExecution): Promise<void> {
  for (const name of await deps.listRunningExecutions(deps.pairStateMachineArn)) {
    if (parsePairExecutionName(name)?.runId !== runId) continue;
    await deps.stopExecution(deps.pairStateMachineArn, name, 'RunEnded', `the run ended as ${execution.status}`);
    deps.log('pair stopped', { runId, name });
  }
}

/** Dependency order: commands, hosts, then the groups they were in, once those are empty. */
async function removeHosts(deps: ReapRunDependencies, { runId, pairId }: EndedExecution): Promise<void> {
  const scope: Tags = {
    [ResourceTag.stack]: deps.stackName,
    [ResourceTag.runId]: runId,
    ...(pairId === undefined ? {} : { [ResourceTag.pairId]: pairId }),
  };
  const hosts = (await deps.findHosts(scope)).filter((host) => host.state !== 'shutting-down');
  // Commands that are cancelled are over for the service too, and no agent goes on with them while its host shuts down.
  for (const { instanceId } of hosts) {
    for (const commandId of await deps.listUnfinishedCommands(instanceId)) {
      await deps.cancelCommand(commandId, instanceId);
    }
  }
  await deps.terminateHosts(hosts.map((host) => host.instanceId));
  const groups = await deps.findPlacementGroups(scope);
  const remaining: string[] = [];
  for (const { name } of groups) if (!(await deps.deletePlacementGroup(name))) remaining.push(name);
  deps.log('reaped', {
    runId,
    pairId,
    terminated: hosts.map((host) => host.instanceId),
    placementGroups: groups.map((group) => group.name),
    remaining,
  });
}
