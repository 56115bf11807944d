/**
 * Removes what led from client to server, in the order in which AWS lets go of it: a load balancer with its listeners,
 * then its target groups, then the security groups, once no interface is in them and no rule names them. What is still in
 * use is no error: whoever removes looks again.
 */
import type { TaggedSecurityGroup } from '../adapters/ec2-security-groups';
import type { Tags } from '../adapters/ec2-tags';
import type { TaggedElbResource } from '../adapters/elb-removal';

export interface DataPathRemovalDependencies {
  readonly findLoadBalancers: (tags: Tags) => Promise<TaggedElbResource[]>;
  readonly deleteLoadBalancer: (arn: string) => Promise<void>;
  readonly findTargetGroups: (tags: Tags) => Promise<TaggedElbResource[]>;
  readonly deleteTargetGroup: (arn: string) => Promise<boolean>;
  readonly findSecurityGroups: (tags: Tags) => Promise<TaggedSecurityGroup[]>;
  readonly revokeIngress: (group: TaggedSecurityGroup) => Promise<void>;
  readonly deleteSecurityGroup: (securityGroupId: string) => Promise<boolean>;
}

/** One thing of a path, and how it goes. */
export interface PathResource {
  /** `load balancer network-benchmark-…` */
  readonly name: string;
  readonly tags: Tags;
  /** Frees others of it; done for all before any of them is removed. */
  readonly release: () => Promise<void>;
  /** @returns false while it is in use */
  readonly remove: () => Promise<boolean>;
}

const HOLDS_NOTHING = (): Promise<void> => Promise.resolve();

/** Everything with these tags, in the order in which it can go. */
export async function findDataPath(deps: DataPathRemovalDependencies, tags: Tags): Promise<PathResource[]> {
  const loadBalancers = await deps.findLoadBalancers(tags);
  const targetGroups = await deps.findTargetGroups(tags);
  const securityGroups = await deps.findSecurityGroups(tags);
  return [
    ...loadBalancers.map((found) => ({
      name: `load balancer ${found.name}`,
      tags: found.tags,
      release: HOLDS_NOTHING,
      remove: async () => {
        await deps.deleteLoadBalancer(found.arn);
        return true;
      },
    })),
    ...targetGroups.map((found) => ({
      name: `target group ${found.name}`,
      tags: found.tags,
      release: HOLDS_NOTHING,
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
  for (const resource of path) await resource.release();
  const remaining: string[] = [];
  for (const resource of path) if (!(await resource.remove())) remaining.push(resource.name);
  return remaining;
}
