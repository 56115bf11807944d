/**
 * Removes what an ended execution left behind and saves what it had measured. Teardown inside a state machine is not
 * guaranteed, because a stop or a timeout runs no Catch. The same event arrives three times, at once and after one and
 * five minutes, because a launch in progress at the stop becomes visible only later. Each call is complete in itself.
 *
 * | the event is about                          | what happens                                                   |
 * | ------------------------------------------- | -------------------------------------------------------------- |
 * | a run that has ended                        | its running pairs are stopped; everything with its run id goes |
 * | a pair that has ended                       | everything with its run id and pair id goes                    |
 * | an execution that runs (it was redriven)    | nothing: its hosts are in use                                  |
 * | a pair's execution that was started by hand | nothing: its name has no run id                                |
 * | another state machine                       | an error: the rule that sends the events is wrong              |
 *
 * The first look leaves what AWS still holds to the two later looks. A security group, for example, can't be deleted
 * before the network interface of its host is gone. A later look ends depending on what is still there:
 *
 * | still there                                 | a later look                                                     |
 * | ------------------------------------------- | ---------------------------------------------------------------- |
 * | nothing                                     | ends                                                             |
 * | only hosts shutting down and what they hold | ends: metal takes up to 45 minutes; the sweeper removes the rest |
 * | anything else, or AWS refuses something     | fails                                                            |
 * | anything of a pair whose run ended badly    | ends: the run's own looks remove it                              |
 */
import { parsePairExecutionName } from '../../domain/workflow/identifiers';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { Tags } from '../adapters/ec2-tags';
import type * as commandCalls from '../adapters/ssm';
import { EXECUTION_ENDINGS, RUN_ENDED } from '../shared/execution-endings';
import { Failures } from '../shared/failures';
import { findPairResources, removePairResources, type PairRemovalDependencies } from '../shared/pair-removal';
import { salvage, type EndedExecution, type SalvageDependencies } from './salvage';

/**
 * How often a later look retries the removal of what AWS still holds. The retries take three and a half minutes, so
 * that the first later look ends before the second begins and both stay below the function's timeout.
 */
const RELEASE_ATTEMPTS = 14;
const RELEASE_PAUSE_MILLISECONDS = 15_000;

/** The fields that are read of the event "Step Functions Execution Status Change", delivered by EventBridge at once. */
export interface ExecutionStatusEvent {
  readonly detail: { readonly stateMachineArn: string; readonly name: string };
}

/** Asks for a later look at an execution, when AWS has had time to release the resources. */
export interface LaterLook {
  readonly laterLookAt: ExecutionStatusEvent;
}

type CommandCalls = Pick<typeof commandCalls, 'listUnfinishedCommands' | 'cancelCommand'>;

