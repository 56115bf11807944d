import { Fn, Validations } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc } from 'aws-cdk-lib/aws-ec2';
import { GatewayVpcEndpointAwsService, IpAddresses, Port, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import type { ExistingNetwork } from '../context';
import { PeeredNetwork } from './peered-network';

export interface TestNetworkProps {
  readonly zoneCount: number;
  /** @default a network of its own over `zoneCount` zones */
  readonly existingNetwork?: ExistingNetwork;
  /** Whether there is a second network, peered with the first; only with a network of its own. */
  readonly hasPeering: boolean;
}

const FIRST_ADDRESSES = '10.0.0.0/16';
/** Beside the first: networks whose addresses overlap can't be peered. */
const SECOND_ADDRESSES = '10.1.0.0/16';

/**
 * Where the hosts stand: public subnets only, because a NAT gateway would cost by the gigabyte and be part of nothing
 * that is measured; S3 is reached through its free endpoint.
 */
export class TestNetwork extends Construct {
  readonly vpcId: string;
  readonly subnetIds: readonly string[];
  readonly securityGroup: ISecurityGroup;
  /** Of the second network; empty without one. */
  readonly peeredSubnetIds: readonly string[];
  readonly peeredSecurityGroup?: ISecurityGroup;

  constructor(scope: Construct, id: string, props: TestNetworkProps) {
    super(scope, id);
    const own = props.existingNetwork === undefined ? this.ownVpc('Vpc', FIRST_ADDRESSES, props.zoneCount) : undefined;
    const vpc = own ?? this.existingVpc(props.existingNetwork!);
    this.vpcId = vpc.vpcId;
    this.subnetIds = props.existingNetwork?.subnetIds ?? vpc.publicSubnets.map((subnet) => subnet.subnetId);

    const securityGroup = new SecurityGroup(this, 'HostSecurityGroup', {
      vpc,
      description: 'Hosts of network-benchmark: they admit nobody but each other',
      // Ubuntu's archive, Systems Manager and S3 have no addresses that a rule could name.
      allowAllOutbound: true,
    });
    securityGroup.addIngressRule(securityGroup, Port.allTraffic(), 'Everything between the hosts of a pair');
    this.securityGroup = securityGroup;

    const peered =
      own === undefined || !props.hasPeering
        ? undefined
        : new PeeredNetwork(this, 'Peered', {
            first: own,
            firstGroup: securityGroup,
            second: this.ownVpc('SecondVpc', SECOND_ADDRESSES, props.zoneCount),
          });
    this.peeredSubnetIds = peered?.subnetIds ?? [];
    this.peeredSecurityGroup = peered?.securityGroup;
  }

  private ownVpc(id: string, addresses: string, zoneCount: number): Vpc {
    const vpc = new Vpc(this, id, {
      ipAddresses: IpAddresses.cidr(addresses),
      // Without account and region the CDK would take two zones; this asks at deployment.
      availabilityZones: Array.from({ length: zoneCount }, (_, index) => Fn.select(index, Fn.getAzs())),
      subnetConfiguration: [{ name: 'Hosts', subnetType: SubnetType.PUBLIC }],
      natGateways: 0,
      gatewayEndpoints: { S3: { service: GatewayVpcEndpointAwsService.S3 } },
      // Would need a custom resource; nothing of ours is ever in the default group.
      restrictDefaultSecurityGroup: false,
    });
    Validations.of(vpc).acknowledge({
      id: 'AwsSolutions-VPC7',
      reason:
        "Flow logs of a bandwidth test would record the same two addresses at great volume; who may talk to whom is a security group rule or two, and every host is in the run's own records",
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
