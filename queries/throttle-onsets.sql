-- Throttle onsets.
-- Which instance types dropped from their burst to their baseline, when, and how sure is that? There is one row per
-- measurement in which a drop was found, whatever the drop's cause, the newest first.
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
  m.client_type, m.server_type, m.verdict_direction, m.setting, m.verdict_kind, m.verdict_cause,
  round(m.onset_seconds, 1) AS onset_seconds,
  round(m.onset_low_seconds, 1) AS onset_low_seconds,
  round(m.onset_high_seconds, 1) AS onset_high_seconds,
  round(m.burst_bits_per_second / 1e9, 3) AS burst_gbits_per_second,
  round(m.baseline_bits_per_second / 1e9, 3) AS baseline_gbits_per_second,
  round(m.bucket_bits / 1e9, 2) AS bucket_gbits,
  round(m.published_client_baseline_bits_per_second / 1e9, 3) AS published_client_baseline_gbits_per_second,
  round(m.published_server_baseline_bits_per_second / 1e9, 3) AS published_server_baseline_gbits_per_second,
  m.confidence,
  cardinality(filter(m.witnesses, w -> w.agrees)) AS agreeing_witnesses,
  cardinality(filter(m.witnesses, w -> NOT w.agrees)) AS disagreeing_witnesses,
  m.status, m.run_id, m.measurement_id, m.day
FROM measurements AS m
CROSS JOIN checked AS p
WHERE m.day >= current_date - interval '1' day * p.days
  AND m.onset_seconds IS NOT NULL
  AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
ORDER BY m.day DESC, m.started_at DESC, m.run_id, m.measurement_id
