/** What a pair's traffic, hosts, addresses and load balancer cost, by the pair's own conditions. */
import { GIGABYTE, type PriceTable } from './prices/price-table';
import { priceSplit, type PriceRange, type PriceSplit } from './prices/price-split';
import type { ForecastPair } from './inputs';
import type { ObjectTraffic } from './traffic';

const HOUR_SECONDS = 3600;
const MONTH_SECONDS = 730 * HOUR_SECONDS;
const DAY_SECONDS = 86_400;

/** Root disk of each host. */
const DISK_GIBIBYTES = 10;
/** Payload is deleted after a day; the deletion runs once a day. */
const PAYLOAD_DAYS = { expected: 1, upper: 2 } as const;

/** Traffic between the hosts; both ends are ours, so that both pay. */
export function priceOfTraffic(bytes: number, pair: ForecastPair, prices: PriceTable): PriceSplit {
  const gigabytes = bytes / GIGABYTE;
  if (pair.path === 'public') {
    // Asked for once, in the same zone as between zones.
    return priceSplit({ publicTraffic: 2 * gigabytes * prices.publicTrafficUsdPerGigabyteEachWay });
  }
  return priceSplit({
    crossZoneTraffic: pair.zoneRelation === 'other_zone' ? 2 * gigabytes * prices.crossZoneUsdPerGigabyteEachWay : 0,
    loadBalancer: pair.path === 'nlb' ? gigabytes * prices.loadBalancerUsdPerGigabyte : 0,
  });
}

/** Traffic to or from the object store: free through the gateway endpoint, but for requests and storage. */
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
export function priceOfHosts(seconds: number, pair: ForecastPair, prices: PriceTable): PriceSplit {
  const hours = seconds / HOUR_SECONDS;
  const disks = (2 * DISK_GIBIBYTES * seconds * prices.diskUsdPerGibibyteMonth) / MONTH_SECONDS;
  const hourly = [pair.clientType, pair.serverType].map((type) => instanceUsdPerHour(type, prices));
  return priceSplit({
    instances: hourly.includes(null) ? null : hours * (hourly[0]! + hourly[1]!) + disks,
    publicAddresses: 2 * hours * prices.publicAddressUsdPerHour,
  });
}

/** By the started hour. */
export function priceOfLoadBalancer(seconds: number, pair: ForecastPair, prices: PriceTable): PriceSplit {
  if (pair.path !== 'nlb') return priceSplit({});
  return priceSplit({ loadBalancer: Math.ceil(seconds / HOUR_SECONDS) * prices.loadBalancerUsdPerHour });
}

export function instanceUsdPerHour(type: string, prices: PriceTable): number | null {
  return Object.hasOwn(prices.instanceUsdPerHour, type) ? prices.instanceUsdPerHour[type]! : null;
}

/** The hosts of a pair may be launched twice, when the second of them finds no room; as if each lived to its limit. */
export const LAUNCHES_AT_MOST = 2;

export function range(of: (bound: 'expected' | 'upper') => PriceSplit): PriceRange {
  return { expected: of('expected'), upper: of('upper') };
}
