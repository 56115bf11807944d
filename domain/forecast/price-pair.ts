/** What the traffic, hosts, addresses and load balancer of a pair cost under its conditions. */
import { sum } from '../maths/statistics';
import type { PriceSplit } from '../model/cost';
import type { PlannedHost, PlannedPair } from '../model/planned-run';
import { RETENTION_DAYS, ROOT_DISK } from '../model/service-facts';
import { surplusCreditsUsd, unlimitedTypes } from './cpu-credits';
import type { ForecastInput } from './inputs';
import { DAY_SECONDS, GIGABYTE, HOUR_SECONDS, MONTH_SECONDS, s3Usd, type PriceTable } from './prices/price-table';
import { priceSplit, sumOfSplits, type PriceRange } from './prices/price-split';
import { range, type Bound, type Range } from './range';
import type { ObjectTraffic } from './traffic';

/** S3 deletes what has expired once a day, so that an object may be kept for a day longer. */
const PAYLOAD_DAYS = { expected: RETENTION_DAYS.payload, upper: RETENTION_DAYS.payload + 1 } as const;
/** A pair is launched again without capacity for its second host; at most, both launches last to their limit. */
const LAUNCHES = { expected: 1, upper: 2 } as const;

/** Traffic between the hosts. Both of them belong to this account, so that it pays for both directions. */
export function priceOfTraffic(bytes: number, pair: PlannedPair, prices: PriceTable): PriceSplit {
  const gigabytes = bytes / GIGABYTE;
  if (pair.path === 'public') {
    // The charge for public addresses is the same within a zone and between zones, and replaces that between zones.
    return priceSplit({ publicTraffic: 2 * gigabytes * prices.publicTrafficUsdPerGigabyteEachWay });
  }
  return priceSplit({
    crossZoneTraffic: pair.zoneRelation === 'other_zone' ? 2 * gigabytes * prices.crossZoneUsdPerGigabyteEachWay : 0,
    loadBalancer: pair.path === 'nlb' ? gigabytes * prices.loadBalancerUsdPerGigabyte : 0,
  });
}

/** Traffic to or from the object store. The gateway endpoint is free; requests and storage are charged. */
export function priceOfObjects(bytes: number, objects: ObjectTraffic, bound: Bound, prices: PriceTable): PriceSplit {
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

/** Both hosts with their CPU credits; null where a type has no price. */
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
      priceOfHost(charged, pair.clientType, pair.ends?.client, prices),
      priceOfHost(charged, pair.serverType, pair.ends?.server, prices),
      priceSplit({ cpuCredits: sum(surplusUsd) }),
    ]);
  });
}

/**
 * One host with its disk and, if it has one, its public address, without its CPU credits; null where its type has no price.
 *
 * @param end absent: with an address and the service's own disk
 */
export function priceOfHost(
  seconds: number,
  type: string,
  end: PlannedHost | undefined,
  prices: PriceTable,
): PriceSplit {
  const hours = seconds / HOUR_SECONDS;
  const usdPerHour = instanceUsdPerHour(type, prices);
  const gibibytes = end?.image?.rootVolumeGibibytes ?? ROOT_DISK.gibibytes;
  const disk = (gibibytes * seconds * prices.diskUsdPerGibibyteMonth) / MONTH_SECONDS;
  return priceSplit({
    instances: usdPerHour === null ? null : hours * usdPerHour + disk,
    publicAddresses: (end?.publicAddress ?? true) ? hours * prices.publicAddressUsdPerHour : 0,
  });
}

/** A load balancer is charged by the started hour. */
export function priceOfLoadBalancer(seconds: Range<number>, pair: PlannedPair, prices: PriceTable): PriceRange {
  const usdPerHour = pair.path === 'nlb' ? prices.loadBalancerUsdPerHour : 0;
  return range((bound) => priceSplit({ loadBalancer: Math.ceil(seconds[bound] / HOUR_SECONDS) * usdPerHour }));
}

export function instanceUsdPerHour(type: string, prices: PriceTable): number | null {
  return Object.hasOwn(prices.instanceUsdPerHour, type) ? (prices.instanceUsdPerHour[type] ?? null) : null;
}
