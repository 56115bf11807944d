/**
 * EC2: the security groups of single pairs, and the addresses that a path leads to. The SDK retries none of these
 * calls. There is one function per call, so that a bundle contains only the calls of its handler.
 */
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  DescribeSecurityGroupsCommand,
  EC2Client,
  DescribeInstancesCommand,
  DescribeNetworkInterfacesCommand,
} from '@aws-sdk/client-ec2';
import { answered, withExpectedErrors, REPEATED_BY_CALLER } from './answers';
import { awsTags, type Tags } from './ec2-tags';

const client = new EC2Client(REPEATED_BY_CALLER);

export interface SecurityGroupRequest {
  /** The name of the group, which is unique in its VPC; the same name returns the same group. */
  readonly name: string;
  readonly description: string;
  readonly vpcId: string;
  readonly tags: Tags;
}

/**
 * @returns the id of the group, which an earlier attempt may have created
 * @throws `InvalidGroup.NotFound` also if EC2 refuses the name as taken but does not describe the group yet
 */
export async function createSecurityGroup({ name, description, vpcId, tags }: SecurityGroupRequest): Promise<string> {
  const created = client.send(
    new CreateSecurityGroupCommand({
      GroupName: name,
      Description: description,
      VpcId: vpcId,
      TagSpecifications: [{ ResourceType: 'security-group', Tags: awsTags(tags) }],
    }),
  );
  const answer = await withExpectedErrors(created, { 'InvalidGroup.Duplicate': undefined });
  if (answer === undefined) return securityGroupId(name, vpcId);
  return answered(answer.GroupId, `CreateSecurityGroup ${name}: GroupId`);
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

/** What a rule admits: one range of addresses, or every member of a group. */
export type TrafficSource = { readonly cidr: string } | { readonly securityGroupId: string };

/** Admits all traffic from these sources. A rule that already exists is not an error. */
export async function admitTraffic(securityGroupId: string, sources: readonly TrafficSource[]): Promise<void> {
  // Each source has its own call, because EC2 refuses a whole request because of one existing rule.
  for (const source of sources) {
    const admitted =
      'cidr' in source
        ? { IpRanges: [{ CidrIp: source.cidr }] }
        : { UserIdGroupPairs: [{ GroupId: source.securityGroupId }] };
    const rule = { GroupId: securityGroupId, IpPermissions: [{ IpProtocol: '-1', ...admitted }] };
    const authorized = client.send(new AuthorizeSecurityGroupIngressCommand(rule));
    await withExpectedErrors(authorized, { 'InvalidPermission.Duplicate': undefined });
  }
}

/** Public IPv4 addresses in the order of the hosts; undefined for a host that has none yet. */
export async function publicAddresses(instanceIds: readonly string[]): Promise<(string | undefined)[]> {
  const { Reservations } = await client.send(new DescribeInstancesCommand({ InstanceIds: [...instanceIds] }));
  const instances = (Reservations ?? []).flatMap((reservation) => reservation.Instances ?? []);
  return instanceIds.map((id) => instances.find((instance) => instance.InstanceId === id)?.PublicIpAddress);
}

/**
 * The private address of a Network Load Balancer in its one subnet. It belongs to the load balancer's network
 * interface, whose description contains the end of the load balancer's ARN. The DNS name is not used, because each tool
 * would resolve it again at an unknown time.
 */
export async function loadBalancerAddress(loadBalancerArn: string): Promise<string | undefined> {
  const description = `ELB ${loadBalancerArn.slice(loadBalancerArn.indexOf('loadbalancer/') + 'loadbalancer/'.length)}`;
  const { NetworkInterfaces } = await client.send(
    new DescribeNetworkInterfacesCommand({ Filters: [{ Name: 'description', Values: [description] }] }),
  );
  return NetworkInterfaces?.[0]?.PrivateIpAddress;
}
