/** EC2: what hosts and networks have been given. */
import {
  DescribeNetworkInterfacesCommand,
  EC2Client,
  paginateDescribeVpcPeeringConnections,
} from '@aws-sdk/client-ec2';
import { allOf, REPEATED_BY_SDK } from '../../../lambdas/adapters/answers';

const client = new EC2Client(REPEATED_BY_SDK);

/** How long each interface of a host remembers a silent TCP connection, in seconds; undefined is EC2's default. */
export async function connectionTrackingSeconds(instanceId: string): Promise<(number | undefined)[]> {
  const { NetworkInterfaces = [] } = await client.send(
    new DescribeNetworkInterfacesCommand({ Filters: [{ Name: 'attachment.instance-id', Values: [instanceId] }] }),
  );
  return NetworkInterfaces.map((each) => each.ConnectionTrackingConfiguration?.TcpEstablishedTimeout);
}

/** The state and both address ranges of a peering connection; undefined when there is none of that id. */
export async function describePeering(id: string): Promise<{ status: string; ranges: string[] } | undefined> {
  const request = { Filters: [{ Name: 'vpc-peering-connection-id', Values: [id] }] };
  const pages = paginateDescribeVpcPeeringConnections({ client }, request);
  const [found] = await allOf(pages, (page) => page.VpcPeeringConnections);
  if (found === undefined) return undefined;
  const ranges = [found.RequesterVpcInfo?.CidrBlock ?? '', found.AccepterVpcInfo?.CidrBlock ?? ''];
  return { status: found.Status?.Code ?? '', ranges };
}
