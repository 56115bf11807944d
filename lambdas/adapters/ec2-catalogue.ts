/** EC2: which instance types can be launched in which zones. */
import {
  DescribeSubnetsCommand,
  EC2Client,
  paginateDescribeInstanceTypeOfferings,
  paginateDescribeInstanceTypes,
  type InstanceTypeInfo,
} from '@aws-sdk/client-ec2';
import type { Subnet } from '../../domain/model/planned-run';
import type { OfferedInstanceType } from '../../domain/plan/offered-instance-type';
import { allOf, answered, batches, FILTER_VALUES } from './answers';
import { instanceTypeOf } from './ec2-instance-type';
import { subnetOf } from './ec2-subnet';
import { REPEATED_BY_SDK } from './retries';

const client = new EC2Client(REPEATED_BY_SDK);

/** @returns the subnets in the order of their ids */
export async function describeSubnets(subnetIds: readonly string[]): Promise<Subnet[]> {
  const { Subnets } = await client.send(new DescribeSubnetsCommand({ SubnetIds: [...subnetIds] }));
  const found = new Map((Subnets ?? []).map((subnet) => [subnet.SubnetId, subnet]));
  return subnetIds.map((subnetId) => subnetOf(subnetId, found.get(subnetId)));
}

/** Asks with a filter, which leaves out an unknown name; the parameter `InstanceTypes` would refuse the whole call. */
export async function describeInstanceTypes(names: readonly string[]): Promise<OfferedInstanceType[]> {
  const found: InstanceTypeInfo[][] = [];
  for (const values of batches(names, FILTER_VALUES)) {
    const pages = paginateDescribeInstanceTypes({ client }, { Filters: [{ Name: 'instance-type', Values: values }] });
    found.push(await allOf(pages, (page) => page.InstanceTypes));
  }
  return found
    .flat()
    .filter((type) => names.includes(type.InstanceType ?? ''))
    .map(instanceTypeOf);
}

/** @returns the names of all instance types that are offered in the Region: about a thousand */
export async function describeTypeNames(): Promise<string[]> {
  const pages = paginateDescribeInstanceTypeOfferings({ client }, { LocationType: 'region' });
  const offerings = await allOf(pages, (page) => page.InstanceTypeOfferings);
  return offerings
    .map(({ InstanceType }) => answered(InstanceType, 'DescribeInstanceTypeOfferings.InstanceType'))
    .sort();
}

/** @returns which zone offers which of the types */
export async function describeZoneOfferings(
  names: readonly string[],
  zones: readonly string[],
): Promise<{ instanceType: string; zone: string }[]> {
  const offerings: { instanceType: string; zone: string }[] = [];
  for (const values of batches(names, FILTER_VALUES)) {
    const filters = [
      { Name: 'instance-type', Values: values },
      { Name: 'location', Values: [...zones] },
    ];
    const request = { LocationType: 'availability-zone', Filters: filters } as const;
    const pages = paginateDescribeInstanceTypeOfferings({ client }, request);
    for (const { InstanceType, Location } of await allOf(pages, (page) => page.InstanceTypeOfferings)) {
      offerings.push({
        instanceType: answered(InstanceType, 'DescribeInstanceTypeOfferings.InstanceType'),
        zone: answered(Location, 'DescribeInstanceTypeOfferings.Location'),
      });
    }
  }
  return offerings;
}
