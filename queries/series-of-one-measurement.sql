-- Series of one measurement.
-- What did the throughput do, second by second, and what did the ENA allowance counters of both hosts say in the same
-- second? Put the run, the measurement and the day into `params`: with its day, the query reads only that day. Left
-- NULL, it is the newest throughput measurement of the last 90 days.
WITH params AS (
  SELECT CAST(NULL AS varchar) AS run_id, CAST(NULL AS varchar) AS measurement_id, CAST(NULL AS date) AS day
),
chosen AS (
  SELECT m.day, m.run_id, m.measurement_id, m.onset_seconds
  FROM measurements AS m
  CROSS JOIN params AS p
  WHERE m.day >= current_date - interval '90' day
    AND m.day = coalesce(p.day, m.day)
    AND m.kind = 'throughput'
    AND m.sample_count > 0
    AND m.run_id = coalesce(p.run_id, m.run_id)
    AND m.measurement_id = coalesce(p.measurement_id, m.measurement_id)
  ORDER BY m.started_at DESC, m.run_id, m.measurement_id
  LIMIT 1
)
SELECT
  s.run_id, s.measurement_id, s.direction, s.second,
  round(s.throughput_bits_per_second / 1e9, 4) AS throughput_gbits_per_second,
  CASE WHEN s.second < c.onset_seconds THEN 'burst' WHEN c.onset_seconds IS NOT NULL THEN 'baseline' END AS level,
  s.retransmits, s.lost_packets, s.jitter_micros,
  s.client_bw_in_allowance_exceeded, s.client_bw_out_allowance_exceeded, s.client_pps_allowance_exceeded,
  s.server_bw_in_allowance_exceeded, s.server_bw_out_allowance_exceeded, s.server_pps_allowance_exceeded
FROM series AS s
INNER JOIN chosen AS c
  ON s.day = c.day
  AND s.run_id = c.run_id
  AND s.measurement_id = c.measurement_id
WHERE s.day >= current_date - interval '90' day
ORDER BY s.direction, s.second
