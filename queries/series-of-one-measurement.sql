-- Series of one measurement.
-- How did the throughput or the packets per second change second by second, and what did the ENA allowance counters of
-- both hosts show in the same second? Copy the day and the ids of a row of the view verdicts into `params`. The query
-- reads only the samples of that measurement, through the view measurement_series, and the measurements of that day.
WITH params AS (
  SELECT
    CAST(NULL AS date) AS day,         -- the run's day, e.g. date '2026-11-20'; NULL leaves out the level
    'burst-of-c5-20261120' AS run_id,  -- the name of the execution
    'p0001-m02' AS measurement_id      -- the ids of pair and measurement
),
onset AS (
  SELECT coalesce(max(m.onset_seconds), max(m.packet_onset_seconds)) AS onset_seconds
  FROM measurements AS m
  CROSS JOIN params AS p
  WHERE m.day = p.day
    AND m.run_id = p.run_id
    AND m.measurement_id = p.measurement_id
)
SELECT
  s.run_id, s.measurement_id, s.direction, s.second,
  round(s.throughput_bits_per_second / 1e9, 4) AS throughput_gbits_per_second,
  CASE WHEN s.second < o.onset_seconds THEN 'burst' WHEN o.onset_seconds IS NOT NULL THEN 'baseline' END AS level,
  s.retransmits, s.lost_packets, s.jitter_micros,
  s.client_bw_in_allowance_exceeded, s.client_bw_out_allowance_exceeded, s.client_pps_allowance_exceeded,
  s.server_bw_in_allowance_exceeded, s.server_bw_out_allowance_exceeded, s.server_pps_allowance_exceeded,
  round(s.packets_per_second, 1) AS packets_per_second
FROM measurement_series AS s
CROSS JOIN params AS p
CROSS JOIN onset AS o
WHERE s.run_id = p.run_id
  AND s.measurement_id = p.measurement_id
ORDER BY s.direction, s.second
