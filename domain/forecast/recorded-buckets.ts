/**
 * Token buckets of types of which public recordings exist, second by second, for half an hour and more: A. Uta et al.,
 * "Is Big Data Performance Reproducible in Modern Cloud Networks?", NSDI 2020, data set licensed Apache-2.0, published
 * in February 2020. The sizes are computed from its recordings at 10 and at 5 Gbit/s: the rate above the baseline,
 * summed up until the drop.
 */
import type { KnownBucket } from './inputs';

/** The nominal 10 Gbit/s of these types, as measured on the wire. */
const BURST_BITS_PER_SECOND = 9.69e9;

export const RECORDED_BUCKETS: readonly KnownBucket[] = [
  row('c5.large', 0.75, { low: 2445, median: 2483, high: 2537 }, 14),
  row('c5.xlarge', 1.254, { low: 4325, median: 4445, high: 4742 }, 10),
  row('c5.2xlarge', 2.508, { low: 7509, median: 7606, high: 7795 }, 8),
  row('c5.4xlarge', 5.016, { low: 10_405, median: 10_717, high: 10_776 }, 5),
];

function row(
  instanceType: string,
  baselineGigabitsPerSecond: number,
  gigabits: { readonly low: number; readonly median: number; readonly high: number },
  measurementCount: number,
): KnownBucket {
  return {
    instanceType,
    burstBitsPerSecond: BURST_BITS_PER_SECOND,
    baselineBitsPerSecond: Math.round(baselineGigabitsPerSecond * 1e9),
    bucketBits: gigabits.median * 1e9,
    bucketLowBits: gigabits.low * 1e9,
    bucketHighBits: gigabits.high * 1e9,
    measurementCount,
  };
}
