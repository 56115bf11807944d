-- Latency percentiles.
-- How long does a round trip take between two instance types? There is one row per way of measuring (`cell`: types,
-- conditions, tool and settings). It has the medians of the measurements' own percentiles, and the longest round trip
-- of all, in microseconds. Where there are two middle values, the lower one is used. A measurement's percentile is left
-- out if the measurement has too few round trips for it (fewer than 100 for p99, 1,000 for p99.9, 10,000 for p99.99).
-- Round trips that an allowance of a host held back (`verdict_cause`) are left out.
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
    m.cell,
    max(m.client_type) AS client_type, max(m.server_type) AS server_type,
    max(m.setting) AS setting,
    count(*) AS measurement_count,
    sum(m.observations) AS observations,
    array_sort(array_agg(m.rtt_mean_micros) FILTER (WHERE m.rtt_mean_micros IS NOT NULL)) AS means,
    array_sort(array_agg(m.rtt_p50_micros)) AS p50s,
    array_sort(array_agg(m.rtt_p90_micros) FILTER (WHERE m.rtt_p90_micros IS NOT NULL)) AS p90s,
    array_sort(array_agg(m.rtt_p99_micros) FILTER (WHERE m.rtt_p99_micros IS NOT NULL AND m.observations >= 100)) AS p99s,
    array_sort(array_agg(m.rtt_p99_9_micros) FILTER (WHERE m.rtt_p99_9_micros IS NOT NULL AND m.observations >= 1000)) AS p99_9s,
    array_sort(array_agg(m.rtt_p99_99_micros) FILTER (WHERE m.rtt_p99_99_micros IS NOT NULL AND m.observations >= 10000)) AS p99_99s,
    max(m.rtt_max_micros) AS rtt_max_micros,
    sum(m.dropped_messages) AS dropped_messages,
    min(m.day) AS first_day, max(m.day) AS last_day
  FROM measurements AS m
  CROSS JOIN checked AS p
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.cell IS NOT NULL
    AND m.kind = 'latency'
    AND m.status IN ('complete', 'truncated')
    AND m.rtt_p50_micros IS NOT NULL
    -- Round trips that an allowance delayed don't show the path.
    AND coalesce(m.verdict_cause, 'none') NOT IN ('network_credits', 'published_bandwidth', 'fragment_rate', 'packet_rate', 'connection_tracking')
    AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
  GROUP BY m.cell
)
SELECT
  client_type, server_type, setting, measurement_count, observations,
  round(element_at(means, CAST(ceil(cardinality(means) * 0.5) AS bigint)), 1) AS rtt_mean_micros,
  round(element_at(p50s, CAST(ceil(cardinality(p50s) * 0.5) AS bigint)), 1) AS rtt_p50_micros,
  round(element_at(p90s, CAST(ceil(cardinality(p90s) * 0.5) AS bigint)), 1) AS rtt_p90_micros,
  round(element_at(p99s, CAST(ceil(cardinality(p99s) * 0.5) AS bigint)), 1) AS rtt_p99_micros,
  round(element_at(p99_9s, CAST(ceil(cardinality(p99_9s) * 0.5) AS bigint)), 1) AS rtt_p99_9_micros,
  round(element_at(p99_99s, CAST(ceil(cardinality(p99_99s) * 0.5) AS bigint)), 1) AS rtt_p99_99_micros,
  round(rtt_max_micros, 1) AS rtt_max_micros,
  dropped_messages, first_day, last_day, cell
FROM grouped
ORDER BY rtt_p50_micros, cell
