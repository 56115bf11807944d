/**
 * Removes the resources of a pair in the order that AWS requires: hosts, placement groups, then the data path. The path
 * consists of a load balancer with its listeners, its target groups, and security groups, which can be deleted once no
 * interface is in them and no rule names them. A resource that is still in use is not an error, because the caller
 * tries again. What can't be listed or removed is recorded in `Failures`, and the rest is still removed.
 */
import type * as hostCalls from '../adapters/ec2-hosts';
import type { TaggedHost, TaggedPlacementGroup } from '../adapters/ec2-hosts';
import type { Tags } from '../adapters/ec2-tags';
import type * as elbCalls from '../adapters/elb-removal';
import type { Failures } from './failures';

export type DataPathRemovalDependencies = typeof elbCalls &
  Pick<typeof hostCalls, 'findSecurityGroups' | 'revokeIngress' | 'deleteSecurityGroup'>;
export type PairRemovalDependencies = DataPathRemovalDependencies & typeof hostCalls;

/** One part of a data path, and how it is removed. */
export interface PathResource {
  /** The kind and the name of the resource, for example `load balancer network-benchmark-…`. */
  readonly name: string;
  readonly tags: Tags;
  /** Whether AWS keeps it for as long as a host uses it, one that is shutting down included. */
  readonly isHeldByHosts: boolean;
  /** Detaches other resources from this one; called for all resources before any is removed. */
  readonly release?: () => Promise<void>;
  /** @returns false while the resource is in use */
  readonly remove: () => Promise<boolean>;
}

/** @returns every part of a data path with these tags, in the order in which they can be removed */
export async function findDataPath(
  deps: DataPathRemovalDependencies,
  tags: Tags,
  failures: Failures,
): Promise<PathResource[]> {
  const loadBalancers = await failures.attempt('list load balancers', () => deps.findLoadBalancers(tags), []);
  const targetGroups = await failures.attempt('list target groups', () => deps.findTargetGroups(tags), []);
  const securityGroups = await failures.attempt('list security groups', () => deps.findSecurityGroups(tags), []);
  return [
    ...loadBalancers.map((found) => ({
      name: `load balancer ${found.name}`,
      tags: found.tags,
      isHeldByHosts: false,
      remove: async () => {
        await deps.deleteLoadBalancer(found.arn);
        return true;
      },
    })),
    ...targetGroups.map((found) => ({
      name: `target group ${found.name}`,
      tags: found.tags,
      isHeldByHosts: false,
      remove: () => deps.deleteTargetGroup(found.arn),
    })),
    ...securityGroups.map((found) => ({
      name: `security group ${found.name}`,
      tags: found.tags,
      isHeldByHosts: true,
      release: () => deps.revokeIngress(found),
      remove: () => deps.deleteSecurityGroup(found.securityGroupId),
    })),
  ];
}

/** @returns the names of the resources that are still there */
export async function removeDataPath(path: readonly PathResource[], failures: Failures): Promise<string[]> {
  for (const { name, release } of path) if (release) await failures.attempt(name, release, undefined);
  const remaining: string[] = [];
  for (const { name, remove } of path) if (!(await failures.attempt(name, remove, false))) remaining.push(name);
  return remaining;
}

export interface PairResources {
  /** Hosts that nobody has terminated. */
  readonly hosts: readonly TaggedHost[];
  /** Hosts that are shutting down and are still in their groups. */
  readonly leavingHosts: readonly TaggedHost[];
  readonly placementGroups: readonly TaggedPlacementGroup[];
  readonly dataPath: readonly PathResource[];
}

export async function findPairResources(
  deps: PairRemovalDependencies,
  tags: Tags,
  failures: Failures,
): Promise<PairResources> {
  const hosts = await failures.attempt('list hosts', () => deps.findHosts(tags), []);
  return {
    hosts: hosts.filter(({ state }) => state !== 'shutting-down'),
    leavingHosts: hosts.filter(({ state }) => state === 'shutting-down'),
    placementGroups: await failures.attempt('list placement groups', () => deps.findPlacementGroups(tags), []),
    dataPath: await findDataPath(deps, tags, failures),
  };
}

/** @returns descriptions of what is still there: AWS releases a group, a rule or an interface only after its host */
export async function removePairResources(
  deps: PairRemovalDependencies,
  { hosts, leavingHosts, placementGroups, dataPath }: PairResources,
  failures: Failures,
): Promise<string[]> {
  await terminate(
    deps,
    hosts.map(({ instanceId }) => instanceId),
    failures,
  );
  const groups: string[] = [];
  for (const { name } of placementGroups) {
    const group = `placement group ${name}`;
    if (!(await failures.attempt(group, () => deps.deletePlacementGroup(name), false))) groups.push(group);
  }
  return [
    ...[...hosts, ...leavingHosts].map(({ instanceId }) => `host ${instanceId}`),
    ...groups,
    ...(await removeDataPath(dataPath, failures)),
  ];
}

/** EC2 refuses a whole request because of one protected host, so each host is then terminated by its own call. */
async function terminate(deps: PairRemovalDependencies, instanceIds: readonly string[], failures: Failures) {
  try {
    await deps.terminateHosts(instanceIds);
  } catch {
    for (const instanceId of instanceIds) {
      await failures.attempt(`host ${instanceId}`, () => deps.terminateHosts([instanceId]), undefined);
    }
  }
}
