import { Fn, Validations } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc } from 'aws-cdk-lib/aws-ec2';
import { GatewayVpcEndpointAwsService, Port, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import type { ExistingNetwork } from '../context';

export interface TestNetworkProps {
  readonly zoneCount: number;
  /** @default a network of its own over `zoneCount` zones */
  readonly existingNetwork?: ExistingNetwork;
}

/**
 * Where the hosts stand: public subnets only, because a NAT gateway would cost by the gigabyte and be part of nothing
 * that is measured; S3 is reached through its free endpoint.
 */
export class TestNetwork extends Construct {
  readonly subnetIds: readonly string[];
  /** Of the second network; empty without one. */
  readonly peeredSubnetIds: readonly string[] = [];
  readonly securityGroup: ISecurityGroup;

  constructor(scope: Construct, id: string, props: TestNetworkProps) {
    super(scope, id);
    const vpc =
      props.existingNetwork === undefined ? this.ownVpc(props.zoneCount) : this.existingVpc(props.existingNetwork);
    this.subnetIds = props.existingNetwork?.subnetIds ?? vpc.publicSubnets.map((subnet) => subnet.subnetId);

    this.securityGroup = new SecurityGroup(this, 'HostSecurityGroup', {
      vpc,
      description: 'Hosts of network-benchmark: they admit nobody but each other',
      // Ubuntu's archive, Systems Manager and S3 have no addresses that a rule could name.
      allowAllOutbound: true,
    });
    this.securityGroup.addIngressRule(this.securityGroup, Port.allTraffic(), 'Everything between the hosts of a pair');
  }

  private ownVpc(zoneCount: number): IVpc {
    const vpc = new Vpc(this, 'Vpc', {
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
        "Flow logs of a bandwidth test would record the same two addresses at great volume; who may talk to whom is one security group rule, and every host is in the run's own records",
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
