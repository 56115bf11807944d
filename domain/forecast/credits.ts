/** The network credits of a type: from earlier runs, from public recordings, or from what AWS publishes. */
import { PUBLISHED_BURST_SECONDS } from '../model/ec2-facts';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { KnownBucket } from './inputs';

export type CreditSource = 'earlier_results' | 'public_recordings' | 'published_figures';

export interface Credits {
  readonly instanceType: string;
  readonly source: CreditSource;
  readonly burstBitsPerSecond: number;
  readonly baselineBitsPerSecond: number;
  /** Traffic above the baseline that full credits allow: 0 where the baseline is the peak. */
  readonly bucketBits: { readonly low: number; readonly expected: number; readonly high: number };
  /** How many measurements a measured bucket is from. */
  readonly measurementCount?: number;
}

/** `unknown`: AWS publishes no figures for the type, and no measurement of it is known. */
export type CreditModel = Credits | 'unknown';

export function creditModel(
  type: InstanceTypeFacts | undefined,
  instanceType: string,
  earlierBuckets: readonly KnownBucket[],
): CreditModel {
  const earlier = earlierBuckets.find((bucket) => bucket.instanceType === instanceType);
  if (earlier !== undefined) return measured(earlier, 'earlier_results');
  const recorded = RECORDED_BUCKETS.find((bucket) => bucket.instanceType === instanceType);
  if (recorded !== undefined && fitsPublishedPeak(recorded, type)) return measured(recorded, 'public_recordings');

  const { baselineBitsPerSecond: baseline, peakBitsPerSecond: peak } = type ?? {};
  if (baseline === undefined || peak === undefined) return 'unknown';
  const { low, expected, high } = PUBLISHED_BURST_SECONDS;
  const spending = peak - baseline;
  return {
    instanceType,
    source: 'published_figures',
    burstBitsPerSecond: peak,
    baselineBitsPerSecond: baseline,
    bucketBits: { low: spending * low, expected: spending * expected, high: spending * high },
  };
}

/** A recording whose burst is well above the published peak was made on another network. */
const PEAK_TOLERANCE = 1.1;

function fitsPublishedPeak({ burstBitsPerSecond }: KnownBucket, type: InstanceTypeFacts | undefined): boolean {
  return type?.peakBitsPerSecond === undefined || burstBitsPerSecond <= type.peakBitsPerSecond * PEAK_TOLERANCE;
}

function measured(bucket: KnownBucket, source: CreditSource): Credits {
  const { bucketBits, bucketLowBits = bucketBits, bucketHighBits = bucketBits, ...known } = bucket;
  return { ...known, source, bucketBits: { low: bucketLowBits, expected: bucketBits, high: bucketHighBits } };
}

/** The nominal 10 Gbit/s of the types below, as measured on the wire. */
const BURST_BITS_PER_SECOND = 9.69e9;

/**
 * Token buckets of types that have public recordings of half an hour and more, second by second: A. Uta et al., "Is Big
 * Data Performance Reproducible in Modern Cloud Networks?", NSDI 2020, data set licensed Apache-2.0, February 2020. A
 * size is the traffic above the baseline until the drop, in its recordings at 10 and at 5 Gbit/s.
 */
export const RECORDED_BUCKETS: readonly KnownBucket[] = [
  row('c5.large', 0.75, { low: 2445, median: 2483, high: 2537 }, 14),
  row('c5.xlarge', 1.254, { low: 4325, median: 4445, high: 4742 }, 10),
  row('c5.2xlarge', 2.508, { low: 7509, median: 7606, high: 7795 }, 8),
  row('c5.4xlarge', 5.016, { low: 10_405, median: 10_717, high: 10_776 }, 5),
];

function row(
  instanceType: string,
  baselineGigabitsPerSecond: number,
  bucketGigabits: { readonly low: number; readonly median: number; readonly high: number },
  measurementCount: number,
): KnownBucket {
  return {
    instanceType,
    burstBitsPerSecond: BURST_BITS_PER_SECOND,
    baselineBitsPerSecond: Math.round(baselineGigabitsPerSecond * 1e9),
    bucketBits: bucketGigabits.median * 1e9,
    bucketLowBits: bucketGigabits.low * 1e9,
    bucketHighBits: bucketGigabits.high * 1e9,
    measurementCount,
  };
}
