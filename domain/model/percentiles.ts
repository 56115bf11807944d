/**
 * Which percentiles a number of observations can support: at least one of them has to lie beyond it. A p99.99 of fewer
 * than 10,000 is the maximum under another name.
 */
import type { RttQuantiles } from './statistics';

/** The stored percentiles by their percent, ascending. */
export const PERCENTILE_FIELDS: readonly (readonly [percentile: number, field: keyof RttQuantiles])[] = [
  [25, 'p25'],
  [50, 'p50'],
  [75, 'p75'],
  [90, 'p90'],
  [95, 'p95'],
  [99, 'p99'],
  [99.5, 'p99_5'],
  [99.9, 'p99_9'],
  [99.99, 'p99_99'],
  [99.999, 'p99_999'],
];

/** @returns how many observations a percentile takes: 1,000 for p99.9, 10,000 for p99.99 */
export function neededObservations(percentile: number): number {
  // 100 / (100 - 99.9) is a thousand and some binary dust.
  return Math.round(100 / Math.min(percentile, 100 - percentile));
}

export function isSupported(percentile: number, observations: number): boolean {
  return observations >= neededObservations(percentile);
}

/** Names of the percentiles that are given though the count can't support them. */
export function unsupportedPercentiles(rttMicros: RttQuantiles, observations: number): string[] {
  return PERCENTILE_FIELDS.filter(
    ([percentile, field]) => rttMicros[field] !== undefined && !isSupported(percentile, observations),
  ).map(([percentile]) => `p${percentile}`);
}
