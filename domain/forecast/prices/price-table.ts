/**
 * AWS's prices for everything that a run uses: list prices on demand, before tax, free tier and discounts.
 * Prices change, and differ by Region and contract, so each block has its date and source, and the `prices` of a plan
 * override it. A price that is not here is unknown, which never counts as free. `npm run prices` fetches the instances
 * of another Region:
 *
 * | Region                 | instances                                    | everything else |
 * | ---------------------- | -------------------------------------------- | --------------- |
 * | us-east-1              | as recorded                                  | as recorded     |
 * | fetched                | as fetched                                   | us-east-1's     |
 * | any other              | us-east-1's, which every output says         | us-east-1's     |
 */
import * as z from 'zod';
import type { Source } from '../../model/source';
import recorded from './instance-prices.json';

/** Its prices are assumed where a Region's own are not known. */
export const ASSUMED_REGION = 'us-east-1';

const INSTANCE_PRICES: Readonly<Record<string, RegionPrices>> & typeof recorded = recorded;

interface RegionPrices {
  readonly date: string;
  readonly source: string;
  readonly instanceUsdPerHour: Readonly<Record<string, number>>;
}

/** Run Command, security groups, placement groups, VPC peering and gateway endpoints are free in themselves. */
export const SERVICE_PRICES = {
  /** Volume of type `ROOT_DISK.volumeType`. */
  diskUsdPerGibibyteMonth: 0.08,
  publicAddressUsdPerHour: 0.005,
  /** Between zones: charged on the sender's side, and again on the receiver's. */
  crossZoneUsdPerGigabyteEachWay: 0.01,
  /** By public or elastic address, also within a zone: charged on the sender's side, and again on the receiver's. */
  publicTrafficUsdPerGigabyteEachWay: 0.01,
  /** Network Load Balancer; a started hour is charged as a whole one. */
  loadBalancerUsdPerHour: 0.0225,
  /** The capacity unit of a load balancer is one gigabyte processed. */
  loadBalancerUsdPerGigabyte: 0.006,
  s3UsdPerThousandWrites: 0.005,
  s3UsdPerThousandReads: 0.0004,
  s3UsdPerGigabyteMonth: 0.023,
  /** A query is charged for at least `ATHENA_MINIMUM_BYTES`. */
  athenaUsdPerTerabyte: 5,
  /** Price of Standard workflows. */
  stepFunctionsUsdPerThousandTransitions: 0.025,
  lambdaUsdPerGibibyteSecond: 0.0000133334,
  lambdaUsdPerMillionRequests: 0.2,
  /** Surplus CPU credits on Linux: T2, T3 and T3a. A credit is a minute of one vCPU. */
  cpuCreditsUsdPerVcpuHour: 0.05,
  /** Surplus CPU credits on Linux: T4g. */
  cpuCreditsArmUsdPerVcpuHour: 0.04,
};
type ServicePrices = Readonly<typeof SERVICE_PRICES>;

export interface PriceTable extends ServicePrices {
  /** Linux, shared tenancy, by instance type. A type that is absent has an unknown price. */
  readonly instanceUsdPerHour: Readonly<Record<string, number>>;
}

export function s3Usd(
  use: { readonly writes: number; readonly reads: number; readonly storedBytes: number; readonly months: number },
  prices: ServicePrices,
): number {
  return (
    (use.writes / 1000) * prices.s3UsdPerThousandWrites +
    (use.reads / 1000) * prices.s3UsdPerThousandReads +
    (use.storedBytes / GIGABYTE) * use.months * prices.s3UsdPerGigabyteMonth
  );
}

export const ATHENA_MINIMUM_BYTES = 10_000_000;

/** Traffic is counted in units of 10⁹ bytes, like network rates; AWS counts 2³⁰ bytes, which makes it 7 % cheaper. */
export const GIGABYTE = 1e9;

export const HOUR_SECONDS = 3600;
export const DAY_SECONDS = 24 * HOUR_SECONDS;
/** AWS prices a month as 730 hours. */
export const MONTH_SECONDS = 730 * HOUR_SECONDS;

