/** The network credits of a type: from earlier runs, from public recordings, or from what AWS publishes. */
import { PUBLISHED_BURST_SECONDS } from '../model/ec2-facts';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { KnownBucket } from './inputs';
import { RECORDED_BUCKETS } from './recorded-buckets';

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
