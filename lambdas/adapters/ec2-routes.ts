/** EC2: which subnets have a way out for hosts without a public address. */
import { EC2Client, paginateDescribeRouteTables, type Route, type RouteTable } from '@aws-sdk/client-ec2';
import type { Subnet } from '../../domain/model/planned-run';
import { allOf, batches, FILTER_VALUES } from './answers';
import { REPEATED_BY_SDK } from './retries';

const client = new EC2Client(REPEATED_BY_SDK);
const ANYWHERE = '0.0.0.0/0';

/**
 * By the subnet's id: whether its own route table, or else its VPC's main one, has a default route that a host without a
 * public address can use: to anything but an internet gateway. Whether a NAT gateway stands at its end is not looked up.
 */
export async function findPrivateWaysOut(subnets: readonly Subnet[]): Promise<ReadonlyMap<string, boolean>> {
  const vpcIds = [...new Set(subnets.map(({ vpcId }) => vpcId))].sort();
  const found: RouteTable[][] = [];
  for (const values of batches(vpcIds, FILTER_VALUES)) {
    const request = { Filters: [{ Name: 'vpc-id', Values: values }] };
    found.push(await allOf(paginateDescribeRouteTables({ client }, request), (page) => page.RouteTables));
  }
  const tables = found.flat();
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
  return DestinationCidrBlock === ANYWHERE && !GatewayId.startsWith('igw-') && State !== 'blackhole';
}
