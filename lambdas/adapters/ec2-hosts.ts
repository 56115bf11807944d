/** EC2: hosts and their placement groups, found by tag and never by a remembered id, and their end. */
import {
  DeletePlacementGroupCommand,
  DescribePlacementGroupsCommand,
  EC2Client,
  paginateDescribeInstances,
  TerminateInstancesCommand,
  type InstanceStateName,
} from '@aws-sdk/client-ec2';
import { ec2ErrorCode, plainTags, tagFilters, type Tags } from './ec2-tags';
import { answered } from './answered';
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
  try {
    await client.send(new DeletePlacementGroupCommand({ GroupName: name }));
    return true;
  } catch (error) {
    if (ec2ErrorCode(error) === 'InvalidPlacementGroup.Unknown') return true;
    if (ec2ErrorCode(error) === 'InvalidPlacementGroup.InUse') return false;
    throw error;
  }
}

export interface TaggedHost {
  readonly instanceId: string;
  readonly state: InstanceStateName;
  readonly tags: Tags;
}

/** Finds hosts with all of these tags that are not terminated. A host that is shutting down still counts. */
export async function findHosts(tags: Tags): Promise<TaggedHost[]> {
  const hosts: TaggedHost[] = [];
  const states: InstanceStateName[] = ['pending', 'running', 'shutting-down', 'stopping', 'stopped'];
  const filters = [...tagFilters(tags), { Name: 'instance-state-name', Values: states as string[] }];
  for await (const page of paginateDescribeInstances({ client }, { Filters: filters })) {
    for (const instance of (page.Reservations ?? []).flatMap((reservation) => reservation.Instances ?? [])) {
      hosts.push({
        instanceId: answered(instance.InstanceId, 'DescribeInstances.InstanceId'),
        state: instance.State?.Name ?? 'pending',
        tags: plainTags(instance.Tags),
      });
    }
  }
  return hosts;
}

/** A host that is terminated already, or that EC2 has forgotten, is no error. */
export async function terminateHosts(instanceIds: readonly string[]): Promise<void> {
  if (instanceIds.length === 0) return;
  try {
    await client.send(new TerminateInstancesCommand({ InstanceIds: [...instanceIds] }));
  } catch (error) {
    if (ec2ErrorCode(error) !== 'InvalidInstanceID.NotFound') throw error;
    // EC2 refuses the whole list because of one unknown id, so each host is terminated by a call of its own.
    if (instanceIds.length > 1) for (const instanceId of instanceIds) await terminateHosts([instanceId]);
  }
}
