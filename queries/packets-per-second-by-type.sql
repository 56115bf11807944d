-- Packets per second by type.
-- How many packets per second does an instance type carry, at first and until the end, and what was the limit? There is
-- one row per way of measuring (`cell`: types, conditions, tool and settings) and limit (`verdict_cause`). If the limit
-- is packet_rate, the figures are what the type in limiting_type can carry. For any other limit they are only lower
-- bounds. Medians are exact; where there are two middle values, the lower one is used.
WITH params AS (
  SELECT
    90 AS days,          -- how many days back
    '%' AS type_pattern  -- types whose name is like this, e.g. 'c7g.%'
),
checked AS (
  SELECT
    CAST(if(regexp_like(CAST(days AS varchar), '^[0-9]+$'), '', 'days: must be a whole number, got ')
      || coalesce(CAST(days AS varchar), 'NULL') AS integer) AS days,
    type_pattern
  FROM params
),
measured AS (
  SELECT
    m.cell, m.client_type, m.server_type, m.setting, m.verdict_cause, m.day,
    m.packet_bytes, m.packet_onset_seconds, m.burst_packets_per_second, m.baseline_packets_per_second,
    CASE
      WHEN m.packets_limited_by IS NULL THEN NULL
      WHEN (m.packets_limited_by = 'sender') = (m.direction = 'forward') THEN m.client_type
      ELSE m.server_type
    END AS limiting_type
  FROM measurements AS m
  CROSS JOIN checked AS p
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.cell IS NOT NULL
    AND m.kind = 'packets'
    AND m.status IN ('complete', 'truncated')
    AND m.baseline_packets_per_second IS NOT NULL
    AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
),
grouped AS (
  SELECT
    r.cell, r.verdict_cause, r.limiting_type,
    max(r.client_type) AS client_type, max(r.server_type) AS server_type,
    max(r.setting) AS setting,
    count(*) AS measurement_count,
    avg(r.packet_bytes) AS packet_bytes,
    array_sort(array_agg(r.burst_packets_per_second) FILTER (WHERE r.burst_packets_per_second IS NOT NULL)) AS bursts,
    array_sort(array_agg(r.packet_onset_seconds) FILTER (WHERE r.packet_onset_seconds IS NOT NULL)) AS onsets,
    array_sort(array_agg(r.baseline_packets_per_second)) AS baselines,
    min(r.baseline_packets_per_second) AS baseline_min_packets_per_second,
    max(r.baseline_packets_per_second) AS baseline_max_packets_per_second,
    min(r.day) AS first_day, max(r.day) AS last_day
  FROM measured AS r
  GROUP BY r.cell, r.verdict_cause, r.limiting_type
)
SELECT
  client_type, server_type, setting, verdict_cause, limiting_type, measurement_count,
  round(element_at(bursts, CAST(ceil(cardinality(bursts) * 0.5) AS bigint))) AS burst_median_packets_per_second,
  round(element_at(onsets, CAST(ceil(cardinality(onsets) * 0.5) AS bigint)), 1) AS onset_median_seconds,
  round(element_at(baselines, CAST(ceil(cardinality(baselines) * 0.5) AS bigint))) AS baseline_median_packets_per_second,
  round(baseline_min_packets_per_second) AS baseline_min_packets_per_second,
  round(baseline_max_packets_per_second) AS baseline_max_packets_per_second,
  round(packet_bytes) AS packet_bytes, first_day, last_day, cell
FROM grouped
ORDER BY client_type, server_type, cell, verdict_cause, limiting_type
