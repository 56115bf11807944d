-- Failed measurements.
-- What was not measured whole in the last 90 days, and why? One row per measurement that failed, ended early or did not
-- apply, newest first, with the outcome of its run.
SELECT
  m.day, m.run_id, r.outcome, m.measurement_id, m.tool, m.client_type, m.server_type, m.client_zone,
  m.server_zone, m.status, m.reason, m.sample_count, m.duration_seconds, r.interrupted_reason
FROM measurements AS m
LEFT JOIN runs AS r
  ON r.day = m.day
  AND r.run_id = m.run_id
WHERE m.day >= current_date - interval '90' day
  AND m.status <> 'complete'
ORDER BY m.day DESC, m.run_id, m.measurement_id
