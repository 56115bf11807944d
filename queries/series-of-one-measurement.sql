-- Series of one measurement.
-- What did the throughput do, or the packets per second, second by second, and what did the ENA allowance counters of
-- both hosts say in the same second? Copy the day and the ids of a row of the view verdicts into `params`. It reads the
-- samples of that measurement alone, and the measurements of that day. An interval belongs to the second in which its
-- middle lies, as in the view series.
WITH params AS (
  SELECT
    CAST(NULL AS date) AS day,         -- of the run, e.g. date '2026-11-20', or NULL without the level
    'burst-of-c5-20261120' AS run_id,  -- name of the execution
    'p0001-m02' AS measurement_id      -- pair and measurement
),
directions AS (
  SELECT
    s.run_id, s.measurement_id, s.direction,
    CAST(floor(s.start_seconds + s.length_seconds / 2) AS bigint) AS second,
    count(*) FILTER (WHERE s.metric IN ('throughput', 'packets')) AS measured_intervals,
    sum(s.throughput_bits_per_second * s.length_seconds) FILTER (WHERE s.metric = 'throughput')
      / sum(s.length_seconds) FILTER (WHERE s.metric = 'throughput') AS throughput_bits_per_second,
    sum(s.packets_per_second * s.length_seconds) FILTER (WHERE s.metric = 'packets')
      / sum(s.length_seconds) FILTER (WHERE s.metric = 'packets') AS packets_per_second,
    coalesce(
      sum(s.retransmits) FILTER (WHERE s.metric = 'throughput'),
      sum(s.retransmits) FILTER (WHERE s.metric = 'sent_throughput')
    ) AS retransmits,
    sum(s.lost_packets) FILTER (WHERE s.metric = 'throughput') AS lost_packets,
    avg(s.jitter_micros) FILTER (WHERE s.metric = 'throughput') AS jitter_micros,
    sum(s.bw_in_allowance_exceeded) FILTER (WHERE s.host_role = 'client') AS client_bw_in,
    sum(s.bw_out_allowance_exceeded) FILTER (WHERE s.host_role = 'client') AS client_bw_out,
    sum(s.pps_allowance_exceeded) FILTER (WHERE s.host_role = 'client') AS client_pps,
    sum(s.bw_in_allowance_exceeded) FILTER (WHERE s.host_role = 'server') AS server_bw_in,
    sum(s.bw_out_allowance_exceeded) FILTER (WHERE s.host_role = 'server') AS server_bw_out,
    sum(s.pps_allowance_exceeded) FILTER (WHERE s.host_role = 'server') AS server_pps
  FROM measurement_samples AS s
  CROSS JOIN params AS p
  WHERE s.run_id = p.run_id
    AND s.measurement_id = p.measurement_id
    AND (s.metric = 'allowance' OR (s.metric IN ('throughput', 'packets', 'sent_throughput') AND s.stream = 'sum'))
  GROUP BY 1, 2, 3, 4
),
-- The counters of a host count both directions of a second.
seconds AS (
  SELECT
    *,
    sum(client_bw_in) OVER (PARTITION BY second) AS client_bw_in_allowance_exceeded,
    sum(client_bw_out) OVER (PARTITION BY second) AS client_bw_out_allowance_exceeded,
    sum(client_pps) OVER (PARTITION BY second) AS client_pps_allowance_exceeded,
    sum(server_bw_in) OVER (PARTITION BY second) AS server_bw_in_allowance_exceeded,
    sum(server_bw_out) OVER (PARTITION BY second) AS server_bw_out_allowance_exceeded,
    sum(server_pps) OVER (PARTITION BY second) AS server_pps_allowance_exceeded
  FROM directions
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
FROM seconds AS s
CROSS JOIN onset AS o
WHERE s.measured_intervals > 0
ORDER BY s.direction, s.second
