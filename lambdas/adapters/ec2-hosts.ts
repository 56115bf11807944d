/** EC2: hosts and their placement groups, found by tag and never by a remembered id, and their end. */
import {
  DeletePlacementGroupCommand,
  DescribePlacementGroupsCommand,
  EC2Client,
  paginateDescribeInstances,
  TerminateInstancesCommand,
  type InstanceStateName,
} from '@aws-sdk/client-ec2';
import { allOf, answered, withExpectedErrors } from './answers';
import { plainTags, tagFilters, type Tags } from './ec2-tags';
import { REPEATED_BY_SDK } from './retries';

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

/** @returns false while hosts are still in it; a group that is gone already counts as deleted */
export async function deletePlacementGroup(name: string): Promise<boolean> {
  const deleted = client.send(new DeletePlacementGroupCommand({ GroupName: name })).then(() => true);
  return withExpectedErrors(deleted, { 'InvalidPlacementGroup.Unknown': true, 'InvalidPlacementGroup.InUse': false });
}

export interface TaggedHost {
  readonly instanceId: string;
  readonly state: InstanceStateName;
  readonly tags: Tags;
}

/** Finds hosts with all of these tags that are not terminated. A host that is shutting down still counts. */
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

/** A host that is terminated already, or that EC2 has forgotten, is no error. */
export async function terminateHosts(instanceIds: readonly string[]): Promise<void> {
  if (instanceIds.length === 0) return;
  const terminated = client.send(new TerminateInstancesCommand({ InstanceIds: [...instanceIds] })).then(() => true);
  const isDone = await withExpectedErrors(terminated, { 'InvalidInstanceID.NotFound': instanceIds.length === 1 });
  // EC2 refuses the whole list because of one unknown id, so each host is terminated by a call of its own.
  if (!isDone) for (const instanceId of instanceIds) await terminateHosts([instanceId]);
}
