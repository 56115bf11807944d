/** Translates what DescribeInstanceTypes answers. Old types publish no bandwidth, which stays undefined. */
import type { InstanceTypeInfo, NetworkCardInfo, NetworkInfo } from '@aws-sdk/client-ec2';
import type { OfferedInstanceType } from '../../domain/plan/offered-instance-type';

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

/**
 * The network card of a host with one interface, which EC2 attaches to the default card. Other cards carry none of its
 * traffic: c6in.32xlarge has two of 200 Gbit/s (EC2 user guide, "Network cards").
 */
function usedCard(network: NetworkInfo | undefined): NetworkCardInfo | undefined {
  const { DefaultNetworkCardIndex: used = 0, NetworkCards: cards = [] } = network ?? {};
  return cards.find(({ NetworkCardIndex: index = 0 }) => index === used);
}

function bitsPerSecond(gigabits: number | undefined): number | undefined {
  return gigabits === undefined ? undefined : Math.round(gigabits * BITS_PER_GIGABIT);
}