export interface ReapRunDependencies extends PairRemovalDependencies, SalvageDependencies, CommandCalls {
  readonly stackName: string;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

export function makeReapRun(deps: ReapRunDependencies) {
  return async (event: ExecutionStatusEvent | LaterLook): Promise<void> => {
    const isLaterLook = 'laterLookAt' in event;
    const { stateMachineArn, name } = executionOf(isLaterLook ? event.laterLookAt : event);
    const ended = await endedExecution(deps, stateMachineArn, name);
    if (ended === undefined) return;
    if (ended.pairId === undefined) await stopChildren(deps, ended);
    const failures = new Failures();
    const { remaining } = await removeResources(deps, ended, failures);
    await salvage(deps, ended, isLaterLook);
    const isWaited = remaining.length > 0 && isLaterLook && !(await isLeftToTheRun(deps, ended));
    if (isWaited) await removeTheRest(deps, ended);
    else failures.throwIfAny();
  };
}

function executionOf(event: unknown): { stateMachineArn: string; name: string } {
  const { detail } = event as { readonly detail?: Partial<ExecutionStatusEvent['detail']> };
  if (typeof detail?.stateMachineArn !== 'string' || typeof detail.name !== 'string') {
    throw new Error(`event: must have detail.stateMachineArn and detail.name, got ${JSON.stringify(detail)}`);
  }
  return { stateMachineArn: detail.stateMachineArn, name: detail.name };
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
  if (execution === undefined || execution.status === 'RUNNING') {
    deps.log('execution has not ended', { name, status: execution?.status });
    return undefined;
  }
  return { execution, runId: pair?.runId ?? name, pairId: pair?.pairId };
}

/** Step Functions promises only its best effort to stop the pairs of a stopped run, and nothing after a timeout. */
async function stopChildren(deps: ReapRunDependencies, { runId, execution }: EndedExecution): Promise<void> {
  for (const name of await deps.listRunningExecutions(deps.pairStateMachineArn)) {
    if (parsePairExecutionName(name)?.runId !== runId) continue;
    await deps.stopExecution(
      deps.pairStateMachineArn,
      name,
      RUN_ENDED,
      `the run ${EXECUTION_ENDINGS[execution.status]}`,
    );
    deps.log('pair stopped', { runId, name });
  }
}

/**
 * The looks after the end of a run remove what all of its pairs left, so those of its pairs need not wait for the same:
 * each would occupy a function for minutes, and a young account may run ten at once.
 */
async function isLeftToTheRun(deps: ReapRunDependencies, { runId, pairId }: EndedExecution): Promise<boolean> {
  if (pairId === undefined) return false;
  const run = await deps.describeExecution(deps.runStateMachineArn, runId);
  return run !== undefined && !['RUNNING', 'SUCCEEDED'].includes(run.status);
}

/** @returns descriptions of what is still there, and whether all of its hosts were already shutting down before */
async function removeResources(
  deps: ReapRunDependencies,
  { runId, pairId }: EndedExecution,
  failures: Failures,
): Promise<{ remaining: readonly string[]; areAllLeaving: boolean }> {
  const scopeOfRun: Tags = { [ResourceTag.stack]: deps.stackName, [ResourceTag.runId]: runId };
  const scope = pairId === undefined ? scopeOfRun : { ...scopeOfRun, [ResourceTag.pairId]: pairId };
  const found = await findPairResources(deps, scope, failures);
  // Cancelled commands count as ended, and their agents stop them while the hosts are shutting down.
  for (const { instanceId } of found.hosts) {
    const cancelAll = async () => {
      for (const commandId of await deps.listUnfinishedCommands(instanceId)) {
        await deps.cancelCommand(commandId, instanceId);
      }
    };
    await failures.attempt(`commands of ${instanceId}`, cancelAll, undefined);
  }
  const remaining = await removePairResources(deps, found, failures);
  deps.log('reaped', {
    runId,
    pairId,
    terminated: found.hosts.map((host) => host.instanceId),
    placementGroups: found.placementGroups.map((group) => group.name),
    dataPath: found.dataPath.map(({ name }) => name),
    remaining,
    failures: failures.reasons,
  });
  return { remaining, areAllLeaving: found.hosts.length === 0 && found.leavingHosts.length > 0 };
}

/**
 * @throws if something remains that is not held by hosts that are shutting down; the alarm then goes off
 */
async function removeTheRest(deps: ReapRunDependencies, ended: EndedExecution): Promise<void> {
  let still: readonly string[] = [];
  let areHostsLeaving = false;
  for (let attempt = 0; attempt < RELEASE_ATTEMPTS; attempt += 1) {
    await deps.sleep(RELEASE_PAUSE_MILLISECONDS);
    const failures = new Failures();
    const { remaining, areAllLeaving } = await removeResources(deps, ended, failures);
    if (remaining.length === 0 && failures.reasons.length === 0) return;
    still = [...remaining, ...failures.reasons];
    areHostsLeaving = areAllLeaving && failures.reasons.length === 0;
  }
  if (areHostsLeaving) {
    deps.log('left to the sweeper', { runId: ended.runId, remaining: still });
    return;
  }
  throw new Error(`run ${ended.runId}: must leave nothing, still there: ${still.join(', ')}`);
}
