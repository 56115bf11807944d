/**
 * Token buckets of types that have public recordings of half an hour and more, second by second: A. Uta et al., "Is Big
 * Data Performance Reproducible in Modern Cloud Networks?", NSDI 2020, data set licensed Apache-2.0, February 2020. A
 * size is the traffic above the baseline until the drop, in its recordings at 10 and at 5 Gbit/s.
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
