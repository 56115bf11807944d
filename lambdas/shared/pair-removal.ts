/**
 * Removes everything of a pair in the order in which AWS lets go of it: hosts, their placement groups, then the data
 * path. The path consists of a load balancer with its listeners, its target groups, and the security groups, which go
 * once no interface is in them and no rule names them. What is still in use is no error, because whoever removes looks
 * again.
 */
import type * as hostCalls from '../adapters/ec2-hosts';
import type { TaggedHost, TaggedPlacementGroup } from '../adapters/ec2-hosts';
import type * as securityGroupCalls from '../adapters/ec2-security-group-removal';
import type { Tags } from '../adapters/ec2-tags';
import type * as elbCalls from '../adapters/elb-removal';

export type DataPathRemovalDependencies = typeof elbCalls & typeof securityGroupCalls;
export type PairRemovalDependencies = DataPathRemovalDependencies & typeof hostCalls;

/** One part of a data path, and how it is removed. */
export interface PathResource {
  /** `load balancer network-benchmark-…` */
  readonly name: string;
  readonly tags: Tags;
  /** Frees other resources of this one; called for all of them before any is removed. */
  readonly release?: () => Promise<void>;
  /** @returns false while it is in use */
  readonly remove: () => Promise<boolean>;
}

/** @returns every part of a data path with these tags, in the order in which they can be removed */
export async function findDataPath(deps: DataPathRemovalDependencies, tags: Tags): Promise<PathResource[]> {
  const loadBalancers = await deps.findLoadBalancers(tags);
  const targetGroups = await deps.findTargetGroups(tags);
  const securityGroups = await deps.findSecurityGroups(tags);
  return [
    ...loadBalancers.map((found) => ({
      name: `load balancer ${found.name}`,
      tags: found.tags,
      remove: async () => {
        await deps.deleteLoadBalancer(found.arn);
        return true;
      },
    })),
    ...targetGroups.map((found) => ({
      name: `target group ${found.name}`,
      tags: found.tags,
      remove: () => deps.deleteTargetGroup(found.arn),
    })),
    ...securityGroups.map((found) => ({
      name: `security group ${found.name}`,
      tags: found.tags,
      release: () => deps.revokeIngress(found),
      remove: () => deps.deleteSecurityGroup(found.securityGroupId),
    })),
  ];
}

/** @returns the names of what is still in use */
export async function removeDataPath(path: readonly PathResource[]): Promise<string[]> {
  for (const resource of path) await resource.release?.();
  const remaining: string[] = [];
  for (const resource of path) if (!(await resource.remove())) remaining.push(resource.name);
  return remaining;
}

export interface PairResources {
  /** Hosts that nobody has terminated yet. */
  readonly hosts: readonly TaggedHost[];
  /** Hosts that are being terminated, and are still in their groups. */
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

/**
 * @returns in words what is still there: AWS lets go of a group, a rule or an interface only some time after its host
 */
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
