-- Series of one measurement.
-- What did the throughput do, second by second, and what did the ENA allowance counters of both hosts say in the same
-- second? Put the run and the measurement in `params`; left NULL, it is the newest throughput measurement of the last
-- 90 days.
WITH params AS (SELECT CAST(NULL AS varchar) AS run_id, CAST(NULL AS varchar) AS measurement_id),
chosen AS (
  SELECT m.*
  FROM measurements AS m
  CROSS JOIN params AS p
  WHERE m.day >= current_date - interval '90' day
    AND m.kind = 'throughput'
    AND m.sample_count > 0
    AND m.run_id = coalesce(p.run_id, m.run_id)
    AND m.measurement_id = coalesce(p.measurement_id, m.measurement_id)
  ORDER BY m.started_at DESC, m.run_id, m.measurement_id
  LIMIT 1
),
of_chosen AS (
  SELECT s.*, c.onset_seconds
  FROM samples AS s
  INNER JOIN chosen AS c
    ON s.day = c.day
    AND s.run_id = c.run_id
    AND s.measurement_id = c.measurement_id
),
sent AS (
  SELECT direction, start_seconds, retransmits, congestion_window_bytes
  FROM of_chosen
  WHERE metric = 'sent_throughput' AND stream = 'sum'
),
allowance AS (
  SELECT
    CAST(floor(start_seconds) AS bigint) AS second,
    sum(bw_in_allowance_exceeded) AS bw_in_allowance_exceeded,
    sum(bw_out_allowance_exceeded) AS bw_out_allowance_exceeded,
    sum(pps_allowance_exceeded) AS pps_allowance_exceeded
  FROM of_chosen
  WHERE metric = 'allowance'
  GROUP BY CAST(floor(start_seconds) AS bigint)
)
SELECT
  t.run_id, t.measurement_id, t.direction, t.start_seconds, t.length_seconds,
  round(t.throughput_bits_per_second / 1e9, 4) AS throughput_gbits_per_second,
  CASE WHEN t.start_seconds < t.onset_seconds THEN 'burst' WHEN t.onset_seconds IS NOT NULL THEN 'baseline' END AS level,
  coalesce(t.retransmits, sent.retransmits) AS retransmits,
  t.lost_packets, t.jitter_micros, a.bw_in_allowance_exceeded, a.bw_out_allowance_exceeded,
  a.pps_allowance_exceeded
FROM of_chosen AS t
LEFT JOIN sent
  ON sent.direction = t.direction
  AND abs(sent.start_seconds - t.start_seconds) < 0.5
LEFT JOIN allowance AS a
  ON a.second = CAST(floor(t.start_seconds) AS bigint)
WHERE t.metric = 'throughput'
  AND t.stream = 'sum'
ORDER BY t.direction, t.start_seconds
