/**
 * Removes resources that have outlived their deadline or their execution, in the order that AWS requires.
 *
 * | tag expires-at                | execution of its run and pair  | decision                                      |
 * | ----------------------------- | ------------------------------ | --------------------------------------------- |
 * | in the past, missing, no date | any                            | orphan: without a valid date nothing protects |
 * | in the future                 | running                        | stays                                         |
 * | in the future                 | ended, never started           | orphan                                        |
 * | in the future                 | none, as its tags name no pair | orphan                                        |
 *
 * Two kinds of resources are not counted as orphans, because their removal is under way: hosts that are shutting down,
 * and the groups that AWS keeps while the hosts of an ended pair may still be shutting down. The sweep still removes
 * these groups.
 *
 * Step Functions does not guarantee an event for an ended execution. Without the event, nobody has analysed and
 * summarised the measurements. The sweep therefore sends reap-run the event of each run that ended without success and
 * has no report, unless the run was deleted from the store. It sends the event as a later look gets it, for
 * which reap-run waits until AWS has released what the hosts held that this sweep terminated.
 *
 * It also sends analyse-measurement each analysis that was cut off before its rows were in the tables.
 *
 * Resources of other stacks are never found. The function fails at its end with the names of everything that AWS
 * refused to list or remove.
 */
import type { FoldUnfinishedRequest } from '../../domain/workflow/contracts';
import { parseUnfinishedKey } from '../../domain/workflow/object-keys';
import { pairExecutionName, parsePairExecutionName } from '../../domain/workflow/identifiers';
import { hostDeadlines } from '../../domain/workflow/polling';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { Tags } from '../adapters/ec2-tags';
import type { Execution } from '../adapters/sfn';
import type { ResultFinder } from '../result-store/reader';
import { Failures } from '../shared/failures';
import type { LaterLook } from '../reap-run/reap-run';
import type { Log } from '../shared/runtime';
import { findPairResources, removePairResources, type PairRemovalDependencies } from '../shared/pair-removal';
import { wasRemoved, type RemovedRunsDependencies } from '../result-store/run-execution';

/** The sweep checks the reports of runs that ended badly within this time, which spans 24 sweeps. */
const REPORT_DEADLINE_MILLISECONDS = 6 * 3_600_000;
/** An analysis that began so long ago has been cut off, because its function ends after five minutes. */
const UNFINISHED_MILLISECONDS = 10 * 60_000;
/** The hosts of a pair may be bare metal, which takes the longest to shut down. */
const LEAVING_MILLISECONDS = hostDeadlines(true).tearDownDeadlineSeconds * 1000;

export interface SweepOrphansDependencies extends PairRemovalDependencies, RemovedRunsDependencies {
  readonly stackName: string;
  readonly store: Pick<ResultFinder, 'hasReport' | 'inventory' | 'unfinishedKeys'>;
  readonly listUnsuccessfulExecutions: (stateMachineArn: string, since: Date) => Promise<readonly string[]>;
  readonly startReaper: (event: LaterLook) => Promise<void>;
  readonly startFold: (request: FoldUnfinishedRequest) => Promise<void>;
  readonly describePairExecution: (name: string) => Promise<Execution | undefined>;
  readonly now: () => Date;
  readonly log: Log;
}

/** The output of the function. Each orphan is also logged on a line of its own, and an alarm counts these lines. */
export interface SweepReport {
  readonly orphans: readonly string[];
  /** Resources still in use, which the next sweep removes. */
  readonly remaining: readonly string[];
}

export function makeSweepOrphans(deps: SweepOrphansDependencies) {
  return async (): Promise<SweepReport> => {
    const failures = new Failures();
    // List resources before executions, so that every listed resource belongs to an execution that started before.
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
    await foldUnfinishedAnalyses(deps, now, failures);
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

/** Looks up each execution, because the list of running ones lags behind and can miss a pair that has just started. */
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
      await deps.startReaper({ laterLookAt: { detail: { stateMachineArn, name } } });
      deps.log('reap-run started', { runId: name });
    };
    await failures.attempt(`report of run ${name}`, reap, undefined);
  }
}

async function foldUnfinishedAnalyses(deps: SweepOrphansDependencies, now: Date, failures: Failures): Promise<void> {
  const keys = await failures.attempt('list unfinished analyses', deps.store.unfinishedKeys, []);
  for (const unfinishedKey of keys) {
    const fold = async () => {
      const { begunAt } = parseUnfinishedKey(unfinishedKey);
      if (now.getTime() - begunAt.getTime() < UNFINISHED_MILLISECONDS) return;
      await deps.startFold({ unfinishedKey });
      deps.log('fold of an unfinished analysis started', { unfinishedKey });
    };
    await failures.attempt(`fold of ${unfinishedKey}`, fold, undefined);
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
