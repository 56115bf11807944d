-- Latency by path.
-- How much latency does the path between two hosts add: private or public address, load balancer, VPC peering, the
-- user's own route? There is one row per way of measuring (`cell`: types, conditions, tool and settings). It has the
-- medians of the measurements' means, medians and p99.99s, in microseconds. `added_to_private_micros` is how much
-- longer the mean is than over private addresses, with everything else equal. Where there are two middle values, the
-- lower one is used. A p99.99 of fewer than 10,000 round trips is left out, because it is only the longest round trip.
-- Displaced measurements, and round trips that an allowance of a host held back (`verdict_cause`), are left out, too.
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
    max(m.path) AS path,
    max(m.setting) AS setting,
    count(*) AS measurement_count,
    array_sort(array_agg(m.rtt_mean_micros)) AS means,
    array_sort(array_agg(m.rtt_p50_micros) FILTER (WHERE m.rtt_p50_micros IS NOT NULL)) AS p50s,
    array_sort(array_agg(m.rtt_p99_99_micros) FILTER (WHERE m.rtt_p99_99_micros IS NOT NULL AND m.observations >= 10000)) AS p99_99s,
    min(m.day) AS first_day, max(m.day) AS last_day
  FROM measurements AS m
  CROSS JOIN checked AS p
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.cell IS NOT NULL
    AND m.status = 'complete'
    -- Displaced measurements may be in any zones, so they are not compared.
    AND NOT coalesce(m.is_displaced, FALSE)
    AND m.rtt_mean_micros IS NOT NULL
    AND coalesce(m.verdict_cause, 'none') NOT IN ('network_credits', 'published_bandwidth', 'fragment_rate', 'packet_rate', 'connection_tracking')
    AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
  GROUP BY m.cell
),
medians AS (
  SELECT
    *,
    -- The cell without its path, and without the subnets that the path `own` needs.
    regexp_replace(cell, ' (path=|(client|server)_pinned_place=subnet-)[^ ]*', '') AS cell_of_any_path,
    element_at(means, CAST(ceil(cardinality(means) * 0.5) AS bigint)) AS rtt_mean,
    element_at(p50s, CAST(ceil(cardinality(p50s) * 0.5) AS bigint)) AS rtt_p50,
    element_at(p99_99s, CAST(ceil(cardinality(p99_99s) * 0.5) AS bigint)) AS rtt_p99_99
  FROM grouped
),
compared AS (
  SELECT
    *,
    max(CASE WHEN path = 'private' THEN rtt_mean END) OVER (PARTITION BY cell_of_any_path) AS private_mean
  FROM medians
)
SELECT
  client_type, server_type, path, setting, measurement_count,
  round(rtt_mean, 1) AS rtt_mean_micros,
  round(rtt_p50, 1) AS rtt_p50_micros,
  round(rtt_p99_99, 1) AS rtt_p99_99_micros,
  round(rtt_mean - private_mean, 1) AS added_to_private_micros,
  first_day, last_day, cell
FROM compared
ORDER BY cell_of_any_path, rtt_mean_micros, path
