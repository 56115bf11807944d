/** EC2: which types can be launched where, subnets and images that a plan names, default routes, quotas and their use. */
import {
  DescribeSubnetsCommand,
  EC2Client,
  paginateDescribeImages,
  paginateDescribeInstanceTypeOfferings,
  paginateDescribeInstances,
  paginateDescribeInstanceTypes,
  paginateDescribeRouteTables,
  type Route,
} from '@aws-sdk/client-ec2';
import { GetServiceQuotaCommand, ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import type { Subnet } from '../../domain/model/planned-run';
import type { NamedImage, NamedSubnet, OfferedInstanceType } from '../../domain/plan/offer';
import { allOf, answered, foundByFilter, REPEATED_BY_SDK } from './answers';
import { accountPlanType } from './freetier';
import { instanceTypeOf, namedImageOf, namedSubnetOf, subnetOf } from './ec2-answers';

const client = new EC2Client(REPEATED_BY_SDK);
const quotas = new ServiceQuotasClient(REPEATED_BY_SDK);

export const ec2Region = (): Promise<string> => client.config.region();

/** Describes the subnets in the order of the given ids. */
export async function describeSubnets(subnetIds: readonly string[]): Promise<Subnet[]> {
  const { Subnets } = await client.send(new DescribeSubnetsCommand({ SubnetIds: [...subnetIds] }));
  const found = new Map((Subnets ?? []).map((subnet) => [subnet.SubnetId, subnet]));
  return subnetIds.map((subnetId) => subnetOf(subnetId, found.get(subnetId)));
}

// The subnets and images of a plan are looked up with filters, which omit unknown ids. The parameters for ids would
// refuse the whole call because of one unknown id, and so hide the problems of the others.

export function findSubnets(subnetIds: readonly string[]): Promise<NamedSubnet[]> {
  return foundByFilter(subnetIds, async (Values) => {
    const { Subnets } = await client.send(new DescribeSubnetsCommand({ Filters: [{ Name: 'subnet-id', Values }] }));
    return (Subnets ?? []).map(namedSubnetOf);
  });
}

/** Includes deprecated images, which can be launched for as long as their owner keeps them. */
export async function findImages(imageIds: readonly string[]): Promise<NamedImage[]> {
  const images = await foundByFilter(imageIds, (Values) => {
    const request = { Filters: [{ Name: 'image-id', Values }], IncludeDeprecated: true };
    return allOf(paginateDescribeImages({ client }, request), (page) => page.Images);
  });
  return images.map(namedImageOf);
}

export async function describeInstanceTypes(names: readonly string[]): Promise<OfferedInstanceType[]> {
  const types = await foundByFilter(names, (Values) => {
    const pages = paginateDescribeInstanceTypes({ client }, { Filters: [{ Name: 'instance-type', Values }] });
    return allOf(pages, (page) => page.InstanceTypes);
  });
  return types.filter((type) => names.includes(type.InstanceType ?? '')).map(instanceTypeOf);
}

/** Lists all instance types that the Region offers, about a thousand. */
export async function describeTypeNames(): Promise<string[]> {
  const pages = paginateDescribeInstanceTypeOfferings({ client }, { LocationType: 'region' });
  const offerings = await allOf(pages, (page) => page.InstanceTypeOfferings);
  return offerings
    .map(({ InstanceType }) => answered(InstanceType, 'DescribeInstanceTypeOfferings.InstanceType'))
    .sort();
}

export async function describeZoneOfferings(
  names: readonly string[],
  zones: readonly string[],
): Promise<{ instanceType: string; zone: string }[]> {
  const offerings = await foundByFilter(names, (Values) => {
    const inZones = { Name: 'location', Values: [...zones] };
    const Filters = [{ Name: 'instance-type', Values }, inZones];
    const pages = paginateDescribeInstanceTypeOfferings({ client }, { LocationType: 'availability-zone', Filters });
    return allOf(pages, (page) => page.InstanceTypeOfferings);
  });
  return offerings.map(({ InstanceType, Location }) => ({
    instanceType: answered(InstanceType, 'DescribeInstanceTypeOfferings.InstanceType'),
    zone: answered(Location, 'DescribeInstanceTypeOfferings.Location'),
  }));
}

/**
 * By subnet id: whether the subnet's route table, or else the main one of its VPC, has a default route that a host
 * without a public address can use, i.e. to anything but an internet gateway. A NAT gateway at its end is not checked.
 */
export async function findPrivateWaysOut(subnets: readonly Subnet[]): Promise<ReadonlyMap<string, boolean>> {
  const vpcIds = [...new Set(subnets.map(({ vpcId }) => vpcId))].sort();
  const tables = await foundByFilter(vpcIds, (Values) => {
    const pages = paginateDescribeRouteTables({ client }, { Filters: [{ Name: 'vpc-id', Values }] });
    return allOf(pages, (page) => page.RouteTables);
  });
  return new Map(
    subnets.flatMap(({ subnetId, vpcId }): [string, boolean][] => {
      const own = tables.find(({ Associations = [] }) => Associations.some((each) => each.SubnetId === subnetId));
      const main = tables.find(
        ({ VpcId, Associations = [] }) => VpcId === vpcId && Associations.some((each) => each.Main === true),
      );
      const table = own ?? main;
      return table === undefined ? [] : [[subnetId, (table.Routes ?? []).some(isPrivateWayOut)]];
    }),
  );
}

function isPrivateWayOut({ DestinationCidrBlock, GatewayId = '', State }: Route): boolean {
  return DestinationCidrBlock === '0.0.0.0/0' && !GatewayId.startsWith('igw-') && State !== 'blackhole';
}

/** The types to which the account's free plan limits it; undefined without such a plan, or if the plan is unknown. */
export async function findFreePlanTypes(): Promise<string[] | undefined> {
  if ((await accountPlanType()) !== 'FREE') return undefined;
  const Filters = [{ Name: 'free-tier-eligible', Values: ['true'] }];
  const types = await allOf(paginateDescribeInstanceTypes({ client }, { Filters }), (page) => page.InstanceTypes);
  return types.map(({ InstanceType }) => answered(InstanceType, 'DescribeInstanceTypes.InstanceType')).sort();
}

/**
 * The account's instances that count against the quotas of On-Demand Instances: neither Spot Instances and Capacity
 * Blocks, nor those on Dedicated Hosts. Unused Capacity Reservations count too, but are not read.
 */
export async function describeVcpusInUse(): Promise<{ instanceType: string; vcpuCount: number }[]> {
  const Filters = [{ Name: 'instance-state-name', Values: ['pending', 'running'] }];
  const reservations = await allOf(paginateDescribeInstances({ client }, { Filters }), (page) => page.Reservations);
  const instances = reservations.flatMap(({ Instances = [] }) => Instances);
  return instances
    .filter(({ InstanceLifecycle, Placement }) => InstanceLifecycle === undefined && Placement?.Tenancy !== 'host')
    .map(({ InstanceId, InstanceType, CpuOptions }) => ({
      instanceType: answered(InstanceType, `InstanceType of ${InstanceId}`),
      vcpuCount:
        answered(CpuOptions?.CoreCount, `CoreCount of ${InstanceId}`) *
        answered(CpuOptions?.ThreadsPerCore, `ThreadsPerCore of ${InstanceId}`),
    }));
}

/** The number of vCPUs that may run at the same time. @param code of an EC2 quota, e.g. `L-1216C47A` */
export async function getEc2Quota(code: string): Promise<number> {
  const { Quota } = await quotas.send(new GetServiceQuotaCommand({ ServiceCode: 'ec2', QuotaCode: code }));
  return answered(Quota?.Value, `value of quota ${code} of ec2`);
}
