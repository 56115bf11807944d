/** EC2: which instance types can be launched in which zones. */
import {
  DescribeSubnetsCommand,
  EC2Client,
  paginateDescribeInstanceTypeOfferings,
  paginateDescribeInstanceTypes,
  type InstanceTypeInfo,
} from '@aws-sdk/client-ec2';
import type { OfferedInstanceType } from '../../domain/plan/offered-instance-type';
import { instanceTypeOf } from './ec2-instance-type';
import { REPEATED_BY_SDK } from './retries';

const client = new EC2Client(REPEATED_BY_SDK);

export interface Subnet {
  readonly subnetId: string;
  readonly zone: string;
}

/** @returns the subnets in the order of their ids */
export async function describeSubnets(subnetIds: readonly string[]): Promise<Subnet[]> {
  const { Subnets } = await client.send(new DescribeSubnetsCommand({ SubnetIds: [...subnetIds] }));
  const zones = new Map((Subnets ?? []).map((subnet) => [subnet.SubnetId, subnet.AvailabilityZone]));
  return subnetIds.map((subnetId) => {
    const zone = zones.get(subnetId);
    if (zone === undefined) throw new Error(`subnet ${subnetId}: must be in a zone, got nothing from DescribeSubnets`);
    return { subnetId, zone };
  });
}

/** A filter of EC2 takes at most 200 values. */
const FILTER_VALUES = 200;

/**
 * Asks with a filter and not with the parameter `InstanceTypes`: the filter leaves out an unknown name, where the
 * parameter would make EC2 refuse the whole call.
 */
export async function describeInstanceTypes(names: readonly string[]): Promise<OfferedInstanceType[]> {
  const found: InstanceTypeInfo[] = [];
  for (const values of batches(names, FILTER_VALUES)) {
    const pages = paginateDescribeInstanceTypes({ client }, { Filters: [{ Name: 'instance-type', Values: values }] });
    for await (const page of pages) found.push(...(page.InstanceTypes ?? []));
  }
  return found.filter((type) => names.includes(type.InstanceType ?? '')).map(instanceTypeOf);
}

export interface ZoneOffering {
  readonly instanceType: string;
  readonly zone: string;
}

/** Finds out which zone offers which of the types. */
export async function describeZoneOfferings(
  names: readonly string[],
  zones: readonly string[],
): Promise<ZoneOffering[]> {
  const offerings: ZoneOffering[] = [];
  for (const values of batches(names, FILTER_VALUES)) {
    const pages = paginateDescribeInstanceTypeOfferings(
      { client },
      {
        LocationType: 'availability-zone',
        Filters: [
          { Name: 'instance-type', Values: values },
          { Name: 'location', Values: [...zones] },
        ],
      },
    );
    for await (const page of pages) {
      for (const { InstanceType, Location } of page.InstanceTypeOfferings ?? []) {
        if (InstanceType !== undefined && Location !== undefined) {
          offerings.push({ instanceType: InstanceType, zone: Location });
        }
      }
    }
  }
  return offerings;
}

function batches<T>(items: readonly T[], size: number): T[][] {
  const result: T[][] = [];
  for (let start = 0; start < items.length; start += size) result.push(items.slice(start, start + size));
  return result;
}
