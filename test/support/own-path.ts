/** What launch-pair leaves of a pair between two networks of the account, as far as it is found by tags. */
import type { Tags } from '../../lambdas/adapters/ec2-tags';
import type { FakeEc2 } from './fake-ec2';

/** Two groups of the same name in two networks. Each admits the other host, and somebody made each name the other. */
export async function addOwnPath(ec2: FakeEc2, name: string, tags: Tags): Promise<void> {
  const [client, server] = [
    await ec2.createSecurityGroup({ name, description: '', vpcId: 'vpc-2', tags }),
    await ec2.createSecurityGroup({ name, description: '', vpcId: 'vpc-3', tags }),
  ];
  await ec2.admitTraffic(client, [{ cidr: '10.3.0.5/32' }, { securityGroupId: server }]);
  await ec2.admitTraffic(server, [{ cidr: '10.2.0.5/32' }, { securityGroupId: client }]);
}
