/** EC2: the addresses that hosts and load balancers got. */
import { DescribeInstancesCommand, DescribeNetworkInterfacesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { REPEATED_BY_CALLER } from './retries';

const client = new EC2Client(REPEATED_BY_CALLER);

/** Public IPv4 addresses in the order of the hosts; undefined where a host has none (yet). */
export async function publicAddresses(instanceIds: readonly string[]): Promise<(string | undefined)[]> {
  const { Reservations } = await client.send(new DescribeInstancesCommand({ InstanceIds: [...instanceIds] }));
  const instances = (Reservations ?? []).flatMap((reservation) => reservation.Instances ?? []);
  return instanceIds.map((id) => instances.find((instance) => instance.InstanceId === id)?.PublicIpAddress);
}

/**
 * The private address of a Network Load Balancer in its one subnet: that of its interface, which EC2 describes by the end
 * of the load balancer's ARN. Its DNS name would be asked for again by each tool, at a moment of the tool's own.
 */
export async function loadBalancerAddress(loadBalancerArn: string): Promise<string | undefined> {
  const description = `ELB ${loadBalancerArn.slice(loadBalancerArn.indexOf('loadbalancer/') + 'loadbalancer/'.length)}`;
  const { NetworkInterfaces } = await client.send(
    new DescribeNetworkInterfacesCommand({ Filters: [{ Name: 'description', Values: [description] }] }),
  );
  return NetworkInterfaces?.[0]?.PrivateIpAddress;
}
