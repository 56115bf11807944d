import { Validations, Fn } from 'aws-cdk-lib';
import {
  type ISecurityGroup,
  type IVpc,
  GatewayVpcEndpointAwsService,
  IpAddresses,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
  CfnRoute,
  CfnVPCPeeringConnection,
} from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import type { ExistingNetwork } from '../context';
import type { Zones } from '../settings';

export interface TestNetworkProps {
  readonly zones: Zones;
  /** @default the stack creates its own VPC over `zones` */
  readonly existingNetwork?: ExistingNetwork;
  /** Whether to create a second VPC and peer it with the first. Must be false with `existingNetwork`. */
  readonly hasPeering: boolean;
}

const FIRST_ADDRESSES = '10.0.0.0/16';
/** The addresses of the second VPC differ from the first, because VPCs with overlapping addresses can't be peered. */
const SECOND_ADDRESSES = '10.1.0.0/16';
/** Independent of the number of zones, so that a subnet keeps its addresses when zones are added. */
const SUBNET_MASK = 19;

/**
 * The network of the hosts: an existing VPC or the stack's own. All subnets of the stack's own VPC are public, because
 * a NAT gateway charges by the gigabyte and takes part in no measurement. Hosts reach S3 through a free gateway
 * endpoint.
 */
export class TestNetwork extends Construct {
  readonly vpcId: string;
  /** The ids of the first VPC and of the second, if there is one. */
  readonly vpcIds: readonly string[];
  /** The VPCs of the stack, which are deleted with it. */
  readonly ownVpcs: readonly IVpc[];
  readonly subnetIds: readonly string[];
  /** The zone of each subnet in `subnetIds`. */
  readonly zones: readonly string[];
  readonly securityGroup: ISecurityGroup;
  /** Subnets of the second VPC; empty if there is none. */
  readonly peeredSubnetIds: readonly string[];
  readonly peeredSecurityGroup?: ISecurityGroup;

  constructor(scope: Construct, id: string, props: TestNetworkProps) {
    super(scope, id);
    const { zones, existingNetwork, hasPeering } = props;
    const vpc =
      existingNetwork === undefined ? this.ownVpc('Vpc', FIRST_ADDRESSES, zones) : this.existingVpc(existingNetwork);
    this.vpcId = vpc.vpcId;
    this.subnetIds = existingNetwork?.subnetIds ?? vpc.publicSubnets.map((subnet) => subnet.subnetId);
    this.zones = vpc.availabilityZones;

    const securityGroup = new SecurityGroup(this, 'HostSecurityGroup', {
      vpc,
      description: 'Hosts of network-benchmark: they admit nobody but each other',
      // Rules can't list the addresses of Ubuntu's archive, Systems Manager and S3, because these change.
      allowAllOutbound: true,
    });
    securityGroup.addIngressRule(securityGroup, Port.allTraffic(), 'Everything between the hosts of a pair');
    this.securityGroup = securityGroup;

    const second = hasPeering ? this.ownVpc('SecondVpc', SECOND_ADDRESSES, zones) : undefined;
    const peered = second && new PeeredNetwork(this, 'Peered', { first: vpc, firstGroup: securityGroup, second });
    this.vpcIds = [vpc, second].flatMap((network) => network?.vpcId ?? []);
    this.ownVpcs = [vpc, second].filter((network) => network instanceof Vpc);
    this.peeredSubnetIds = peered?.subnetIds ?? [];
    this.peeredSecurityGroup = peered?.securityGroup;
  }

  private ownVpc(id: string, addresses: string, zones: Zones): Vpc {
    const vpc = new Vpc(this, id, {
      ipAddresses: IpAddresses.cidr(addresses),
      availabilityZones: zoneExpressions(zones),
      subnetConfiguration: [{ name: 'Hosts', subnetType: SubnetType.PUBLIC, cidrMask: SUBNET_MASK }],
      natGateways: 0,
      gatewayEndpoints: { S3: { service: GatewayVpcEndpointAwsService.S3 } },
      // The restriction would deploy a custom resource, and no host is in the default group.
      restrictDefaultSecurityGroup: false,
    });
    Validations.of(vpc).acknowledge({
      id: 'AwsSolutions-VPC7',
      reason:
        'Flow logs of a bandwidth test would record the same two addresses over and over; one or two security group ' +
        "rules say who may connect to whom, and the run's own records list every host",
    });
    return vpc;
  }

  private existingVpc(network: ExistingNetwork): IVpc {
    return Vpc.fromVpcAttributes(this, 'Vpc', {
      vpcId: network.vpcId,
      availabilityZones: [...network.availabilityZones],
    });
  }
}

export interface PeeredNetworkProps {
  readonly first: IVpc;
  readonly firstGroup: ISecurityGroup;
  /** The VPC of the servers on the path `peering`. Its addresses must not overlap those of the first VPC. */
  readonly second: IVpc;
}

/** Peers two VPCs of the stack: routes in both directions, and security groups that admit each other's hosts. */
class PeeredNetwork extends Construct {
  readonly subnetIds: readonly string[];
  readonly securityGroup: ISecurityGroup;

  constructor(scope: Construct, id: string, props: PeeredNetworkProps) {
    super(scope, id);
    const { first, firstGroup, second } = props;
    this.subnetIds = second.publicSubnets.map((subnet) => subnet.subnetId);
    // EC2 accepts the request at once, because both VPCs belong to this account and are in one Region.
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
    // A rule can refer to a security group of another VPC only after the two VPCs are peered.
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

/** EC2 quotes this text as the unknown zone of a subnet, followed by the list of valid zones. */
const TOO_FEW_LISTED = 'one of the zones asked for: Fn::GetAZs lists too few in this account and Region';

/**
 * One expression per subnet. The template looks up the zones at deployment, because the CDK does not know the Region.
 *
 * `Fn::GetAZs` lists only zones with a default subnet: two in us-west-1, and possibly just one if somebody has deleted
 * default subnets. `Fn::Select` beyond the end of the list fails the deployment with "nonexistent value at index 2".
 * The list is therefore continued: by itself, from its beginning, or by a text that is no zone.
 */
function zoneExpressions(zones: Zones): string[] {
  if ('names' in zones) return [...zones.names];
  const { count, mustAllDiffer } = zones;
  const listed = Fn.join(',', Fn.getAzs());
  const beyond = Array<string>(count - 1).fill(mustAllDiffer ? TOO_FEW_LISTED : listed);
  const continued = Fn.split(',', Fn.join(',', [listed, ...beyond]));
  return Array.from({ length: count }, (_, index) => Fn.select(index, continued));
}
