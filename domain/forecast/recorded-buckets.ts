/**
 * Token buckets of types that were recorded in public, second by second, over half an hour and more: A. Uta et al., "Is
 * Big Data Performance Reproducible in Modern Cloud Networks?", NSDI 2020, data set licensed Apache-2.0. Buckets are
 * ours, from its recordings with and without a flow cap: the rate above the baseline, summed up to the drop.
 */
import type { KnownBucket } from './inputs';

export const RECORDED_BUCKETS_DATE = '2020-02';

export const RECORDED_BUCKETS: readonly KnownBucket[] = [
  row('c5.large', 0.75, { low: 2445, median: 2483, high: 2537 }, 14),
  row('c5.xlarge', 1.254, { low: 4325, median: 4445, high: 4742 }, 10),
  row('c5.2xlarge', 2.508, { low: 7509, median: 7606, high: 7795 }, 8),
  row('c5.4xlarge', 5.016, { low: 10_405, median: 10_717, high: 10_776 }, 5),
];

/** What ten gigabits of these types are on the wire. */
function row(
  instanceType: string,
  baselineGigabitsPerSecond: number,
  gigabits: { readonly low: number; readonly median: number; readonly high: number },
  measurementCount: number,
): KnownBucket {
  return {
    instanceType,
    burstBitsPerSecond: 9.69e9,
    baselineBitsPerSecond: Math.round(baselineGigabitsPerSecond * 1e9),
    bucketBits: gigabits.median * 1e9,
    bucketLowBits: gigabits.low * 1e9,
    bucketHighBits: gigabits.high * 1e9,
    measurementCount,
  };
}
