/** Converts EC2's descriptions of instance types, images and subnets for plans. Old types publish no bandwidth. */
import type {
  InstanceTypeInfo,
  NetworkCardInfo,
  NetworkInfo,
  Image,
  Subnet as DescribedSubnet,
} from '@aws-sdk/client-ec2';
import type { NamedImage, NamedSubnet, OfferedInstanceType } from '../../domain/plan/offer';
import { answered } from './answers';
import type { Subnet } from '../../domain/model/planned-run';

const BITS_PER_GIGABIT = 1e9;

export function instanceTypeOf(type: InstanceTypeInfo): OfferedInstanceType {
  const card = usedCard(type.NetworkInfo);
  return {
    instanceType: type.InstanceType ?? '',
    architectures: type.ProcessorInfo?.SupportedArchitectures ?? [],
    vcpuCount: type.VCpuInfo?.DefaultVCpus ?? 0,
    isBareMetal: type.BareMetal === true ? true : undefined,
    isBurstableCpu: type.BurstablePerformanceSupported === true,
    supportsClusterPlacement: type.PlacementGroupInfo?.SupportedStrategies?.includes('cluster') === true,
    supportsEnaExpress: type.NetworkInfo?.EnaSrdSupported === true,
    hypervisor: type.Hypervisor,
    baselineBitsPerSecond: bitsPerSecond(card?.BaselineBandwidthInGbps),
    peakBitsPerSecond: bitsPerSecond(card?.PeakBandwidthInGbps),
    networkPerformance: card?.NetworkPerformance ?? type.NetworkInfo?.NetworkPerformance,
  };
}

/** A host's one interface uses the default network card; other cards carry none of its traffic (EC2 user guide). */
function usedCard(network: NetworkInfo | undefined): NetworkCardInfo | undefined {
  const { DefaultNetworkCardIndex: used = 0, NetworkCards: cards = [] } = network ?? {};
  return cards.find(({ NetworkCardIndex: index = 0 }) => index === used);
}

function bitsPerSecond(gigabits: number | undefined): number | undefined {
  return gigabits === undefined ? undefined : Math.round(gigabits * BITS_PER_GIGABIT);
}

export function namedImageOf(image: Image): NamedImage {
  const imageId = answered(image.ImageId, 'DescribeImages.ImageId');
  const rootDeviceName = answered(image.RootDeviceName, `RootDeviceName of image ${imageId}`);
  const root = image.BlockDeviceMappings?.find(({ DeviceName }) => DeviceName === rootDeviceName);
  return {
    imageId,
    name: image.Name ?? imageId,
    architecture: answered(image.Architecture, `Architecture of image ${imageId}`),
    state: answered(image.State, `State of image ${imageId}`),
    // EC2 states a platform only for Windows.
    isWindows: image.Platform !== undefined,
    rootDeviceName,
    rootVolumeGibibytes: root?.Ebs?.VolumeSize,
  };
}

/** @param described EC2's description of this subnet, if there is one */
export function subnetOf(subnetId: string, described: DescribedSubnet | undefined): Subnet {
  return {
    subnetId,
    zone: answered(described?.AvailabilityZone, `AvailabilityZone of subnet ${subnetId}`),
    zoneId: answered(described?.AvailabilityZoneId, `AvailabilityZoneId of subnet ${subnetId}`),
    vpcId: answered(described?.VpcId, `VpcId of subnet ${subnetId}`),
  };
}

export function namedSubnetOf(described: DescribedSubnet): NamedSubnet {
  const subnetId = answered(described.SubnetId, 'DescribeSubnets.SubnetId');
  return {
    ...subnetOf(subnetId, described),
    state: answered(described.State, `State of subnet ${subnetId}`),
    availableAddressCount: answered(described.AvailableIpAddressCount, `AvailableIpAddressCount of subnet ${subnetId}`),
  };
}
