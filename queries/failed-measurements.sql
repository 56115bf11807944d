-- Failed measurements.
-- What was not measured completely, and why? There is one row per measurement that failed, ended early or did not
-- apply, the newest first, with the outcome of its run.
WITH params AS (
  SELECT
    90 AS days,          -- how many days back
    '%' AS plan_pattern  -- plans whose name is like this, e.g. 'weekly%'
),
checked AS (
  SELECT
    CAST(if(regexp_like(CAST(days AS varchar), '^[0-9]+$'), '', 'days: must be a whole number, got ')
      || coalesce(CAST(days AS varchar), 'NULL') AS integer) AS days,
    replace(plan_pattern, '_', '!_') AS plan_pattern
  FROM params
)
SELECT
  m.day, m.run_id, m.run_outcome AS outcome, m.measurement_id, m.tool, m.client_type, m.server_type, m.client_zone,
  m.client_zone_id, m.server_zone, m.server_zone_id, m.status, m.reason, m.sample_count, m.duration_seconds,
  m.run_interrupted_reason AS interrupted_reason
FROM measurements AS m
CROSS JOIN checked AS p
WHERE m.day >= current_date - interval '1' day * p.days
  AND m.status <> 'complete'
  AND m.plan_name LIKE p.plan_pattern ESCAPE '!'
ORDER BY m.day DESC, m.run_id, m.measurement_id
