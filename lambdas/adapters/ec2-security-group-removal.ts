/** EC2: the security groups of single pairs by their tags, and their end. */
import {
  DeleteSecurityGroupCommand,
  EC2Client,
  paginateDescribeSecurityGroups,
  RevokeSecurityGroupIngressCommand,
  type IpPermission,
} from '@aws-sdk/client-ec2';
import { allOf, answered, withExpectedErrors } from './answers';
import { plainTags, tagFilters, type Tags } from './ec2-tags';
import { REPEATED_BY_SDK } from './retries';

const client = new EC2Client(REPEATED_BY_SDK);

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

/** Removes every rule of a group, because EC2 does not delete a group that a rule of another one names. */
export async function revokeIngress({ securityGroupId, ingress }: TaggedSecurityGroup): Promise<void> {
  if (ingress.length === 0) return;
  const request = { GroupId: securityGroupId, IpPermissions: [...ingress] };
  const revoked = client.send(new RevokeSecurityGroupIngressCommand(request));
  // Another removal was faster. The next look finds what is left of the group.
  await withExpectedErrors(revoked, { 'InvalidPermission.NotFound': undefined, 'InvalidGroup.NotFound': undefined });
}

/** @returns false while an interface or another group's rule uses it; a group that is gone already counts as deleted */
export async function deleteSecurityGroup(securityGroupId: string): Promise<boolean> {
  const deleted = client.send(new DeleteSecurityGroupCommand({ GroupId: securityGroupId })).then(() => true);
  return withExpectedErrors(deleted, { 'InvalidGroup.NotFound': true, DependencyViolation: false });
}
