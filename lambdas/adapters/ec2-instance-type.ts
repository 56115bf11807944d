/** Translates what DescribeInstanceTypes answers. Old types publish no bandwidth, which stays undefined. */
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { OfferedInstanceType } from '../../domain/plan/offered-instance-type';

const BITS_PER_GIGABIT = 1e9;

export function instanceTypeOf(type: InstanceTypeInfo): OfferedInstanceType {
  const cards = type.NetworkInfo?.NetworkCards ?? [];
  return {
    instanceType: type.InstanceType ?? '',
    architectures: type.ProcessorInfo?.SupportedArchitectures ?? [],
    vcpuCount: type.VCpuInfo?.DefaultVCpus ?? 0,
    isBareMetal: type.BareMetal === true ? true : undefined,
    isBurstableCpu: type.BurstablePerformanceSupported === true,
    supportsClusterPlacement: type.PlacementGroupInfo?.SupportedStrategies?.includes('cluster') === true,
    supportsEnaExpress: type.NetworkInfo?.EnaSrdSupported === true,
    hypervisor: type.Hypervisor,
    baselineBitsPerSecond: sumOfAll(cards.map((card) => card.BaselineBandwidthInGbps)),
    peakBitsPerSecond: sumOfAll(cards.map((card) => card.PeakBandwidthInGbps)),
    networkPerformance: type.NetworkInfo?.NetworkPerformance,
  };
}

/** Figures are published per network card. If one card has none, the sum is unknown. */
function sumOfAll(gigabits: readonly (number | undefined)[]): number | undefined {
  const known = gigabits.filter((value) => value !== undefined);
  if (known.length === 0 || known.length < gigabits.length) return undefined;
  return Math.round(known.reduce((sum, value) => sum + value, 0) * BITS_PER_GIGABIT);
}
