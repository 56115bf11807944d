/** The addresses of hosts and load balancers, as EC2 tells them. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type * as Addresses from '../../../lambdas/adapters/ec2-path';
import { AwsEndpoint } from '../../support/aws-endpoint';

const aws = new AwsEndpoint();
let adapter: typeof Addresses;

beforeAll(async () => {
  await aws.start();
  adapter = await import('../../../lambdas/adapters/ec2-path');
});

afterAll(() => {
  aws.stop();
});

beforeEach(() => {
  aws.requests.length = 0;
});

test('gives public addresses in the order of the hosts, whatever EC2’s order', async () => {
  const instance = (id: string, address: string) =>
    `<item><instancesSet><item><instanceId>${id}</instanceId>${address}</item></instancesSet></item>`;
  aws.answer = () => ({
    status: 200,
    body: `<DescribeInstancesResponse><reservationSet>${instance('i-2', '<ipAddress>203.0.113.2</ipAddress>')}${instance('i-1', '')}</reservationSet></DescribeInstancesResponse>`,
  });

  expect(await adapter.publicAddresses(['i-1', 'i-2'])).toEqual([undefined, '203.0.113.2']);
});

test('finds a load balancer’s interface by the end of its ARN', async () => {
  aws.answer = () => ({
    status: 200,
    body: '<DescribeNetworkInterfacesResponse><networkInterfaceSet><item><privateIpAddress>10.0.0.9</privateIpAddress></item></networkInterfaceSet></DescribeNetworkInterfacesResponse>',
  });

  const arn =
    'arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/net/network-benchmark-1/0123456789abcdef';
  expect(await adapter.loadBalancerAddress(arn)).toBe('10.0.0.9');
  expect(Object.fromEntries(new URLSearchParams(aws.requests[0]!.body))).toMatchObject({
    'Filter.1.Name': 'description',
    'Filter.1.Value.1': 'ELB net/network-benchmark-1/0123456789abcdef',
  });
});