/** The source of everything but instances. */
export const SERVICE_SOURCE = {
  date: '2026-11-21',
  source:
    'price pages of Amazon EC2 (on demand: data transfer, T2/T3/T4g unlimited mode; EBS), VPC (public IPv4), Elastic ' +
    'Load Balancing, S3, Athena, Step Functions and Lambda (arm64), first tier, as quoted in public in 2026',
};

const isRecorded = (region: string) => Object.hasOwn(INSTANCE_PRICES, region);
const instancePricesOf = (region: string): RegionPrices =>
  (isRecorded(region) ? INSTANCE_PRICES[region] : undefined) ?? INSTANCE_PRICES[ASSUMED_REGION];

/** Who says what an hour of an instance costs, and in which Region. */
export function instancePriceSource(region: string): Source {
  const { date, source } = instancePricesOf(region);
  const of = isRecorded(region) ? region : `${ASSUMED_REGION}, used because those of ${region} are not recorded`;
  return { name: 'price list', date, text: `prices in ${of}: ${source}` };
}

/** Matches `c5.xlarge`, `u-6tb1.metal`, `m8g.metal-24xl`, and allows no character that a shell would interpret. */
export const INSTANCE_TYPE = /^[a-z0-9-]{1,20}\.[a-z0-9-]{1,20}$/;

/** No instance, address or gigabyte costs more, so a larger figure must be in another unit. */
const usd = z.number().min(0).max(10_000);

const services = Object.fromEntries(Object.keys(SERVICE_PRICES).map((name) => [name, usd.optional()])) as Record<
  keyof ServicePrices,
  z.ZodOptional<typeof usd>
>;

/** The `prices` of a plan, each of which overrides one of the table. */
export const priceOverrides = z
  .strictObject({
    ...services,
    instanceUsdPerHour: z
      .record(z.string().regex(INSTANCE_TYPE), usd)
      .optional()
      .describe('By instance type, e.g. {"c5.xlarge": 0.17}'),
  })
  .describe('Prices in USD that override the built-in list prices');

export type PriceOverrides = z.infer<typeof priceOverrides>;

export interface Prices {
  readonly prices: PriceTable;
  /** Whose prices these are, and of which days, in words: stands beside all that rests on them. */
  readonly priceList: string;
}

/** @param region the hosts' */
export function pricesOf(region: string, overrides: PriceOverrides = {}): Prices {
  return { prices: pricesWith(region, overrides), priceList: priceListInWords(region, overrides) };
}

function pricesWith(region: string, overrides: PriceOverrides): PriceTable {
  const instanceUsdPerHour = { ...instancePricesOf(region).instanceUsdPerHour, ...overrides.instanceUsdPerHour };
  return { ...SERVICE_PRICES, ...overrides, instanceUsdPerHour };
}

function priceListInWords(region: string, overrides: PriceOverrides): string {
  const { date } = instancePricesOf(region);
  const own = Object.keys(overrides).length > 0 ? "the plan's own prices, otherwise " : '';
  if (isRecorded(region) && region !== ASSUMED_REGION) {
    const services = `services in ${ASSUMED_REGION} as of ${SERVICE_SOURCE.date}`;
    return `${own}list prices: instances in ${region} as of ${date}, ${services}`;
  }
  const assumed = region === ASSUMED_REGION ? '' : `, used because those of ${region} are not recorded`;
  const dates = `instances as of ${date}, services as of ${SERVICE_SOURCE.date}`;
  return `${own}list prices in ${ASSUMED_REGION}, ${dates}${assumed}`;
}

/**
 * The prices of a plan where they are higher than the list's, and the list's where they are lower. A Region whose own
 * prices are not recorded has none for the instance types that the plan has none for.
 */
export function atLeastListPrices(region: string, overrides: PriceOverrides = {}): PriceTable {
  const higher = <Prices extends Readonly<Record<string, number>>>(
    list: Prices,
    given: Readonly<Record<string, number>>,
  ) => Object.fromEntries(Object.entries(given).map(([name, usd]) => [name, Math.max(usd, list[name] ?? 0)])) as Prices;
  const { instanceUsdPerHour, ...services } = pricesWith(region, overrides);
  return {
    ...higher(SERVICE_PRICES, services),
    instanceUsdPerHour: higher(
      instancePricesOf(region).instanceUsdPerHour,
      isRecorded(region) ? instanceUsdPerHour : (overrides.instanceUsdPerHour ?? {}),
    ),
  };
}
