/** Hosts, placement groups and data paths of pairs, in the order in which they can go; one home for reaper and sweeper. */
import type { TaggedHost, TaggedPlacementGroup } from '../adapters/ec2-hosts';
import type { Tags } from '../adapters/ec2-tags';
import { findDataPath, removeDataPath, type DataPathRemovalDependencies, type PathResource } from './data-path-removal';

export interface PairRemovalDependencies extends DataPathRemovalDependencies {
  readonly findHosts: (tags: Tags) => Promise<TaggedHost[]>;
  readonly terminateHosts: (instanceIds: readonly string[]) => Promise<void>;
  readonly findPlacementGroups: (tags: Tags) => Promise<TaggedPlacementGroup[]>;
  readonly deletePlacementGroup: (name: string) => Promise<boolean>;
}

export interface PairResources {
  /** Those that are not on their way out already. */
  readonly hosts: readonly TaggedHost[];
  /** Being terminated: still in their groups. */
  readonly leavingHosts: readonly TaggedHost[];
  readonly placementGroups: readonly TaggedPlacementGroup[];
  readonly dataPath: readonly PathResource[];
}

export async function findPairResources(deps: PairRemovalDependencies, tags: Tags): Promise<PairResources> {
  const hosts = await deps.findHosts(tags);
  return {
    hosts: hosts.filter(({ state }) => state !== 'shutting-down'),
    leavingHosts: hosts.filter(({ state }) => state === 'shutting-down'),
    placementGroups: await deps.findPlacementGroups(tags),
    dataPath: await findDataPath(deps, tags),
  };
}

/** @returns in words what is still there: a group, a rule or an interface is let go of only some time after its host */
export async function removePairResources(
  deps: PairRemovalDependencies,
  { hosts, leavingHosts, placementGroups, dataPath }: PairResources,
): Promise<string[]> {
  await deps.terminateHosts(hosts.map(({ instanceId }) => instanceId));
  const groups: string[] = [];
  for (const { name } of placementGroups) {
    if (!(await deps.deletePlacementGroup(name))) groups.push(`placement group ${name}`);
  }
  return [
    ...[...hosts, ...leavingHosts].map(({ instanceId }) => `host ${instanceId}`),
    ...groups,
    ...(await removeDataPath(dataPath)),
  ];
}
