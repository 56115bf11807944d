/** EC2: hosts and their placement groups, found by tag, never by remembered id. */
import {
  CreatePlacementGroupCommand,
  DeletePlacementGroupCommand,
  DescribePlacementGroupsCommand,
  EC2Client,
  paginateDescribeInstances,
  RunInstancesCommand,
  TerminateInstancesCommand,
  type _InstanceType,
  type InstanceStateName,
  type PlacementStrategy,
} from '@aws-sdk/client-ec2';
import { awsTags, ec2ErrorCode, plainTags, tagFilters, type Tags } from './ec2-tags';

/** RunInstances answers "no capacity" with a 5xx, which the SDK would retry at length; the caller has better ideas. */
const client = new EC2Client({ maxAttempts: 4 });

export interface RunHostRequest {
  /** At most 64 characters; the same token gives the same host again. */
  readonly clientToken: string;
  readonly launchTemplateId: string;
  readonly instanceType: string;
  readonly imageId: string;
  readonly subnetId: string;
  readonly securityGroupIds: readonly string[];
  /** ENA Express on this interface; absent: off. */
  readonly enaExpress?: { readonly udp: boolean };
  /** For how long an idle TCP connection is remembered by the security group; absent: as EC2 has it for the type. */
  readonly idleTcpConnectionSeconds?: number;
  readonly placementGroupName?: string;
  /** CPU credits of a T type: `standard`, because `unlimited` costs money without a word. */
  readonly isBurstableCpu: boolean;
  readonly tags: Tags;
}

export interface RunHostReply {
  readonly instanceId: string;
  readonly zone: string;
  readonly privateIp: string;
}

/** @throws EC2's own error, its code in `name`, or one named `TerminatedHost` */
export async function runHost(request: RunHostRequest): Promise<RunHostReply> {
  const tags = awsTags(request.tags);
  const { Instances } = await client.send(
    new RunInstancesCommand({
      ClientToken: request.clientToken,
      MinCount: 1,
      MaxCount: 1,
      // The default version stays the first one: CloudFormation adds versions to a template that it updates, and no more.
      LaunchTemplate: { LaunchTemplateId: request.launchTemplateId, Version: '$Latest' },
      InstanceType: request.instanceType as _InstanceType,
      ImageId: request.imageId,
      // Subnet and groups stand here and not at the top: EC2 refuses both beside an interface specification.
      NetworkInterfaces: [
        {
          DeviceIndex: 0,
          SubnetId: request.subnetId,
          Groups: [...request.securityGroupIds],
          AssociatePublicIpAddress: true,
          DeleteOnTermination: true,
          ...(request.idleTcpConnectionSeconds === undefined
            ? {}
            : { ConnectionTrackingSpecification: { TcpEstablishedTimeout: request.idleTcpConnectionSeconds } }),
          ...(request.enaExpress === undefined
            ? {}
            : {
                EnaSrdSpecification: {
                  EnaSrdEnabled: true,
                  EnaSrdUdpSpecification: { EnaSrdUdpEnabled: request.enaExpress.udp },
                },
              }),
        },
      ],
      ...(request.placementGroupName === undefined ? {} : { Placement: { GroupName: request.placementGroupName } }),
      ...(request.isBurstableCpu ? { CreditSpecification: { CpuCredits: 'standard' } } : {}),
      TagSpecifications: [
        { ResourceType: 'instance', Tags: tags },
        { ResourceType: 'volume', Tags: tags },
        { ResourceType: 'network-interface', Tags: tags },
      ],
    }),
  );
  const instance = Instances?.[0];
  const state = instance?.State?.Name;
  // A token whose host was terminated meanwhile gives that host again: this attempt is used up.
  if (state === 'shutting-down' || state === 'terminated') {
    throw Object.assign(new Error(`${instance?.InstanceId} is ${state}`), { name: 'TerminatedHost' });
  }
  const zone = instance?.Placement?.AvailabilityZone;
  const privateIp = instance?.PrivateIpAddress ?? instance?.NetworkInterfaces?.[0]?.PrivateIpAddress;
  if (instance?.InstanceId === undefined || zone === undefined || privateIp === undefined) {
    throw new Error(`RunInstances: must answer with id, zone and private address, got ${JSON.stringify(Instances)}`);
  }
  return { instanceId: instance.InstanceId, zone, privateIp };
}

/** Creating a group that is there already, from an earlier attempt of ours, is not an error. */
export async function createPlacementGroup(name: string, strategy: PlacementStrategy, tags: Tags): Promise<void> {
  try {
    await client.send(
      new CreatePlacementGroupCommand({
        GroupName: name,
        Strategy: strategy,
        TagSpecifications: [{ ResourceType: 'placement-group', Tags: awsTags(tags) }],
      }),
    );
  } catch (error) {
    if (ec2ErrorCode(error) !== 'InvalidPlacementGroup.Duplicate') throw error;
  }
}

export interface TaggedPlacementGroup {
  readonly name: string;
  readonly tags: Tags;
}

export async function findPlacementGroups(tags: Tags): Promise<TaggedPlacementGroup[]> {
  const { PlacementGroups } = await client.send(new DescribePlacementGroupsCommand({ Filters: tagFilters(tags) }));
  return (PlacementGroups ?? [])
    .filter((group) => group.State !== 'deleted' && group.State !== 'deleting')
    .map((group) => ({ name: group.GroupName!, tags: plainTags(group.Tags) }));
}

/** @returns false while hosts are still in it; a group that is gone already counts as deleted */
export async function deletePlacementGroup(name: string): Promise<boolean> {
  try {
    await client.send(new DeletePlacementGroupCommand({ GroupName: name }));
    return true;
  } catch (error) {
    if (ec2ErrorCode(error) === 'InvalidPlacementGroup.Unknown') return true;
    if (ec2ErrorCode(error) === 'InvalidPlacementGroup.InUse') return false;
    throw error;
  }
}

export interface TaggedHost {
  readonly instanceId: string;
  readonly state: InstanceStateName;
  readonly tags: Tags;
}

/** Hosts with all of these tags that are not terminated; one that is shutting down is still there. */
export async function findHosts(tags: Tags): Promise<TaggedHost[]> {
  const hosts: TaggedHost[] = [];
  const states: InstanceStateName[] = ['pending', 'running', 'shutting-down', 'stopping', 'stopped'];
  const filters = [...tagFilters(tags), { Name: 'instance-state-name', Values: states as string[] }];
  for await (const page of paginateDescribeInstances({ client }, { Filters: filters })) {
    for (const instance of (page.Reservations ?? []).flatMap((reservation) => reservation.Instances ?? [])) {
      hosts.push({
        instanceId: instance.InstanceId!,
        state: instance.State?.Name ?? 'pending',
        tags: plainTags(instance.Tags),
      });
    }
  }
  return hosts;
}

/** Terminating twice is not an error; an id that EC2 has forgotten is terminated. */
export async function terminateHosts(instanceIds: readonly string[]): Promise<void> {
  if (instanceIds.length === 0) return;
  try {
    await client.send(new TerminateInstancesCommand({ InstanceIds: [...instanceIds] }));
  } catch (error) {
    if (ec2ErrorCode(error) !== 'InvalidInstanceID.NotFound') throw error;
    // EC2 refuses the whole list for one unknown id.
    if (instanceIds.length > 1) for (const instanceId of instanceIds) await terminateHosts([instanceId]);
  }
}
