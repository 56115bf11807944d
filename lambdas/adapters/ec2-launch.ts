/**
 * EC2: launching hosts and the placement groups that they go into. The SDK sends one request per call, because
 * launch-pair repeats them itself. It would repeat a refusal for want of capacity, too, which EC2 answers with a 5xx.
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
  /** At most 64 characters. The same token gives the same host again. */
  readonly clientToken: string;
  readonly launchTemplateId: string;
  readonly instanceType: string;
  readonly imageId: string;
  readonly subnetId: string;
  readonly securityGroupIds: readonly string[];
  readonly hasPublicAddress: boolean;
  readonly rootDisk: { readonly deviceName: string; readonly gibibytes: number };
  /** Switches ENA Express on for this interface. */
  readonly enaExpress?: { readonly udp: boolean };
  /** For how long the security group remembers an idle TCP connection; undefined for EC2's own time for the type. */
  readonly idleTcpConnectionSeconds?: number;
  readonly placementGroupName?: string;
  /** Always given for a T type, because an account may have changed EC2's default; EC2 refuses it for the others. */
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
      // CloudFormation only adds versions to a template that it updates: the default version stays the first one.
      LaunchTemplate: { LaunchTemplateId: request.launchTemplateId, Version: '$Latest' },
      InstanceType: request.instanceType as _InstanceType,
      ImageId: request.imageId,
      // Subnet and groups stand here and not at the top, because EC2 refuses both beside an interface specification.
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
      // Not in the launch template, because the device has the name that the image gives it.
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
  // The token of a host that was terminated meanwhile gives that host again, so this attempt is used up.
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

/** A group that an earlier attempt has created already is not an error. */
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
