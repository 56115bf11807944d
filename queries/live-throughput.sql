-- Live throughput.
-- How fast is it right now? The latest second, the last ten and the whole of every throughput measurement of today and
-- yesterday, the running ones included: rows arrive some ten seconds after the tool has printed them and stay for three
-- days.
WITH params AS (
  SELECT
    CAST(1 AS integer) AS days  -- how many days back; 1 is today and yesterday
),
rates AS (
  SELECT
    l.*,
    max(l.start_seconds) OVER (PARTITION BY l.run_id, l.measurement_id, l.direction, l.host_role) AS latest_seconds
  FROM live_samples AS l
  CROSS JOIN params AS p
  WHERE l.day >= current_date - interval '1' day * p.days
    AND l.metric = 'throughput'
    AND l.stream = 'sum'
    AND l.throughput_bits_per_second IS NOT NULL
)
SELECT
  s.run_id, s.measurement_id, s.direction, s.host_role, s.started_at,
  count(*) AS sample_count,
  round(max(s.start_seconds + s.length_seconds), 1) AS measured_seconds,
  round(max_by(s.throughput_bits_per_second, s.start_seconds) / 1e9, 3) AS latest_gbits_per_second,
  round(avg(CASE WHEN s.start_seconds > s.latest_seconds - 10 THEN s.throughput_bits_per_second END) / 1e9, 3)
    AS last_10_seconds_gbits_per_second,
  round(avg(s.throughput_bits_per_second) / 1e9, 3) AS mean_gbits_per_second
FROM rates AS s
GROUP BY s.run_id, s.measurement_id, s.direction, s.host_role, s.started_at
ORDER BY s.started_at DESC, s.run_id, s.measurement_id, s.direction
