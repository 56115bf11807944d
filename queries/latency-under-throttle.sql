-- Latency under throttle.
-- What does a throttle cost in latency? There is one row per measurement with a latency probe during its load. It has
-- the round trips before and after the onset of the throttle, in microseconds, and how many times as long the median
-- became. The figures after the onset are NULL if no onset was seen. A p99 of fewer than 100 round trips is left out.
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
)
SELECT
  m.day, m.run_id, m.measurement_id, m.client_type, m.server_type, m.zone_relation, m.path, m.setting,
  round(m.onset_seconds, 1) AS onset_seconds,
  m.throttled_by,
  round(m.rtt_before_onset_p50_micros, 1) AS rtt_before_onset_p50_micros,
  round(m.rtt_after_onset_p50_micros, 1) AS rtt_after_onset_p50_micros,
  CASE
    WHEN m.rtt_before_onset_p50_micros > 0
      THEN round(m.rtt_after_onset_p50_micros / m.rtt_before_onset_p50_micros, 2)
  END AS times_as_long,
  CASE WHEN m.observations_before_onset >= 100 THEN round(m.rtt_before_onset_p99_micros, 1) END AS rtt_before_onset_p99_micros,
  CASE WHEN m.observations_after_onset >= 100 THEN round(m.rtt_after_onset_p99_micros, 1) END AS rtt_after_onset_p99_micros,
  m.observations_before_onset, m.observations_after_onset
FROM measurements AS m
CROSS JOIN checked AS p
WHERE m.day >= current_date - interval '1' day * p.days
  AND m.status IN ('complete', 'truncated')
  AND m.observations_before_onset IS NOT NULL
  AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
ORDER BY times_as_long DESC, m.day, m.run_id, m.measurement_id
