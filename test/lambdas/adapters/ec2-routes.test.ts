/** What EC2 is asked about the routes of subnets, and how its answers are read. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type * as Routes from '../../../lambdas/adapters/ec2-catalogue';
import { AwsEndpoint } from '../../support/aws-endpoint';

const aws = new AwsEndpoint();
let adapter: typeof Routes;

beforeAll(async () => {
  await aws.start();
  adapter = await import('../../../lambdas/adapters/ec2-catalogue');
});
afterAll(() => aws.stop());

const subnet = (subnetId: string, vpcId: string) => ({ subnetId, vpcId, zone: 'eu-test-1a', zoneId: 'eut1-az1' });
const item = (content: string) => `<item>${content}</item>`;
const route = (target: string, destination = '0.0.0.0/0') =>
  item(`<destinationCidrBlock>${destination}</destinationCidrBlock>${target}<state>active</state>`);
const NAT = route('<natGatewayId>nat-1</natGatewayId>');
const INTERNET = route('<gatewayId>igw-1</gatewayId>');
const LOCAL = route('<gatewayId>local</gatewayId>', '10.0.0.0/16');

function table(vpcId: string, associations: string, routes: string): string {
  const sets = `<associationSet>${item(associations)}</associationSet><routeSet>${routes}</routeSet>`;
  return item(`<vpcId>${vpcId}</vpcId>${sets}`);
}
const main = '<main>true</main>';
const of = (subnetId: string) => `<main>false</main><subnetId>${subnetId}</subnetId>`;

test.each([
  ['the main table has a NAT gateway', [table('vpc-1', main, LOCAL + NAT)], true],
  [
    'a transit gateway is at the end',
    [table('vpc-1', main, route('<transitGatewayId>tgw-1</transitGatewayId>'))],
    true,
  ],
  ['there is no default route', [table('vpc-1', main, LOCAL)], false],
  ['it is narrower', [table('vpc-1', main, route('<natGatewayId>nat-1</natGatewayId>', '10.1.0.0/16'))], false],
  ['an internet gateway, which sends nothing for a private address', [table('vpc-1', main, INTERNET)], false],
  ['the gateway is gone', [table('vpc-1', main, NAT.replace('active', 'blackhole'))], false],
  [
    'its own table counts, and not the main one',
    [table('vpc-1', main, NAT), table('vpc-1', of('subnet-1'), LOCAL)],
    false,
  ],
  ["another subnet's table does not", [table('vpc-1', of('subnet-2'), LOCAL), table('vpc-1', main, NAT)], true],
  ["another VPC's main table does not", [table('vpc-2', main, NAT)], undefined],
])('a way out for a private host: %s', async (_, tables, expected) => {
  const body = `<DescribeRouteTablesResponse><routeTableSet>${tables.join('')}</routeTableSet></DescribeRouteTablesResponse>`;
  aws.answer = () => ({ status: 200, body });
  aws.requests.length = 0;

  const found = await adapter.findPrivateWaysOut([subnet('subnet-1', 'vpc-1'), subnet('subnet-9', 'vpc-1')]);

  expect(found.get('subnet-1')).toBe(expected);
  const asked = aws.requests.map(({ body: sent }) => Object.fromEntries(new URLSearchParams(sent)));
  expect(asked).toEqual([
    expect.objectContaining({
      Action: 'DescribeRouteTables',
      'Filter.1.Name': 'vpc-id',
      'Filter.1.Value.1': 'vpc-1',
    }),
  ]);
});
