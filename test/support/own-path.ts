/** What launch-pair and connect-pair make for the path of a pair, as far as it is found by tags. */
import type { Tags } from '../../lambdas/adapters/ec2-tags';
import type { FakeEc2 } from './fake-ec2';
import type { FakeLoadBalancers } from './fake-load-balancers';

/** Two groups of the same name in two networks. Each admits the other host, and somebody made each name the other. */
export async function addOwnPath(ec2: FakeEc2, name: string, tags: Tags): Promise<void> {
  const [client, server] = [
    await ec2.createSecurityGroup({ name, description: '', vpcId: 'vpc-2', tags }),
    await ec2.createSecurityGroup({ name, description: '', vpcId: 'vpc-3', tags }),
  ];
  await ec2.admitTraffic(client, [{ cidr: '10.3.0.5/32' }, { securityGroupId: server }]);
  await ec2.admitTraffic(server, [{ cidr: '10.2.0.5/32' }, { securityGroupId: client }]);
}

/** A load balancer with its target group, and two security groups that name each other. */
export async function addBalancedPath(ec2: FakeEc2, elb: FakeLoadBalancers, name: string, tags: Tags): Promise<void> {
  const group = (groupName: string) =>
    ec2.createSecurityGroup({ name: groupName, description: '', vpcId: 'vpc-1', tags });
  const [hosts, balancer] = [await group(name), await group(`${name}-lb`)];
  await ec2.admitTraffic(hosts, [{ securityGroupId: balancer }]);
  await ec2.admitTraffic(balancer, [{ securityGroupId: hosts }]);
  await elb.createLoadBalancer({ name: `lb-${name}`, subnetId: 'subnet-a', securityGroupId: balancer, tags });
  const ports = { protocol: 'TCP', port: 5201, healthCheckPort: 5200 } as const;
  await elb.createTargetGroup({ name: `tg-${name}`, vpcId: 'vpc-1', ...ports, tags });
}
