/** What the traffic, hosts, addresses and load balancer of a pair cost under its conditions. */
import type { PlannedPair } from '../model/planned-run';
import { RETENTION_DAYS, ROOT_DISK } from '../model/service-facts';
import { DAY_SECONDS, GIGABYTE, HOUR_SECONDS, MONTH_SECONDS, type PriceTable } from './prices/price-table';
import { priceSplit, type PriceRange, type PriceSplit } from './prices/price-split';
import type { ObjectTraffic } from './traffic';

/** S3 deletes what has expired once a day, so that an object may be kept for a day longer. */
const PAYLOAD_DAYS = { expected: RETENTION_DAYS.payload, upper: RETENTION_DAYS.payload + 1 } as const;

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
export function priceOfObjects(
  bytes: number,
  flowCount: number,
  objects: ObjectTraffic,
  bound: 'expected' | 'upper',
  prices: PriceTable,
): PriceSplit {
  const requests = Math.ceil(bytes / objects.requestBytes) + flowCount;
  const storedBytes = objects.isUpload ? bytes : flowCount * objects.objectBytes;
  const writes = objects.isUpload ? requests : flowCount;
  const reads = objects.isUpload ? 0 : requests;
  const months = (PAYLOAD_DAYS[bound] * DAY_SECONDS) / MONTH_SECONDS;
  return priceSplit({
    s3:
      (writes / 1000) * prices.s3UsdPerThousandWrites +
      (reads / 1000) * prices.s3UsdPerThousandReads +
      (storedBytes / GIGABYTE) * months * prices.s3UsdPerGigabyteMonth,
  });
}

/** Both hosts with their disks and public addresses; null where a type has no price. */
export function priceOfHosts(seconds: number, pair: PlannedPair, prices: PriceTable): PriceSplit {
  const hours = seconds / HOUR_SECONDS;
  const disks = (2 * ROOT_DISK.gibibytes * seconds * prices.diskUsdPerGibibyteMonth) / MONTH_SECONDS;
  const clientUsdPerHour = instanceUsdPerHour(pair.clientType, prices);
  const serverUsdPerHour = instanceUsdPerHour(pair.serverType, prices);
  return priceSplit({
    instances:
      clientUsdPerHour === null || serverUsdPerHour === null
        ? null
        : hours * (clientUsdPerHour + serverUsdPerHour) + disks,
    publicAddresses: 2 * hours * prices.publicAddressUsdPerHour,
  });
}

/** A load balancer is charged by the started hour. */
export function priceOfLoadBalancer(seconds: number, pair: PlannedPair, prices: PriceTable): PriceSplit {
  if (pair.path !== 'nlb') return priceSplit({});
  return priceSplit({ loadBalancer: Math.ceil(seconds / HOUR_SECONDS) * prices.loadBalancerUsdPerHour });
}

export function instanceUsdPerHour(type: string, prices: PriceTable): number | null {
  if (!Object.hasOwn(prices.instanceUsdPerHour, type)) return null;
  return prices.instanceUsdPerHour[type] ?? null;
}

/**
 * A pair is launched again when there is no capacity for its second host; at most, both launches last to their limit.
 */
export const LAUNCHES_AT_MOST = 2;

export function range(priceOf: (bound: 'expected' | 'upper') => PriceSplit): PriceRange {
  return { expected: priceOf('expected'), upper: priceOf('upper') };
}
