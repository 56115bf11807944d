/** EC2: what GuardDuty's Runtime Monitoring has put into a VPC, found by the tag that GuardDuty gives it. */
import {
  DeleteVpcEndpointsCommand,
  EC2Client,
  paginateDescribeSecurityGroups,
  paginateDescribeVpcEndpoints,
} from '@aws-sdk/client-ec2';
import { allOf, answered, REPEATED_BY_SDK } from './answers';

const client = new EC2Client(REPEATED_BY_SDK);

const managedIn = (vpcIds: readonly string[], name: string, pattern: string) => [
  { Name: 'vpc-id', Values: [...vpcIds] },
  { Name: 'tag:GuardDutyManaged', Values: ['true'] },
  { Name: name, Values: [pattern] },
];

/** Also finds endpoints that are being deleted. */
export async function guardDutyEndpointIds(vpcIds: readonly string[]): Promise<string[]> {
  const request = { Filters: managedIn(vpcIds, 'service-name', '*.guardduty-data') };
  const found = await allOf(paginateDescribeVpcEndpoints({ client }, request), ({ VpcEndpoints }) => VpcEndpoints);
  return found.map(({ VpcEndpointId }) => answered(VpcEndpointId, 'DescribeVpcEndpoints: VpcEndpointId'));
}

export async function guardDutyGroupIds(vpcIds: readonly string[]): Promise<string[]> {
  const request = { Filters: managedIn(vpcIds, 'group-name', 'GuardDutyManagedSecurityGroup-*') };
  const found = await allOf(
    paginateDescribeSecurityGroups({ client }, request),
    ({ SecurityGroups }) => SecurityGroups,
  );
  return found.map(({ GroupId }) => answered(GroupId, 'DescribeSecurityGroups: GroupId'));
}

/** EC2 responds at once and without an error, and names the endpoints that it keeps. @throws for these */
export async function deleteEndpoints(endpointIds: readonly string[]): Promise<void> {
  const { Unsuccessful } = await client.send(new DeleteVpcEndpointsCommand({ VpcEndpointIds: [...endpointIds] }));
  for (const { ResourceId, Error: refusal } of Unsuccessful ?? [])
    throw new Error(`${ResourceId}: could not be deleted: ${refusal?.Code}: ${refusal?.Message}`);
}
