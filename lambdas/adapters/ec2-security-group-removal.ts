/** EC2: the security groups of single pairs by their tags, and their end. */
import {
  DeleteSecurityGroupCommand,
  EC2Client,
  paginateDescribeSecurityGroups,
  RevokeSecurityGroupIngressCommand,
  type IpPermission,
} from '@aws-sdk/client-ec2';
import { ec2ErrorCode, plainTags, tagFilters, type Tags } from './ec2-tags';
import { answered } from './answered';
import { REPEATED_BY_SDK } from './retries';

const client = new EC2Client(REPEATED_BY_SDK);

export interface TaggedSecurityGroup {
  readonly securityGroupId: string;
  readonly name: string;
  readonly tags: Tags;
  readonly ingress: readonly IpPermission[];
}

export async function findSecurityGroups(tags: Tags): Promise<TaggedSecurityGroup[]> {
  const groups: TaggedSecurityGroup[] = [];
  for await (const page of paginateDescribeSecurityGroups({ client }, { Filters: tagFilters(tags) })) {
    for (const group of page.SecurityGroups ?? []) {
      groups.push({
        securityGroupId: answered(group.GroupId, 'DescribeSecurityGroups.GroupId'),
        name: answered(group.GroupName, 'DescribeSecurityGroups.GroupName'),
        tags: plainTags(group.Tags),
        ingress: group.IpPermissions ?? [],
      });
    }
  }
  return groups;
}

/** Removes every rule of a group, because EC2 does not delete a group that a rule of another one names. */
export async function revokeIngress({ securityGroupId, ingress }: TaggedSecurityGroup): Promise<void> {
  if (ingress.length === 0) return;
  try {
    await client.send(new RevokeSecurityGroupIngressCommand({ GroupId: securityGroupId, IpPermissions: [...ingress] }));
  } catch (error) {
    // Another removal was faster. The next look finds what is left of the group.
    if (!['InvalidPermission.NotFound', 'InvalidGroup.NotFound'].includes(ec2ErrorCode(error) ?? '')) throw error;
  }
}

/** @returns false while an interface or another group's rule uses it; a group that is gone already counts as deleted */
export async function deleteSecurityGroup(securityGroupId: string): Promise<boolean> {
  try {
    await client.send(new DeleteSecurityGroupCommand({ GroupId: securityGroupId }));
    return true;
  } catch (error) {
    if (ec2ErrorCode(error) === 'InvalidGroup.NotFound') return true;
    if (ec2ErrorCode(error) === 'DependencyViolation') return false;
    throw error;
  }
}
