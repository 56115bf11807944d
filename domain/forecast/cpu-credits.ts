/**
 * The price of surplus CPU credits. A T type with `unlimited` credits spends what it has not earned, and EC2 charges
 * for the rest when the host is terminated (EC2 User Guide, "Unlimited mode concepts for burstable instances"). What a
 * host earns in its lifetime is not deducted, because DescribeInstanceTypes does not report it: 5 to 40 % of each vCPU.
 */
import type { InstanceTypeFacts } from '../model/instance-type';
import type { PlannedPair } from '../model/planned-run';
import type { Bound } from './range';
import { HOUR_SECONDS, type PriceTable } from './prices/price-table';

/** The types of the hosts that have `unlimited` credits: one for each such host. */
export function unlimitedTypes(pair: PlannedPair): string[] {
  return (['client', 'server'] as const)
    .filter((role) => pair[`${role}CpuCredits`] === 'unlimited')
    .map((role) => pair[`${role}Type`]);
}

/**
 * At most, every vCPU of a host with `unlimited` credits is busy all the time. One is expected to be, with the tool and
 * the interrupts of its traffic.
 *
 * @param type undefined where EC2 does not know it
 */
export function surplusCreditsUsd(
  seconds: number,
  type: InstanceTypeFacts | undefined,
  bound: Bound,
  prices: PriceTable,
): number {
  if (type === undefined) return 0;
  const busyVcpus = bound === 'upper' ? type.vcpuCount : 1;
  const usdPerVcpuHour =
    type.architecture === 'arm64' ? prices.cpuCreditsArmUsdPerVcpuHour : prices.cpuCreditsUsdPerVcpuHour;
  return (seconds / HOUR_SECONDS) * busyVcpus * usdPerVcpuHour;
}
