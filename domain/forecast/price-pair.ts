/** Prices the traffic, hosts, addresses and load balancer of a pair under its conditions. */
import { sum } from '../maths/statistics';
import type { PriceSplit } from '../model/cost';
import { HOST_ROLES } from '../model/host-role';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { PlannedHost, PlannedPair } from '../model/planned-run';
import { RETENTION_DAYS, ROOT_DISK } from '../model/service-facts';
import type { ForecastInput } from './inputs';
import { DAY_SECONDS, GIGABYTE, HOUR_SECONDS, MONTH_SECONDS, s3Usd, type PriceTable } from './prices/price-table';
import { priceSplit, range, sumOfSplits, unknownWhereCharged, type Bound, type PriceRange, type Range } from './range';
import type { ObjectTraffic } from './traffic';

/** S3 deletes expired objects once a day, so an object may be kept for a day longer. */
const PAYLOAD_DAYS = { expected: RETENTION_DAYS.payload, upper: RETENTION_DAYS.payload + 1 } as const;
/** A pair is launched again if EC2 has no capacity for its second host; at most, both launches last to their limit. */
const LAUNCHES = { expected: 1, upper: 2 } as const;

/** Prices the traffic between hosts, or with `objects` to the object store. `bytes` is null if it is unknown. */
export function priceOfVolume(
  bytes: number | null,
  { pair, objects }: { readonly pair: PlannedPair; readonly objects: ObjectTraffic | undefined },
  bound: Bound,
  prices: PriceTable,
): PriceSplit {
  const volume = bytes ?? GIGABYTE;
  const price =
    objects === undefined ? priceOfTraffic(volume, pair, prices) : priceOfObjects(volume, objects, bound, prices);
  return bytes === null ? unknownWhereCharged(price) : price;
}

/** Both hosts belong to this account, which therefore pays for both directions. */
function priceOfTraffic(bytes: number, pair: PlannedPair, prices: PriceTable): PriceSplit {
  const gigabytes = bytes / GIGABYTE;
  if (pair.path === 'public') {
    // Traffic by public address costs the same within a zone and between zones, instead of the price between zones.
    return priceSplit({ publicTraffic: 2 * gigabytes * prices.publicTrafficUsdPerGigabyteEachWay });
  }
  return priceSplit({
    crossZoneTraffic: pair.zoneRelation === 'other_zone' ? 2 * gigabytes * prices.crossZoneUsdPerGigabyteEachWay : 0,
    loadBalancer: pair.path === 'nlb' ? gigabytes * prices.loadBalancerUsdPerGigabyte : 0,
  });
}

/** The gateway endpoint is free; requests and storage are charged. */
function priceOfObjects(bytes: number, objects: ObjectTraffic, bound: Bound, prices: PriceTable): PriceSplit {
  const { isUpload, flowCount, objectBytes, requestBytes } = objects;
  const requests = Math.ceil(bytes / requestBytes) + flowCount;
  const storage = {
    storedBytes: isUpload ? bytes : flowCount * objectBytes,
    months: (PAYLOAD_DAYS[bound] * DAY_SECONDS) / MONTH_SECONDS,
  };
  return priceSplit({
    s3: s3Usd({ writes: isUpload ? requests : flowCount, reads: isUpload ? 0 : requests, ...storage }, prices),
  });
}

/** Prices both hosts with their CPU credits; null if a type has no price. */
export function priceOfHosts(
  seconds: Range<number>,
  pair: PlannedPair,
  { instanceTypes, prices }: Pick<ForecastInput, 'instanceTypes' | 'prices'>,
): PriceRange {
  return range((bound) => {
    const charged = LAUNCHES[bound] * seconds[bound];
    const surplusUsd = unlimitedTypes(pair).map((type) =>
      surplusCreditsUsd(charged, instanceTypes[type], bound, prices),
    );
    return sumOfSplits([
      ...HOST_ROLES.map((role) => priceOfHost(charged, pair[`${role}Type`], pair.ends?.[role], prices)),
      priceSplit({ cpuCredits: sum(surplusUsd) }),
    ]);
  });
}

/**
 * Prices one host with its disk and public address, if any, but without CPU credits; null if its type has no price.
 * @param host if absent, the host has a public address and the service's own disk
 */
export function priceOfHost(
  seconds: number,
  type: string,
  host: PlannedHost | undefined,
  prices: PriceTable,
): PriceSplit {
  const hours = seconds / HOUR_SECONDS;
  const usdPerHour = instanceUsdPerHour(type, prices);
  const gibibytes = host?.image?.rootVolumeGibibytes ?? ROOT_DISK.gibibytes;
  const disk = (gibibytes * seconds * prices.diskUsdPerGibibyteMonth) / MONTH_SECONDS;
  return priceSplit({
    instances: usdPerHour === null ? null : hours * usdPerHour + disk,
    publicAddresses: (host?.publicAddress ?? true) ? hours * prices.publicAddressUsdPerHour : 0,
  });
}

export function instanceUsdPerHour(type: string, prices: PriceTable): number | null {
  return Object.hasOwn(prices.instanceUsdPerHour, type) ? (prices.instanceUsdPerHour[type] ?? null) : null;
}

/** A load balancer is charged by the started hour. */
export function priceOfLoadBalancer(seconds: number, pair: PlannedPair, prices: PriceTable): PriceSplit {
  const usdPerHour = pair.path === 'nlb' ? prices.loadBalancerUsdPerHour : 0;
  return priceSplit({ loadBalancer: Math.ceil(seconds / HOUR_SECONDS) * usdPerHour });
}

/** The types of hosts with `unlimited` CPU credits, once per host. */
export function unlimitedTypes(pair: PlannedPair): string[] {
  return HOST_ROLES.filter((role) => pair[`${role}CpuCredits`] === 'unlimited').map((role) => pair[`${role}Type`]);
}

/**
 * A T type with `unlimited` CPU credits may spend more than it has earned, and EC2 charges for the surplus when the
 * host is terminated (EC2 User Guide, "Unlimited mode concepts for burstable instances"). At most, every vCPU is busy
 * all the time; one is expected to be, with the tool and the interrupts of its traffic. What a host earns, 5 to 40 % of
 * each vCPU, is not deducted, because DescribeInstanceTypes does not report it.
 * @param type undefined if EC2 does not know it
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
