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

/** @returns undefined where AWS publishes no figures for the type, and no measurement of it is known */
export function knownCredits(
  type: InstanceTypeFacts | undefined,
  instanceType: string,
  earlierBuckets: readonly KnownBucket[],
): Credits | undefined {
  const isOfType = (bucket: KnownBucket) => bucket.instanceType === instanceType;
  const earlier = earlierBuckets.find(isOfType);
  if (earlier !== undefined) return measured(earlier, 'earlier_results');
  const recorded = RECORDED_BUCKETS.find(isOfType);
  if (recorded !== undefined && fitsPublishedPeak(recorded, type)) return measured(recorded, 'public_recordings');

  const { baselineBitsPerSecond, peakBitsPerSecond: burstBitsPerSecond } = type ?? {};
  if (baselineBitsPerSecond === undefined || burstBitsPerSecond === undefined) return undefined;
  const { low, expected, high } = PUBLISHED_BURST_SECONDS;
  const spending = burstBitsPerSecond - baselineBitsPerSecond;
  const bucketBits = { low: spending * low, expected: spending * expected, high: spending * high };
  return { instanceType, source: 'published_figures', burstBitsPerSecond, baselineBitsPerSecond, bucketBits };
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

/**
 * Token buckets of types that have public recordings of half an hour and more, second by second: A. Uta et al., "Is Big
 * Data Performance Reproducible in Modern Cloud Networks?", NSDI 2020, data set licensed Apache-2.0, February 2020. A
 * size is the traffic above the baseline until the drop, in its recordings at 10 and at 5 Gbit/s: the least, the median
 * and the most, in Gbit.
 */
export const RECORDED_BUCKETS: readonly KnownBucket[] = (
  [
    ['c5.large', 0.75e9, [2445, 2483, 2537], 14],
    ['c5.xlarge', 1.254e9, [4325, 4445, 4742], 10],
    ['c5.2xlarge', 2.508e9, [7509, 7606, 7795], 8],
    ['c5.4xlarge', 5.016e9, [10_405, 10_717, 10_776], 5],
  ] as const
).map(([instanceType, baselineBitsPerSecond, [low, median, high], measurementCount]) => ({
  instanceType,
  // The nominal 10 Gbit/s, as measured on the wire.
  burstBitsPerSecond: 9.69e9,
  baselineBitsPerSecond,
  bucketBits: median * 1e9,
  bucketLowBits: low * 1e9,
  bucketHighBits: high * 1e9,
  measurementCount,
}));
