/** Removes what has outlived its time or its execution, in the order in which it can go. */
import { pairExecutionName, parsePairExecutionName } from '../../domain/workflow/identifiers';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { Tags } from '../adapters/ec2-tags';
import type { Execution } from '../adapters/sfn';
import type { Log } from '../shared/logger';
import { findPairResources, removePairResources, type PairRemovalDependencies } from '../shared/pair-removal';

export interface SweepOrphansDependencies extends PairRemovalDependencies {
  readonly stackName: string;
  readonly describePairExecution: (name: string) => Promise<Execution | undefined>;
  readonly now: () => Date;
  readonly log: Log;
}

/** What one sweep did: the function's output; each line of the first list is a line of the log, too, which the alarm counts. */
export interface SweepReport {
  readonly orphans: readonly string[];
  /** Still in use; the next sweep finds it free. */
  readonly remaining: readonly string[];
}

export function makeSweepOrphans(deps: SweepOrphansDependencies) {
  return async (): Promise<SweepReport> => {
    // Resources before executions: what is on our list belongs to an execution that had started before.
    const found = await findPairResources(deps, { [ResourceTag.stack]: deps.stackName });
    const all = [...found.hosts, ...found.leavingHosts, ...found.placementGroups, ...found.dataPath];
    const running = await runningOwners(deps, new Set(all.map(({ tags }) => ownerOf(tags))));
    const now = deps.now();
    const isOrphan = ({ tags }: { readonly tags: Tags }) => isExpired(tags, now) || !running.has(ownerOf(tags));

    const orphans = {
      hosts: found.hosts.filter(isOrphan),
      // Somebody has seen to these.
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
    const remaining = await removePairResources(deps, orphans);
    return { orphans: named.map(({ name }) => name), remaining };
  };
}

/** Asked one by one: the list of running executions lags behind, and would give a pair that has just started no owner. */
async function runningOwners(deps: SweepOrphansDependencies, owners: ReadonlySet<string>): Promise<Set<string>> {
  const running = new Set<string>();
  for (const owner of owners) {
    if (parsePairExecutionName(owner) === undefined) continue;
    if ((await deps.describePairExecution(owner))?.status === 'RUNNING') running.add(owner);
  }
  return running;
}

/** A tag that is missing or is no date gives no protection. */
function isExpired(tags: Tags, now: Date): boolean {
  const expiresAt = Date.parse(tags[ResourceTag.expiresAt] ?? '');
  return !(expiresAt > now.getTime());
}

function ownerOf(tags: Tags): string {
  return pairExecutionName(tags[ResourceTag.runId] ?? '', tags[ResourceTag.pairId] ?? '');
}
