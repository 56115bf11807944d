/** EC2: finds hosts, placement groups and security groups of pairs by tag, never by a stored id, and removes them. */
import {
  DeletePlacementGroupCommand,
  DescribePlacementGroupsCommand,
  EC2Client,
  paginateDescribeInstances,
  TerminateInstancesCommand,
  type InstanceStateName,
  DeleteSecurityGroupCommand,
  paginateDescribeSecurityGroups,
  RevokeSecurityGroupIngressCommand,
  type IpPermission,
} from '@aws-sdk/client-ec2';
import { allOf, answered, withExpectedErrors, REPEATED_BY_SDK } from './answers';
import { plainTags, tagFilters, type Tags } from './ec2-tags';

const client = new EC2Client(REPEATED_BY_SDK);

export interface TaggedPlacementGroup {
  readonly name: string;
  readonly tags: Tags;
}

export async function findPlacementGroups(tags: Tags): Promise<TaggedPlacementGroup[]> {
  const { PlacementGroups } = await client.send(new DescribePlacementGroupsCommand({ Filters: tagFilters(tags) }));
  return (PlacementGroups ?? [])
    .filter((group) => group.State !== 'deleted' && group.State !== 'deleting')
    .map((group) => ({
      name: answered(group.GroupName, 'DescribePlacementGroups.GroupName'),
      tags: plainTags(group.Tags),
    }));
}

/** @returns false while hosts are still in the group; a group that is already gone counts as deleted */
export async function deletePlacementGroup(name: string): Promise<boolean> {
  const deleted = client.send(new DeletePlacementGroupCommand({ GroupName: name })).then(() => true);
  return withExpectedErrors(deleted, { 'InvalidPlacementGroup.Unknown': true, 'InvalidPlacementGroup.InUse': false });
}

export interface TaggedHost {
  readonly instanceId: string;
  readonly state: InstanceStateName;
  readonly tags: Tags;
}

/** Finds hosts with all of these tags that are not terminated, including those that are shutting down. */
export async function findHosts(tags: Tags): Promise<TaggedHost[]> {
  const states: InstanceStateName[] = ['pending', 'running', 'shutting-down', 'stopping', 'stopped'];
  const filters = [...tagFilters(tags), { Name: 'instance-state-name', Values: states }];
  const pages = paginateDescribeInstances({ client }, { Filters: filters });
  const reservations = await allOf(pages, (page) => page.Reservations);
  return reservations
    .flatMap((reservation) => reservation.Instances ?? [])
    .map((instance) => ({
      instanceId: answered(instance.InstanceId, 'DescribeInstances.InstanceId'),
      state: instance.State?.Name ?? 'pending',
      tags: plainTags(instance.Tags),
    }));
}

/** Terminates hosts. A host that is already terminated, or that EC2 no longer knows, is not an error. */
export async function terminateHosts(instanceIds: readonly string[]): Promise<void> {
  if (instanceIds.length === 0) return;
  const terminated = client.send(new TerminateInstancesCommand({ InstanceIds: [...instanceIds] })).then(() => true);
  const isDone = await withExpectedErrors(terminated, { 'InvalidInstanceID.NotFound': instanceIds.length === 1 });
  // EC2 refuses the whole request because of one unknown id, so each host is then terminated by its own call.
  if (!isDone) for (const instanceId of instanceIds) await terminateHosts([instanceId]);
}

export interface TaggedSecurityGroup {
  readonly securityGroupId: string;
  readonly name: string;
  readonly tags: Tags;
  readonly ingress: readonly IpPermission[];
}

export async function findSecurityGroups(tags: Tags): Promise<TaggedSecurityGroup[]> {
  const pages = paginateDescribeSecurityGroups({ client }, { Filters: tagFilters(tags) });
  const groups = await allOf(pages, (page) => page.SecurityGroups);
  return groups.map((group) => ({
    securityGroupId: answered(group.GroupId, 'DescribeSecurityGroups.GroupId'),
    name: answered(group.GroupName, 'DescribeSecurityGroups.GroupName'),
    tags: plainTags(group.Tags),
    ingress: group.IpPermissions ?? [],
  }));
}

/** Removes every rule of a group, because EC2 does not delete a group that a rule of another group names. */
export async function revokeIngress({ securityGroupId, ingress }: TaggedSecurityGroup): Promise<void> {
  if (ingress.length === 0) return;
  const request = { GroupId: securityGroupId, IpPermissions: [...ingress] };
  const revoked = client.send(new RevokeSecurityGroupIngressCommand(request));
  // A concurrent removal was faster. The next look finds what is left of the group.
  await withExpectedErrors(revoked, { 'InvalidPermission.NotFound': undefined, 'InvalidGroup.NotFound': undefined });
}

/** @returns false while an interface or another group's rule uses the group; a group that is gone counts as deleted */
export async function deleteSecurityGroup(securityGroupId: string): Promise<boolean> {
  const deleted = client.send(new DeleteSecurityGroupCommand({ GroupId: securityGroupId })).then(() => true);
  return withExpectedErrors(deleted, { 'InvalidGroup.NotFound': true, DependencyViolation: false });
}
