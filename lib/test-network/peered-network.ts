import type { ISecurityGroup, IVpc } from 'aws-cdk-lib/aws-ec2';
import { CfnRoute, CfnVPCPeeringConnection, Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';

export interface PeeredNetworkProps {
  /** The network of the clients. */
  readonly first: IVpc;
  readonly firstGroup: ISecurityGroup;
  /** The network of the servers on the path `peering`. Its addresses must not overlap those of the first network. */
  readonly second: IVpc;
}

/** Peers two networks of the stack: routes in both directions, and security groups that admit each other's hosts. */
export class PeeredNetwork extends Construct {
  readonly subnetIds: readonly string[];
  readonly securityGroup: ISecurityGroup;

  constructor(scope: Construct, id: string, props: PeeredNetworkProps) {
    super(scope, id);
    const { first, firstGroup, second } = props;
    this.subnetIds = second.publicSubnets.map((subnet) => subnet.subnetId);
    // EC2 accepts the request at once, because both networks belong to this account and are in one Region.
    const peering = new CfnVPCPeeringConnection(this, 'Peering', { vpcId: first.vpcId, peerVpcId: second.vpcId });
    this.routeTo('ToSecond', first, second, peering);
    this.routeTo('ToFirst', second, first, peering);

    const securityGroup = new SecurityGroup(this, 'HostSecurityGroup', {
      vpc: second,
      description: 'Hosts of network-benchmark in the second network: they admit those of the first and nobody else',
      allowAllOutbound: true,
    });
    securityGroup.addIngressRule(firstGroup, Port.allTraffic(), 'Clients of the peered network');
    firstGroup.addIngressRule(securityGroup, Port.allTraffic(), 'Servers of the peered network');
    // A rule can refer to a security group of another network only after the two networks are peered.
    for (const group of [securityGroup, firstGroup]) group.node.addDependency(peering);
    this.securityGroup = securityGroup;
  }

  private routeTo(id: string, from: IVpc, to: IVpc, peering: CfnVPCPeeringConnection): void {
    for (const [index, subnet] of from.publicSubnets.entries()) {
      new CfnRoute(this, `${id}${index + 1}`, {
        routeTableId: subnet.routeTable.routeTableId,
        destinationCidrBlock: to.vpcCidrBlock,
        vpcPeeringConnectionId: peering.ref,
      });
    }
  }
}
