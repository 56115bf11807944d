/** Removes what has outlived its time or its execution, hosts before the placement groups they are in. */
import { pairExecutionName, parsePairExecutionName } from '../../domain/workflow/identifiers';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { TaggedHost, TaggedPlacementGroup, Tags } from '../adapters/ec2-hosts';
import type { Execution } from '../adapters/sfn';
import type { Log } from '../shared/logger';

export interface SweepOrphansDependencies {
  readonly stackName: string;
  readonly findHosts: (tags: Tags) => Promise<TaggedHost[]>;
  readonly terminateHosts: (instanceIds: readonly string[]) => Promise<void>;
  readonly findPlacementGroups: (tags: Tags) => Promise<TaggedPlacementGroup[]>;
  readonly deletePlacementGroup: (name: string) => Promise<boolean>;
  readonly describePairExecution: (name: string) => Promise<Execution | undefined>;
  readonly now: () => Date;
  readonly log: Log;
}

/** What one sweep did: the function's output, and the figures of its alarm. */
export interface SweepReport {
  readonly terminatedHosts: readonly string[];
  readonly deletedPlacementGroups: readonly string[];
  /** Groups that still have hosts in them; the next sweep finds them empty. */
  readonly remainingPlacementGroups: readonly string[];
}

export function makeSweepOrphans(deps: SweepOrphansDependencies) {
  return async (): Promise<SweepReport> => {
    const own: Tags = { [ResourceTag.stack]: deps.stackName };
    // Resources before executions: what is on our list belongs to an execution that had started before.
    const hosts = await deps.findHosts(own);
    const groups = await deps.findPlacementGroups(own);
    const owners = new Set([...hosts, ...groups].map(({ tags }) => ownerOf(tags)));
    const running = await runningOwners(deps, owners);
    const now = deps.now();
    const isOrphan = ({ tags }: { readonly tags: Tags }) => isExpired(tags, now) || !running.has(ownerOf(tags));

    const orphans = hosts.filter((host) => host.state !== 'shutting-down' && isOrphan(host));
    for (const host of orphans) {
      deps.log('orphan host', { instanceId: host.instanceId, runId: host.tags[ResourceTag.runId], tags: host.tags });
    }
    await deps.terminateHosts(orphans.map((host) => host.instanceId));

    const deleted: string[] = [];
    const remaining: string[] = [];
    for (const { name, tags } of groups.filter(isOrphan)) {
      deps.log('orphan placement group', { name, runId: tags[ResourceTag.runId], tags });
      if (await deps.deletePlacementGroup(name)) deleted.push(name);
      else remaining.push(name);
    }
    return {
      terminatedHosts: orphans.map((host) => host.instanceId),
      deletedPlacementGroups: deleted,
      remainingPlacementGroups: remaining,
    };
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
