import type { ISecurityGroup, IVpc } from 'aws-cdk-lib/aws-ec2';
import { CfnRoute, CfnVPCPeeringConnection, Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';

export interface PeeredNetworkProps {
  /** Where clients are. */
  readonly first: IVpc;
  readonly firstGroup: ISecurityGroup;
  /** Where the servers of the path `peering` are; its addresses must not be the first one's. */
  readonly second: IVpc;
}

/** Two networks of the stack, peered: routes both ways, and hosts of each that let in the hosts of the other. */
export class PeeredNetwork extends Construct {
  readonly subnetIds: readonly string[];
  readonly securityGroup: ISecurityGroup;

  constructor(scope: Construct, id: string, props: PeeredNetworkProps) {
    super(scope, id);
    const { first, firstGroup, second } = props;
    this.subnetIds = second.publicSubnets.map((subnet) => subnet.subnetId);
    // Both networks are this account's own, in one Region: the request is accepted with its creation.
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
    // A rule can name a group of another network only once the two are peered.
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
