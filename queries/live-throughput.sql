-- Live throughput.
-- How fast is a run right now? For each throughput measurement that the run made today or yesterday, the rows have the
-- rates of the latest second, of the last ten seconds and of the whole measurement so far. Samples arrive some ten
-- seconds after the tool has printed them, and are kept for three days. Put the name of your run in place of the
-- example in `params`; only that run's objects are read. For http and s3, the rate is that of the client's network
-- interface, headers included.
WITH params AS (
  SELECT
    1 AS days,                    -- how many days back, where 1 is today and yesterday
    'name-of-your-run' AS run_id  -- an example; put the name of your run here
),
checked AS (
  SELECT
    CAST(if(regexp_like(CAST(days AS varchar), '^[0-9]+$'), '', 'days: must be a whole number, got ')
      || coalesce(CAST(days AS varchar), 'NULL') AS integer) AS days,
    run_id
  FROM params
),
rates AS (
  SELECT
    l.*,
    max(l.start_seconds) OVER (PARTITION BY l.measurement_id, l.direction, l.host_role) AS latest_seconds
  FROM live_samples AS l
  CROSS JOIN checked AS p
  WHERE l.day >= current_date - interval '1' day * p.days
    AND l.run_id = p.run_id
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
