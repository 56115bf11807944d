/** Removes what a walk has made, and looks whether it is gone. */
import { parsePairExecutionName } from '../domain/workflow/identifiers';
import { isKeyOfRun, launchIntentKey, pairHostsKey, pairsPrefix } from '../domain/workflow/object-keys';
import { ResourceTag } from '../domain/workflow/resource-tags';
import { resultFinder } from '../lambdas/result-store/finder';
import { Failures } from '../lambdas/shared/failures';
import { findPairResources, removePairResources } from '../lambdas/shared/pair-removal';
import type { Account } from './account';
import type { DeployedStack } from './stack';

export interface RemovalProps {
  readonly account: Account;
  readonly stack: DeployedStack;
  /** Not interrupted by the user, because what was made has to go. */
  readonly wait: (seconds: number) => Promise<void>;
  readonly say: (line: string) => void;
}

const LOOK_SECONDS = 5;
/** AWS keeps the interface of a load balancer, and with it a security group, for some minutes. */
const REMOVAL_SECONDS = 1200;
/** How long the reaper may take to summarise a run that was stopped. */
const SUMMARY_SECONDS = 60;
/** A host of a launch that was under way when its execution was stopped appears within this time (decision 6). */
const LATE_LAUNCH_SECONDS = 300;

/** @returns in words what is left of the runs; empty when nothing is */
export async function removeRuns(props: RemovalProps, runIds: readonly string[]): Promise<string[]> {
  const left: (readonly string[])[] = [];
  for (const runId of runIds) {
    props.say(`removing what is left of the run ${runId}`);
    const failures = new Failures();
    await failures.attempt(`stop ${runId}`, () => stopExecutions(props, runId), undefined);
    const remaining = await failures.attempt(`hosts of ${runId}`, () => removeHosts(props, runId), []);
    const keys = await failures.attempt(`objects of ${runId}`, () => removeObjects(props, runId), []);
    left.push(remaining, keys, failures.reasons);
  }
  return left.flat();
}

async function stopExecutions({ account, stack }: RemovalProps, runId: string): Promise<void> {
  const stop = (machine: string, name: string) =>
    account.stopExecution(machine, name, 'ProofEnded', 'npm run prove removes what it started');
  if ((await account.describeExecution(stack.runStateMachineArn, runId))?.status === 'RUNNING') {
    await stop(stack.runStateMachineArn, runId);
  }
  for (const name of await account.listRunningExecutions(stack.pairStateMachineArn)) {
    if (parsePairExecutionName(name)?.runId === runId) await stop(stack.pairStateMachineArn, name);
  }
}

/** @returns in words what is still there at the end of the time */
async function removeHosts(props: RemovalProps, runId: string): Promise<string[]> {
  const { account, stack, wait } = props;
  const tags = { [ResourceTag.stack]: stack.name, [ResourceTag.runId]: runId };
  for (let waited = 0; ; waited += LOOK_SECONDS) {
    const failures = new Failures();
    const found = await findPairResources(account, tags, failures);
    const remaining = [...(await removePairResources(account, found, failures)), ...failures.reasons];
    const mayAppear = waited < LATE_LAUNCH_SECONDS && (await isLaunching(props, runId));
    if (remaining.length === 0 && !mayAppear) return [];
    if (waited >= REMOVAL_SECONDS) return remaining;
    await wait(LOOK_SECONDS);
  }
}

/** Whether the launch of a pair was begun, and neither ended nor failed as far as the store tells. */
async function isLaunching({ account, stack }: RemovalProps, runId: string): Promise<boolean> {
  const keys = new Set(await account.listableBucket(stack.bucket).listObjects(pairsPrefix(runId)));
  const pairIds = new Set([...keys].map((key) => /p[0-9]{4}/.exec(key.slice(pairsPrefix(runId).length))?.[0] ?? ''));
  return [...pairIds].some((id) => keys.has(launchIntentKey(runId, id)) && !keys.has(pairHostsKey(runId, id)));
}

/** @returns the keys that are still there */
async function removeObjects({ account, stack, wait }: RemovalProps, runId: string): Promise<string[]> {
  const { listObjects } = account.listableBucket(stack.bucket);
  // The reaper may still be summarising a run that was stopped. A later look of it that finds no plan, no summary and no
  // report writes the reason of the stop once more.
  for (let waited = 0; waited < SUMMARY_SECONDS; waited += LOOK_SECONDS) {
    const { hasPlan, hasSummary } = await resultFinder({ listObjects }).inventory(runId);
    if (!hasPlan || hasSummary) break;
    await wait(LOOK_SECONDS);
  }
  const keys = async () => (await listObjects('')).filter((key) => isKeyOfRun(key, runId));
  await account.deleteObjects(stack.bucket, await keys());
  return (await keys()).map((key) => `s3://${stack.bucket}/${key}`);
}
