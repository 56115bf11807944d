/**
 * The percentiles that are stored, and how many observations each needs. A percentile is supported when at least one
 * observation lies beyond it: the p99.99 of fewer than 10,000 observations is their maximum under another name.
 */
import { nearestRank } from '../maths/statistics';

/** Percent by field, ascending. */
export const PERCENTILES = {
  p25: 25,
  p50: 50,
  p75: 75,
  p90: 90,
  p95: 95,
  p99: 99,
  p99_5: 99.5,
  p99_9: 99.9,
  p99_99: 99.99,
  p99_999: 99.999,
} as const;

export type PercentileField = keyof typeof PERCENTILES;
type Percentiles = Readonly<Partial<Record<PercentileField, number>>>;

export const PERCENTILE_FIELDS = Object.keys(PERCENTILES) as readonly PercentileField[];

/** `p99.9` for `p99_9` */
export function percentileName(field: PercentileField): string {
  return `p${PERCENTILES[field]}`;
}

export function isSupported(field: PercentileField, observations: number): boolean {
  return observations >= neededObservations(field);
}

/** @returns 1,000 for p99.9, 10,000 for p99.99 */
export function neededObservations(field: PercentileField): number {
  const percent = PERCENTILES[field];
  // 100 / (100 - 99.9) is 1,000 plus a rounding error of the binary fractions.
  return Math.round(100 / Math.min(percent, 100 - percent));
}

/** Returns the percentiles that a tool printed although it had too few observations for them. */
export function unsupportedPercentiles(printed: Percentiles, observations: number): string[] {
  const unsupported = PERCENTILE_FIELDS.filter(
    (field) => printed[field] !== undefined && !isSupported(field, observations),
  );
  return unsupported.map(percentileName);
}

/** @param sorted observations, ascending */
export function supportedPercentiles(sorted: readonly number[]): Percentiles {
  const supported = PERCENTILE_FIELDS.filter((field) => isSupported(field, sorted.length));
  return Object.fromEntries(supported.map((field) => [field, nearestRank(sorted, PERCENTILES[field])]));
}
