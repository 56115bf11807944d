/** Buckets that earlier runs of this account found: the query for Athena, and what its rows become. */
import { isWithinLookBack, quotedList } from '../tables/query-text';
import type { KnownBucket } from './inputs';

/**
 * Only throttles whose owner is known count; the type is that of the host whose credits ran out. Its burst is the
 * fastest one, because slower ones were limited by a flow's cap, an offered load or the other host.
 *
 * @param day UTC day of the run, YYYY-MM-DD
 * @param instanceTypes at least one
 */
export function earlierBucketsQuery(day: string, instanceTypes: readonly string[]): string {
  // An exact median, because approx_percentile of Athena and of the lab's engine differ on few values.
  const median = (column: string) =>
    `element_at(array_sort(array_agg(${column})), CAST(ceil(COUNT(*) * 0.5) AS bigint))`;
  return `WITH throttled AS (
  SELECT CASE WHEN (throttled_by = 'sender') = (verdict_direction = 'forward') THEN client_type ELSE server_type END
      AS instance_type,
    burst_bits_per_second, baseline_bits_per_second, bucket_bits
  FROM measurements
  WHERE ${isWithinLookBack(day)}
    AND status = 'complete'
    AND verdict_cause = 'network_credits'
    AND throttled_by IS NOT NULL
    AND bucket_bits IS NOT NULL
)
SELECT instance_type,
  COUNT(*) AS measurement_count,
  MAX(burst_bits_per_second) AS burst_bits_per_second,
  ${median('baseline_bits_per_second')} AS baseline_bits_per_second,
  ${median('bucket_bits')} AS bucket_bits,
  MIN(bucket_bits) AS bucket_low_bits,
  MAX(bucket_bits) AS bucket_high_bits
FROM throttled
WHERE instance_type IN (${quotedList(instanceTypes)})
GROUP BY instance_type
ORDER BY instance_type`;
}

/** @param rows by column name, as Athena returns them: values are text, and NULL is absent */
export function earlierBucketsOf(rows: readonly Readonly<Record<string, string | undefined>>[]): KnownBucket[] {
  return rows.map((row) => {
    const text = (column: string) => {
      const value = row[column];
      if (value === undefined) throw new Error(`${column}: must have a value, got NULL`);
      return value;
    };
    const number = (column: string) => {
      const value = Number(text(column));
      if (!Number.isFinite(value)) throw new Error(`${column}: must be a number, got ${JSON.stringify(row[column])}`);
      return value;
    };
    return {
      instanceType: text('instance_type'),
      measurementCount: number('measurement_count'),
      burstBitsPerSecond: number('burst_bits_per_second'),
      baselineBitsPerSecond: number('baseline_bits_per_second'),
      bucketBits: number('bucket_bits'),
      bucketLowBits: number('bucket_low_bits'),
      bucketHighBits: number('bucket_high_bits'),
    };
  });
}
