/** DescribeInstanceTypes' answer in our words: absent stays absent, old types publish no bandwidth figures. */
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
    ...(type.Hypervisor === undefined ? {} : { hypervisor: type.Hypervisor }),
    ...(baseline === undefined ? {} : { baselineBitsPerSecond: baseline }),
    ...(peak === undefined ? {} : { peakBitsPerSecond: peak }),
    ...(type.NetworkInfo?.NetworkPerformance === undefined
      ? {}
      : { networkPerformance: type.NetworkInfo.NetworkPerformance }),
  };
}

/** The published figures are per card; a card without one makes the sum unknown. */
function sumOfAll(gigabits: readonly (number | undefined)[]): number | undefined {
  if (gigabits.length === 0) return undefined;
  let sum = 0;
  for (const value of gigabits) {
    if (value === undefined) return undefined;
    sum += value;
  }
  return Math.round(sum * BITS_PER_GIGABIT);
}
