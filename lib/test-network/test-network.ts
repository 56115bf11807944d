import { Validations } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc } from 'aws-cdk-lib/aws-ec2';
import { GatewayVpcEndpointAwsService, IpAddresses, Port, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import type { ExistingNetwork, Zones } from '../context';
import { zoneExpressions } from './zone-expressions';
import { PeeredNetwork } from './peered-network';

export interface TestNetworkProps {
  readonly zones: Zones;
  /** @default a network of its own over `zones` */
  readonly existingNetwork?: ExistingNetwork;
  /** Whether to create a second network and to peer it with the first. Must be false beside `existingNetwork`. */
  readonly hasPeering: boolean;
}

const FIRST_ADDRESSES = '10.0.0.0/16';
/** Different from the first, because networks with overlapping addresses cannot be peered. */
const SECOND_ADDRESSES = '10.1.0.0/16';
/**
 * The same whatever the number of zones, so that a subnet keeps its addresses when zones are added. By itself the CDK
 * divides all addresses of the network among its subnets.
 */
const SUBNET_MASK = 19;

/**
 * The network of the hosts: an existing one, or one of the stack's own. All subnets of the latter are public, because a
 * NAT gateway charges by the gigabyte and would take part in no measurement. Its hosts reach S3 through its gateway
 * endpoint, which is free.
 */
export class TestNetwork extends Construct {
  readonly vpcId: string;
  /** With that of the second network, if there is one. */
  readonly vpcIds: readonly string[];
  readonly subnetIds: readonly string[];
  /** The zone of each subnet. */
  readonly zones: readonly string[];
  readonly securityGroup: ISecurityGroup;
  /** Subnets of the second network; empty if there is none. */
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
      // A rule cannot list the addresses of Ubuntu's archive, Systems Manager and S3: they change.
      allowAllOutbound: true,
    });
    securityGroup.addIngressRule(securityGroup, Port.allTraffic(), 'Everything between the hosts of a pair');
    this.securityGroup = securityGroup;

    const second = hasPeering ? this.ownVpc('SecondVpc', SECOND_ADDRESSES, zones) : undefined;
    const peered = second && new PeeredNetwork(this, 'Peered', { first: vpc, firstGroup: securityGroup, second });
    this.vpcIds = [vpc, second].flatMap((network) => network?.vpcId ?? []);
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
      // The restriction would deploy a custom resource, and none of our hosts is in the default group.
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
