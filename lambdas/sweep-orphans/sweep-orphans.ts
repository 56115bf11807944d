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
 * Step Functions promises no event about an execution that has ended. Without it nobody has analysed and summarised what
 * was measured, so reap-run gets the event of each run that left an orphan; it does nothing while the run goes on.
 *
 * A host that is shutting down is no orphan: somebody has terminated it already. Things of another stack are never
 * found. The function fails at its end, with the names, if AWS refused to list or to remove something.
 */
import { pairExecutionName, parsePairExecutionName, RUN_ID_PATTERN } from '../../domain/workflow/identifiers';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { Tags } from '../adapters/ec2-tags';
import type { Execution } from '../adapters/sfn';
import { Failures } from '../shared/failures';
import type { ExecutionStatusEvent } from '../reap-run/reap-run';
import type { Log } from '../shared/logger';
import { findPairResources, removePairResources, type PairRemovalDependencies } from '../shared/pair-removal';

export interface SweepOrphansDependencies extends PairRemovalDependencies {
  readonly stackName: string;
  readonly runStateMachineArn: string;
  readonly startReaper: (event: ExecutionStatusEvent) => Promise<void>;
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
    const running = await runningOwners(deps, new Set(all.map(({ tags }) => ownerOf(tags))), failures);
    const now = deps.now();
    const isOrphan = ({ tags }: { readonly tags: Tags }) => isExpired(tags, now) || !running.has(ownerOf(tags));

    const orphans = {
      hosts: found.hosts.filter(isOrphan),
      leavingHosts: [],
      placementGroups: found.placementGroups.filter(isOrphan),
      dataPath: found.dataPath.filter(isOrphan),
    };
    const named = [
      ...orphans.hosts.map(({ instanceId, tags }) => ({ name: `host ${instanceId}`, tags })),
      ...orphans.placementGroups.map(({ name, tags }) => ({ name: `placement group ${name}`, tags })),
      ...orphans.dataPath,
    ];
    for (const { name, tags } of named) {
      deps.log(`orphan ${name}`, { runId: tags[ResourceTag.runId], pairId: tags[ResourceTag.pairId], tags });
    }
    const remaining = await removePairResources(deps, orphans, failures);
    for (const runId of new Set(named.map(({ tags }) => tags[ResourceTag.runId] ?? ''))) {
      if (!RUN_ID_PATTERN.test(runId)) continue;
      const detail = { stateMachineArn: deps.runStateMachineArn, name: runId };
      await failures.attempt(`results of run ${runId}`, () => deps.startReaper({ detail }), undefined);
    }
    for (const reason of failures.reasons) deps.log('not removed', { reason });
    failures.throwIfAny();
    return { orphans: named.map(({ name }) => name), remaining };
  };
}

/**
 * Asks for each one, because the list of running executions lags behind and can miss a pair that has just started. An
 * execution that can't be asked for counts as running until the next sweep.
 */
async function runningOwners(
  deps: SweepOrphansDependencies,
  owners: ReadonlySet<string>,
  failures: Failures,
): Promise<Set<string>> {
  const running = new Set<string>();
  for (const owner of owners) {
    if (parsePairExecutionName(owner) === undefined) continue;
    const isRunning = async () => (await deps.describePairExecution(owner))?.status === 'RUNNING';
    if (await failures.attempt(`execution ${owner}`, isRunning, true)) running.add(owner);
  }
  return running;
}

function isExpired(tags: Tags, now: Date): boolean {
  const expiresAt = Date.parse(tags[ResourceTag.expiresAt] ?? '');
  // Written so that a date that can't be parsed counts as expired.
  return !(expiresAt > now.getTime());
}

function ownerOf(tags: Tags): string {
  return pairExecutionName(tags[ResourceTag.runId] ?? '', tags[ResourceTag.pairId] ?? '');
}
