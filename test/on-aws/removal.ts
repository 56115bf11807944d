/** Removes what a walk has made, and looks whether it is gone. */
import { parsePairExecutionName } from '../../domain/workflow/identifiers';
import { INDEX_KEY, launchIntentKey, pairHostsKey, pairsPrefix, reportKey } from '../../domain/workflow/object-keys';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import { resultFinder } from '../../lambdas/result-store/reader';
import { renewHistory, runRemoval } from '../../lambdas/result-store/run-removal';
import { Failures } from '../../lambdas/shared/failures';
import { findPairResources, removePairResources } from '../../lambdas/shared/pair-removal';
import type { Account, DeployedStack } from './account';

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
/** How long the reaper may take to summarise a run that was stopped, and to draw its report. */
const REPORT_SECONDS = 60;
/** How long a run may take to store its plan. */
const PLAN_SECONDS = 60;
/** How often objects are deleted that were written after the deletion before. */
const DELETIONS = 6;
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
  const failures = new Failures();
  left.push(await failures.attempt(INDEX_KEY, () => removeFromIndex(props, runIds), []), failures.reasons);
  return left.flat();
}

async function stopExecutions(props: RemovalProps, runId: string): Promise<void> {
  const { account, stack } = props;
  const stop = (machine: string, name: string) =>
    account.stopExecution(machine, name, 'ProofEnded', 'npm run prove removes what it started');
  if (await isRunning(props, runId)) {
    await waitForPlan(props, runId);
    await stop(stack.runStateMachineArn, runId);
  }
  for (const name of await account.listRunningExecutions(stack.pairStateMachineArn)) {
    if (parsePairExecutionName(name)?.runId === runId) await stop(stack.pairStateMachineArn, name);
  }
}

async function isRunning({ account, stack }: RemovalProps, runId: string): Promise<boolean> {
  return (await account.describeExecution(stack.runStateMachineArn, runId))?.status === 'RUNNING';
}

/**
 * The reaper and the sweeper summarise a run that was stopped before its plan was stored, whenever they look. A run that
 * has stored its plan, and of which nothing is there any more, they take as removed.
 */
async function waitForPlan(props: RemovalProps, runId: string): Promise<void> {
  const { account, stack, wait } = props;
  for (let waited = 0; waited < PLAN_SECONDS && (await isRunning(props, runId)); waited += LOOK_SECONDS) {
    if (await account.hasSucceededTask(stack.runStateMachineArn, runId)) return;
    await wait(LOOK_SECONDS);
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
  const bucket = account.listableBucket(stack.bucket);
  // The reaper may still be summarising a run that was stopped; the report comes last.
  for (let waited = 0; waited < REPORT_SECONDS; waited += LOOK_SECONDS) {
    const { hasPlan, hasReport } = await resultFinder(bucket).inventory(runId);
    if (!hasPlan || hasReport) break;
    await wait(LOOK_SECONDS);
  }
  const removal = runRemoval({ ...bucket, ...account.deletableBucket(stack.bucket) });
  let keys = await removal.findKeys(runId);
  // An analysis that a later look of the reaper had begun writes its result afterwards.
  for (let deletion = 0; keys.length > 0 && deletion < DELETIONS; deletion += 1) {
    await removal.deleteKeys(runId, keys);
    await wait(LOOK_SECONDS);
    keys = await removal.findKeys(runId);
  }
  return keys.map((key) => `s3://${stack.bucket}/${key}`);
}

/** @returns in words whether the page over all runs still names one of them */
async function removeFromIndex({ account, stack }: RemovalProps, runIds: readonly string[]): Promise<string[]> {
  const [first] = runIds;
  if (first === undefined || !(await account.listableBucket(stack.bucket).listObjects(INDEX_KEY)).includes(INDEX_KEY))
    return [];
  await renewHistory(account, stack.name, stack.bucket, first);
  const page = Buffer.from(await account.readableBucket(stack.bucket).getObject(INDEX_KEY)).toString();
  return runIds.filter((runId) => page.includes(reportKey(runId))).map((runId) => `${runId} in ${INDEX_KEY}`);
}
