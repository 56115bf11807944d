-- Comparison of instance types.
-- How much throughput does each instance type give, how long does its burst last, and how does that compare with what
-- AWS publishes? There is one row per way of measuring (`cell`: types, conditions, tool and settings, including the
-- duration) and direction of the verdict. Figures are medians over all runs. Where there are two middle values, the
-- lower one is used. The medians are exact, because approx_percentile gives different answers on different engines.
WITH params AS (
  SELECT
    90 AS days,          -- how many days back
    '%' AS type_pattern  -- pairs in which either type is like this, e.g. 'c7g.%'
),
checked AS (
  SELECT
    CAST(if(regexp_like(CAST(days AS varchar), '^[0-9]+$'), '', 'days: must be a whole number, got ')
      || coalesce(CAST(days AS varchar), 'NULL') AS integer) AS days,
    type_pattern
  FROM params
),
grouped AS (
  SELECT
    m.cell, m.verdict_direction,
    max(m.client_type) AS client_type, max(m.server_type) AS server_type,
    max(m.setting) AS setting,
    count(*) AS measurement_count,
    count(m.onset_seconds) AS throttled_count,
    array_sort(array_agg(m.throughput_mean_bits_per_second)) AS means,
    array_sort(array_agg(m.throughput_p95_bits_per_second) FILTER (WHERE m.throughput_p95_bits_per_second IS NOT NULL)) AS p95s,
    array_sort(array_agg(m.burst_bits_per_second) FILTER (WHERE m.burst_bits_per_second IS NOT NULL)) AS bursts,
    array_sort(array_agg(m.baseline_bits_per_second) FILTER (WHERE m.baseline_bits_per_second IS NOT NULL)) AS baselines,
    array_sort(array_agg(m.onset_seconds) FILTER (WHERE m.onset_seconds IS NOT NULL)) AS onsets,
    array_sort(array_agg(m.bucket_bits) FILTER (WHERE m.bucket_bits IS NOT NULL)) AS buckets,
    -- The published figures are those of the slower host, or of the only host that has any; coalesce is needed because
    -- Athena's least() is NULL if either value is NULL.
    max(least(
      coalesce(m.published_client_peak_bits_per_second, m.published_server_peak_bits_per_second),
      coalesce(m.published_server_peak_bits_per_second, m.published_client_peak_bits_per_second)
    )) AS published_peak_bits_per_second,
    max(least(
      coalesce(m.published_client_baseline_bits_per_second, m.published_server_baseline_bits_per_second),
      coalesce(m.published_server_baseline_bits_per_second, m.published_client_baseline_bits_per_second)
    )) AS published_baseline_bits_per_second,
    min(m.day) AS first_day, max(m.day) AS last_day
  FROM measurements AS m
  CROSS JOIN checked AS p
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.cell IS NOT NULL
    AND m.kind = 'throughput'
    AND m.status IN ('complete', 'truncated')
    AND m.throughput_mean_bits_per_second IS NOT NULL
    AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
  GROUP BY m.cell, m.verdict_direction
)
SELECT
  client_type, server_type, setting, verdict_direction, measurement_count, throttled_count,
  round(element_at(means, CAST(ceil(cardinality(means) * 0.5) AS bigint)) / 1e9, 3) AS mean_gbits_per_second,
  round(element_at(p95s, CAST(ceil(cardinality(p95s) * 0.5) AS bigint)) / 1e9, 3) AS p95_gbits_per_second,
  round(element_at(bursts, CAST(ceil(cardinality(bursts) * 0.5) AS bigint)) / 1e9, 3) AS burst_gbits_per_second,
  round(element_at(baselines, CAST(ceil(cardinality(baselines) * 0.5) AS bigint)) / 1e9, 3) AS baseline_gbits_per_second,
  round(element_at(onsets, CAST(ceil(cardinality(onsets) * 0.5) AS bigint)), 1) AS onset_seconds,
  round(element_at(buckets, CAST(ceil(cardinality(buckets) * 0.5) AS bigint)) / 1e9, 2) AS bucket_gbits,
  round(published_peak_bits_per_second / 1e9, 3) AS published_peak_gbits_per_second,
  round(published_baseline_bits_per_second / 1e9, 3) AS published_baseline_gbits_per_second,
  first_day, last_day, cell
FROM grouped
ORDER BY mean_gbits_per_second DESC, cell, verdict_direction
