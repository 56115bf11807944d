/**
 * Removes what an ended execution left, and saves what it had measured. Teardown inside a state machine is no guarantee:
 * a stop or a timeout runs no Catch. The same event comes three times, at once and after one and five minutes, because a
 * launch that was under way when its execution was stopped is seen only later; each time is complete in itself. The later
 * looks stay until AWS has let go of everything: a security group belongs to its host's interface until that is gone.
 */
import { parsePairExecutionName } from '../../domain/workflow/identifiers';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { Tags } from '../adapters/ec2-tags';
import { findPairResources, removePairResources } from '../shared/pair-removal';
import type { EndedExecution, ReapRunDependencies } from './dependencies';
import { isLaterLook, parseReapEvents, type ReapEvent } from './reap-event';
import { salvage } from './salvage';

/** How long a later look stays with what AWS has not let go of yet, and how often it tries. */
const RELEASE_ATTEMPTS = 20;
const RELEASE_PAUSE_MILLISECONDS = 15_000;

export function makeReapRun(deps: ReapRunDependencies) {
  return async (event: ReapEvent): Promise<void> => {
    for (const { stateMachineArn, name } of parseReapEvents(event)) {
      const ended = await endedExecution(deps, stateMachineArn, name);
      if (ended === undefined) continue;
      if (ended.pairId === undefined) await stopChildren(deps, ended);
      const remaining = await removeResources(deps, ended);
      await salvage(deps, ended);
      if (remaining.length > 0 && isLaterLook(event)) await removeTheRest(deps, ended);
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

/** Dependency order: commands, hosts, then what they were in and reached each other by. */
async function removeResources(deps: ReapRunDependencies, { runId, pairId }: EndedExecution): Promise<string[]> {
  const scope: Tags = {
    [ResourceTag.stack]: deps.stackName,
    [ResourceTag.runId]: runId,
    ...(pairId === undefined ? {} : { [ResourceTag.pairId]: pairId }),
  };
  const found = await findPairResources(deps, scope);
  // Commands that are cancelled are over for the service too, and no agent goes on with them while its host shuts down.
  for (const { instanceId } of found.hosts) {
    for (const commandId of await deps.listUnfinishedCommands(instanceId)) {
      await deps.cancelCommand(commandId, instanceId);
    }
  }
  const remaining = await removePairResources(deps, found);
  deps.log('reaped', {
    runId,
    pairId,
    terminated: found.hosts.map((host) => host.instanceId),
    placementGroups: found.placementGroups.map((group) => group.name),
    dataPath: found.dataPath.map(({ name }) => name),
    remaining,
  });
  return remaining;
}

/**
 * @throws when something stays: the queue brings the event again, and the alarm on this function's errors speaks up
 */
async function removeTheRest(deps: ReapRunDependencies, ended: EndedExecution): Promise<void> {
  let remaining: string[] = [];
  for (let attempt = 0; attempt < RELEASE_ATTEMPTS; attempt += 1) {
    await deps.sleep(RELEASE_PAUSE_MILLISECONDS);
    remaining = await removeResources(deps, ended);
    if (remaining.length === 0) return;
  }
  throw new Error(`run ${ended.runId}: must leave nothing, still there: ${remaining.join(', ')}`);
}
