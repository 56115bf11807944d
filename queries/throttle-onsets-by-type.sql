-- Throttle onsets by type.
-- How long does the burst of an instance type last, and how often does it end at all? There is one row per way of
-- measuring (`cell`: types, conditions, tool and settings) and direction. `throttled_share` is the share of
-- measurements in which the burst ended; measurements that are too short to show this are not counted. Medians are
-- exact; where there are two middle values, the lower one is used.
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
    -- A drop is a throttle of the instance type only if its cause is network credits.
    count(*) FILTER (WHERE m.verdict_cause = 'network_credits') AS throttled_count,
    -- Series of the kind insufficient are too short to show whether the burst ends.
    count_if(m.verdict_kind = 'insufficient') AS insufficient_count,
    array_sort(array_agg(m.onset_seconds) FILTER (WHERE m.verdict_cause = 'network_credits')) AS onsets,
    min(m.onset_seconds) FILTER (WHERE m.verdict_cause = 'network_credits') AS onset_min_seconds,
    max(m.onset_seconds) FILTER (WHERE m.verdict_cause = 'network_credits') AS onset_max_seconds,
    -- This is the longest measurement without an onset, in seconds that were really observed: an interrupted
    -- measurement has fewer than its planned duration. A longer measurement might still have shown an onset.
    max(CASE WHEN m.onset_seconds IS NULL THEN m.sample_count END) AS longest_without_onset_seconds,
    min(m.day) AS first_day, max(m.day) AS last_day
  FROM measurements AS m
  CROSS JOIN checked AS p
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.cell IS NOT NULL
    AND m.status IN ('complete', 'truncated')
    AND m.kind = 'throughput'
    AND m.verdict_kind IS NOT NULL
    AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
  GROUP BY m.cell, m.verdict_direction
)
SELECT
  client_type, server_type, setting, verdict_direction, measurement_count, throttled_count,
  insufficient_count,
  CASE
    WHEN measurement_count > insufficient_count
      THEN round(throttled_count * 1e0 / (measurement_count - insufficient_count), 3)
  END AS throttled_share,
  round(element_at(onsets, CAST(ceil(cardinality(onsets) * 0.5) AS bigint)), 1) AS onset_median_seconds,
  round(onset_min_seconds, 1) AS onset_min_seconds,
  round(onset_max_seconds, 1) AS onset_max_seconds,
  longest_without_onset_seconds, first_day, last_day, cell
FROM grouped
ORDER BY client_type, server_type, cell, verdict_direction
