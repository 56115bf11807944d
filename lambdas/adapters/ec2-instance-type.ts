/** Translates what DescribeInstanceTypes answers. Old types publish no bandwidth, which stays undefined. */
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { OfferedInstanceType } from '../../domain/plan/offered-instance-type';

const BITS_PER_GIGABIT = 1e9;

export function instanceTypeOf(type: InstanceTypeInfo): OfferedInstanceType {
  const cards = type.NetworkInfo?.NetworkCards ?? [];
  const baseline = sumOfAll(cards.map((card) => card.BaselineBandwidthInGbps));
  const peak = sumOfAll(cards.map((card) => card.PeakBandwidthInGbps));
  return {
    instanceType: type.InstanceType ?? '',
    architectures: type.ProcessorInfo?.SupportedArchitectures ?? [],
    vcpuCount: type.VCpuInfo?.DefaultVCpus ?? 0,
    isBurstableCpu: type.BurstablePerformanceSupported === true,
    supportsClusterPlacement: type.PlacementGroupInfo?.SupportedStrategies?.includes('cluster') === true,
    supportsEnaExpress: type.NetworkInfo?.EnaSrdSupported === true,
    hypervisor: type.Hypervisor,
    baselineBitsPerSecond: baseline,
    peakBitsPerSecond: peak,
    networkPerformance: type.NetworkInfo?.NetworkPerformance,
  };
}

/** Figures are published per network card. If one card has none, the sum is unknown. */
function sumOfAll(gigabits: readonly (number | undefined)[]): number | undefined {
  if (gigabits.length === 0) return undefined;
  let sum = 0;
  for (const value of gigabits) {
    if (value === undefined) return undefined;
    sum += value;
  }
  return Math.round(sum * BITS_PER_GIGABIT);
}
