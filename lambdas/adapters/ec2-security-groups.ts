/** EC2: the security groups of single pairs. One function per API call, so that a bundle holds only its handler's calls. */
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  DescribeSecurityGroupsCommand,
  EC2Client,
  type IpPermission,
} from '@aws-sdk/client-ec2';
import { awsTags, ec2ErrorCode, type Tags } from './ec2-tags';
import { REPEATED_BY_CALLER } from './retries';

const client = new EC2Client(REPEATED_BY_CALLER);

export interface SecurityGroupRequest {
  /** Unique in its network; the same name gives the same group again. */
  readonly name: string;
  readonly description: string;
  readonly vpcId: string;
  readonly tags: Tags;
}

/**
 * @returns the group's id; of the one that an earlier attempt of ours made, when there is one
 * @throws `InvalidGroup.NotFound` also where EC2 knows the name already, but does not describe the group yet
 */
export async function createSecurityGroup({ name, description, vpcId, tags }: SecurityGroupRequest): Promise<string> {
  try {
    const { GroupId } = await client.send(
      new CreateSecurityGroupCommand({
        GroupName: name,
        Description: description,
        VpcId: vpcId,
        TagSpecifications: [{ ResourceType: 'security-group', Tags: awsTags(tags) }],
      }),
    );
    if (GroupId === undefined) throw new Error(`CreateSecurityGroup ${name}: must answer with an id, got none`);
    return GroupId;
  } catch (error) {
    if (ec2ErrorCode(error) !== 'InvalidGroup.Duplicate') throw error;
    return securityGroupId(name, vpcId);
  }
}

async function securityGroupId(name: string, vpcId: string): Promise<string> {
  const filters = [
    { Name: 'group-name', Values: [name] },
    { Name: 'vpc-id', Values: [vpcId] },
  ];
  const { SecurityGroups } = await client.send(new DescribeSecurityGroupsCommand({ Filters: filters }));
  const groupId = SecurityGroups?.[0]?.GroupId;
  if (groupId === undefined) {
    const message = `security group ${name}: must be in ${vpcId}, got nothing`;
    throw Object.assign(new Error(message), { name: 'InvalidGroup.NotFound' });
  }
  return groupId;
}

/** Whom a rule lets in: one address, or whatever is in a group. */
export type TrafficSource = { readonly cidr: string } | { readonly securityGroupId: string };

/** Lets everything from these sources in. A rule that is there already is not an error. */
export async function admitTraffic(securityGroupId: string, sources: readonly TrafficSource[]): Promise<void> {
  // One call per source: EC2 refuses a whole list for one rule that it knows already.
  for (const source of sources) {
    const permission: IpPermission = {
      IpProtocol: '-1',
      ...('cidr' in source
        ? { IpRanges: [{ CidrIp: source.cidr }] }
        : { UserIdGroupPairs: [{ GroupId: source.securityGroupId }] }),
    };
    try {
      await client.send(
        new AuthorizeSecurityGroupIngressCommand({ GroupId: securityGroupId, IpPermissions: [permission] }),
      );
    } catch (error) {
      if (ec2ErrorCode(error) !== 'InvalidPermission.Duplicate') throw error;
    }
  }
}
