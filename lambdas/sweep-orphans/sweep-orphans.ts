/**
 * Removes what has outlived its time or its execution, in the order in which AWS lets go of it.
 *
 * | tag expires-at                | execution of its run and pair  | decision                                      |
 * | ----------------------------- | ------------------------------ | --------------------------------------------- |
 * | in the past, missing, no date | any                            | orphan: without a valid date nothing protects |
 * | in the future                 | running                        | stays                                         |
 * | in the future                 | ended, never started           | orphan                                        |
 * | in the future                 | none, as its tags name no pair | orphan                                        |
 *
 * Two things are no orphans, because somebody has taken care of them already: a host that is shutting down, and, while
 * the hosts of an ended pair may still be shutting down, the groups that AWS keeps until those are gone. The groups
 * are removed all the same.
 *
 * Step Functions promises no event about an execution that has ended. Without it nobody has analysed and summarised what
 * was measured, so reap-run gets the event of each run that ended without success and has no report, unless somebody has
 * removed the run from the store. It gets the event as its delayed queues deliver it, and then waits for what AWS lets
 * go of only after the hosts that this sweep has terminated.
 *
 * Things of another stack are never found. The function fails at its end, with the names, if AWS refused to list or to
 * remove something.
 */
import { pairExecutionName, parsePairExecutionName } from '../../domain/workflow/identifiers';
import { hostDeadlines } from '../../domain/workflow/polling';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { Tags } from '../adapters/ec2-tags';
import type { Execution } from '../adapters/sfn';
import type { ResultFinder } from '../result-store/reader';
import { Failures } from '../shared/failures';
import type { QueuedEvents } from '../reap-run/reap-run';
import type { Log } from '../shared/runtime';
import { findPairResources, removePairResources, type PairRemovalDependencies } from '../shared/pair-removal';
import { wasRemoved, type RemovedRunsDependencies } from '../result-store/run-execution';

/** The store is asked about each run that ended badly in this time, which is 24 sweeps. */
const REPORT_DEADLINE_MILLISECONDS = 6 * 3_600_000;
/** The hosts of a pair may be bare metal, which takes longest to be gone. */
const LEAVING_MILLISECONDS = hostDeadlines(true).tearDownDeadlineSeconds * 1000;

export interface SweepOrphansDependencies extends PairRemovalDependencies, RemovedRunsDependencies {
  readonly stackName: string;
  readonly store: Pick<ResultFinder, 'hasReport' | 'inventory'>;
  readonly listUnsuccessfulExecutions: (stateMachineArn: string, since: Date) => Promise<readonly string[]>;
  readonly startReaper: (event: QueuedEvents) => Promise<void>;
  readonly describePairExecution: (name: string) => Promise<Execution | undefined>;
  readonly now: () => Date;
  readonly log: Log;
}

/** The output of the function. Each orphan is also a line of the log, and an alarm counts these lines. */
export interface SweepReport {
  readonly orphans: readonly string[];
  /** What is still in use, which the next sweep removes. */
  readonly remaining: readonly string[];
}

export function makeSweepOrphans(deps: SweepOrphansDependencies) {
  return async (): Promise<SweepReport> => {
    const failures = new Failures();
    // Resources are listed before executions: whatever is on the list belongs to an execution that started before.
    const found = await findPairResources(deps, { [ResourceTag.stack]: deps.stackName }, failures);
    const all = [...found.hosts, ...found.leavingHosts, ...found.placementGroups, ...found.dataPath];
    const now = deps.now();
    const owners = await ownerStates(deps, new Set(all.map(({ tags }) => ownerOf(tags))), now, failures);
    const stateOf = ({ tags }: Tagged) => (isExpired(tags, now) ? 'gone' : owners.get(ownerOf(tags)));
    const isOwnerless = (resource: Tagged) => stateOf(resource) !== 'running';

    const ownerless = {
      hosts: found.hosts.filter(isOwnerless),
      leavingHosts: [],
      placementGroups: found.placementGroups.filter(isOwnerless),
      dataPath: found.dataPath.filter(isOwnerless),
    };
    const named = [
      ...ownerless.hosts.map(({ instanceId, tags }) => ({ name: `host ${instanceId}`, tags, isHeldByHosts: false })),
      ...ownerless.placementGroups.map(({ name, tags }) => ({
        name: `placement group ${name}`,
        tags,
        isHeldByHosts: true,
      })),
      ...ownerless.dataPath,
    ];
    const orphans = named.filter((resource) => !(resource.isHeldByHosts && stateOf(resource) === 'leaving'));
    for (const { name, tags } of orphans) {
      deps.log(`orphan ${name}`, { runId: tags[ResourceTag.runId], pairId: tags[ResourceTag.pairId], tags });
    }
    const remaining = await removePairResources(deps, ownerless, failures);
    await reapUnreportedRuns(deps, now, failures);
    for (const reason of failures.reasons) deps.log('not removed', { reason });
    failures.throwIfAny();
    return { orphans: orphans.map(({ name }) => name), remaining };
  };
}

interface Tagged {
  readonly tags: Tags;
}

/**
 * | execution of the pair                             | state   |
 * | ------------------------------------------------- | ------- |
 * | running, or AWS did not say until the next sweep  | running |
 * | ended, and its hosts may still be shutting down   | leaving |
 * | ended before, never started, or tags name no pair | gone    |
 */
type OwnerState = 'running' | 'leaving' | 'gone';

/** Asks for each one, because the list of running executions lags behind and can miss a pair that has just started. */
async function ownerStates(
  deps: SweepOrphansDependencies,
  owners: ReadonlySet<string>,
  now: Date,
  failures: Failures,
): Promise<Map<string, OwnerState>> {
  const states = new Map<string, OwnerState>();
  for (const owner of owners) {
    const ask = async (): Promise<OwnerState> => {
      if (parsePairExecutionName(owner) === undefined) return 'gone';
      const execution = await deps.describePairExecution(owner);
      if (execution?.status === 'RUNNING') return 'running';
      const endedAt = execution?.endedAt?.getTime() ?? -Infinity;
      return now.getTime() - endedAt < LEAVING_MILLISECONDS ? 'leaving' : 'gone';
    };
    states.set(owner, await failures.attempt(`execution ${owner}`, ask, 'running'));
  }
  return states;
}

async function reapUnreportedRuns(deps: SweepOrphansDependencies, now: Date, failures: Failures): Promise<void> {
  const { runStateMachineArn: stateMachineArn, store } = deps;
  const since = new Date(now.getTime() - REPORT_DEADLINE_MILLISECONDS);
  const list = () => deps.listUnsuccessfulExecutions(stateMachineArn, since);
  for (const name of await failures.attempt('list runs', list, [])) {
    const reap = async () => {
      if ((await store.hasReport(name)) || (await wasRemoved(deps, name, await store.inventory(name)))) return;
      await deps.startReaper({ Records: [{ body: JSON.stringify({ detail: { stateMachineArn, name } }) }] });
      deps.log('reap-run started', { runId: name });
    };
    await failures.attempt(`report of run ${name}`, reap, undefined);
  }
}

function isExpired(tags: Tags, now: Date): boolean {
  const expiresAt = Date.parse(tags[ResourceTag.expiresAt] ?? '');
  // Written so that a date that can't be parsed counts as expired.
  return !(expiresAt > now.getTime());
}

function ownerOf(tags: Tags): string {
  return pairExecutionName(tags[ResourceTag.runId] ?? '', tags[ResourceTag.pairId] ?? '');
}
