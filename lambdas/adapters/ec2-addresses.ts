/** EC2: the addresses of hosts and load balancers. connect-pair repeats these calls, and not the SDK. */
import { DescribeInstancesCommand, DescribeNetworkInterfacesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { REPEATED_BY_CALLER } from './retries';

const client = new EC2Client(REPEATED_BY_CALLER);

/** Public IPv4 addresses in the order of the hosts; undefined for a host that has none yet. */
export async function publicAddresses(instanceIds: readonly string[]): Promise<(string | undefined)[]> {
  const { Reservations } = await client.send(new DescribeInstancesCommand({ InstanceIds: [...instanceIds] }));
  const instances = (Reservations ?? []).flatMap((reservation) => reservation.Instances ?? []);
  return instanceIds.map((id) => instances.find((instance) => instance.InstanceId === id)?.PublicIpAddress);
}

/**
 * The private address of a Network Load Balancer in its one subnet. The network interface of the load balancer has it,
 * and carries the end of the load balancer's ARN in its description. The DNS name would not do: each tool would resolve
 * it again, at a time that nobody controls.
 */
export async function loadBalancerAddress(loadBalancerArn: string): Promise<string | undefined> {
  const description = `ELB ${loadBalancerArn.slice(loadBalancerArn.indexOf('loadbalancer/') + 'loadbalancer/'.length)}`;
  const { NetworkInterfaces } = await client.send(
    new DescribeNetworkInterfacesCommand({ Filters: [{ Name: 'description', Values: [description] }] }),
  );
  return NetworkInterfaces?.[0]?.PrivateIpAddress;
}
