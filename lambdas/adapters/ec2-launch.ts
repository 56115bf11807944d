/**
 * EC2: launches hosts and creates their placement groups. The SDK does not retry these calls, because launch-pair does.
 * The SDK would also retry a refusal for lack of capacity, which EC2 reports as a 5xx.
 */
import {
  CreatePlacementGroupCommand,
  EC2Client,
  RunInstancesCommand,
  type _InstanceType,
  type PlacementStrategy,
} from '@aws-sdk/client-ec2';
import type { CpuCredits } from '../../domain/model/conditions';
import { ROOT_DISK } from '../../domain/model/service-facts';
import type { DecidedErrorName } from '../errors/aws-errors';
import { answered, withExpectedErrors, REPEATED_BY_CALLER } from './answers';
import { awsTags, type Tags } from './ec2-tags';

const client = new EC2Client(REPEATED_BY_CALLER);

export interface RunHostRequest {
  /** EC2's idempotency token of at most 64 characters; the same token returns the same host. */
  readonly clientToken: string;
  readonly launchTemplateId: string;
  readonly instanceType: string;
  readonly imageId: string;
  readonly subnetId: string;
  readonly securityGroupIds: readonly string[];
  readonly hasPublicAddress: boolean;
  readonly rootDisk: { readonly deviceName: string; readonly gibibytes: number };
  readonly enaExpress?: { readonly udp: boolean };
  /** How long the security group tracks an idle TCP connection. @default EC2's own time for the type */
  readonly idleTcpConnectionSeconds?: number;
  readonly placementGroupName?: string;
  /** Always set for T types, because an account may have changed EC2's default. EC2 refuses it for other types. */
  readonly cpuCredits?: CpuCredits;
  readonly tags: Tags;
}

export interface RunHostReply {
  readonly instanceId: string;
  readonly zone: string;
  readonly privateIp: string;
  readonly launchedAt?: string;
}

/** @throws EC2's own error with its code as `name`, or an error named `TerminatedHost` */
export async function runHost(request: RunHostRequest): Promise<RunHostReply> {
  const { idleTcpConnectionSeconds, enaExpress, placementGroupName } = request;
  const tags = awsTags(request.tags);
  const { Instances } = await client.send(
    new RunInstancesCommand({
      ClientToken: request.clientToken,
      MinCount: 1,
      MaxCount: 1,
      // CloudFormation adds a version to a template that it updates, but the default version stays the first one.
      LaunchTemplate: { LaunchTemplateId: request.launchTemplateId, Version: '$Latest' },
      InstanceType: request.instanceType as _InstanceType,
      ImageId: request.imageId,
      // EC2 refuses a subnet or groups at the top level of a request that has an interface specification.
      NetworkInterfaces: [
        {
          DeviceIndex: 0,
          SubnetId: request.subnetId,
          Groups: [...request.securityGroupIds],
          AssociatePublicIpAddress: request.hasPublicAddress,
          DeleteOnTermination: true,
          ConnectionTrackingSpecification:
            idleTcpConnectionSeconds === undefined ? undefined : { TcpEstablishedTimeout: idleTcpConnectionSeconds },
          EnaSrdSpecification: enaExpress && {
            EnaSrdEnabled: true,
            EnaSrdUdpSpecification: { EnaSrdUdpEnabled: enaExpress.udp },
          },
        },
      ],
      // The launch template can't set this, because the device name depends on the image.
      BlockDeviceMappings: [
        {
          DeviceName: request.rootDisk.deviceName,
          Ebs: {
            VolumeType: ROOT_DISK.volumeType,
            VolumeSize: request.rootDisk.gibibytes,
            Encrypted: true,
            DeleteOnTermination: true,
          },
        },
      ],
      Placement: placementGroupName === undefined ? undefined : { GroupName: placementGroupName },
      CreditSpecification: request.cpuCredits && { CpuCredits: request.cpuCredits },
      TagSpecifications: [
        { ResourceType: 'instance', Tags: tags },
        { ResourceType: 'volume', Tags: tags },
        { ResourceType: 'network-interface', Tags: tags },
      ],
    }),
  );
  const instance = answered(Instances?.[0], 'RunInstances.Instances');
  const instanceId = answered(instance.InstanceId, 'RunInstances.InstanceId');
  const state = instance.State?.Name;
  // The token of a host that has since been terminated returns that host again, so this attempt is used up.
  if (state === 'shutting-down' || state === 'terminated') {
    throw Object.assign(new Error(`${instanceId} is ${state}`), {
      name: 'TerminatedHost' satisfies DecidedErrorName,
    });
  }
  return {
    instanceId,
    zone: answered(instance.Placement?.AvailabilityZone, 'RunInstances.AvailabilityZone'),
    privateIp: answered(
      instance.PrivateIpAddress ?? instance.NetworkInterfaces?.[0]?.PrivateIpAddress,
      'RunInstances.PrivateIpAddress',
    ),
    launchedAt: instance.LaunchTime?.toISOString(),
  };
}

/** Creates a placement group. One that an earlier attempt has already created is not an error. */
export async function createPlacementGroup(name: string, strategy: PlacementStrategy, tags: Tags): Promise<void> {
  const created = client.send(
    new CreatePlacementGroupCommand({
      GroupName: name,
      Strategy: strategy,
      TagSpecifications: [{ ResourceType: 'placement-group', Tags: awsTags(tags) }],
    }),
  );
  await withExpectedErrors(created, { 'InvalidPlacementGroup.Duplicate': undefined });
}
