/**
 * What AWS asks for what a run uses: list prices of one Region, on demand, before tax, free tier and discounts. Prices
 * change and differ by Region and contract: each block says of when it is and from where, and a plan's `prices` stand
 * above it. A price that is not here is unknown, which is never taken for nothing.
 */
import recorded from './instance-prices.json';

export const PRICE_REGION = 'us-east-1';

/** Where a block of the table is from, and of when. */
export interface PriceSource {
  readonly date: string;
  readonly source: string;
}

export interface ServicePrices {
  /** Volume of each host's root disk (gp3). */
  readonly diskUsdPerGibibyteMonth: number;
  readonly publicAddressUsdPerHour: number;
  /** Between zones: asked of the sender's side and once more of the receiver's. */
  readonly crossZoneUsdPerGigabyteEachWay: number;
  /** By public or elastic address, within a zone as well: asked of the sender's side and once more of the receiver's. */
  readonly publicTrafficUsdPerGigabyteEachWay: number;
  /** Network Load Balancer; a started hour is asked for as a whole one. */
  readonly loadBalancerUsdPerHour: number;
  /** Capacity unit of a load balancer: a gigabyte processed. */
  readonly loadBalancerUsdPerGigabyte: number;
  readonly s3UsdPerThousandWrites: number;
  readonly s3UsdPerThousandReads: number;
  readonly s3UsdPerGigabyteMonth: number;
  /** A query is asked for at least `ATHENA_MINIMUM_BYTES`. */
  readonly athenaUsdPerTerabyte: number;
  /** Standard workflows. */
  readonly stepFunctionsUsdPerThousandTransitions: number;
  readonly lambdaUsdPerGibibyteSecond: number;
  readonly lambdaUsdPerMillionRequests: number;
}

export interface PriceTable extends ServicePrices {
  /** Linux, shared tenancy, by instance type; a type that is absent has no known price. */
  readonly instanceUsdPerHour: Readonly<Record<string, number>>;
}

export const ATHENA_MINIMUM_BYTES = 10_000_000;

/** Transfer is counted here in 10⁹ bytes, as the network's rates are; AWS counts 2³⁰, which comes to 7 % less. */
export const GIGABYTE = 1e9;

export const PRICE_SOURCES: Readonly<Record<'instances' | 'services', PriceSource>> = {
  instances: { date: recorded.date, source: recorded.source },
  services: {
    date: '2026-11-21',
    source:
      'price pages of Amazon EC2 (on demand: data transfer; EBS), VPC (public IPv4), Elastic Load Balancing, S3, Athena, ' +
      'Step Functions and Lambda (arm64), first tier, as quoted in public in 2025 and 2026',
  },
};

/** Run Command, security groups, placement groups, VPC peering and gateway endpoints cost nothing by themselves. */
export const LIST_PRICES: PriceTable = {
  instanceUsdPerHour: recorded.instanceUsdPerHour,
  diskUsdPerGibibyteMonth: 0.08,
  publicAddressUsdPerHour: 0.005,
  crossZoneUsdPerGigabyteEachWay: 0.01,
  publicTrafficUsdPerGigabyteEachWay: 0.01,
  loadBalancerUsdPerHour: 0.0225,
  loadBalancerUsdPerGigabyte: 0.006,
  s3UsdPerThousandWrites: 0.005,
  s3UsdPerThousandReads: 0.0004,
  s3UsdPerGigabyteMonth: 0.023,
  athenaUsdPerTerabyte: 5,
  stepFunctionsUsdPerThousandTransitions: 0.025,
  lambdaUsdPerGibibyteSecond: 0.0000133334,
  lambdaUsdPerMillionRequests: 0.2,
};
