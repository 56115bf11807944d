-- Measurement series.
-- What happened second by second in one measurement? The rows are those of the view series, with its first columns
-- except day and at. They are read from the single object that has the measurement's samples, even while the
-- measurement's run goes on. A query must name run_id and measurement_id.
SELECT
  run_id, pair_id, measurement_id, of_direction AS direction, second,
  sum(throughput_bits_per_second * length_seconds) FILTER (WHERE is_measured)
    / sum(length_seconds) FILTER (WHERE is_measured) AS throughput_bits_per_second,
  coalesce(sum(retransmits) FILTER (WHERE is_measured), sum(retransmits) FILTER (WHERE is_sent)) AS retransmits,
  coalesce(
    max(congestion_window_bytes) FILTER (WHERE is_measured), max(congestion_window_bytes) FILTER (WHERE is_sent)
  ) AS congestion_window_bytes,
  sum(lost_packets) FILTER (WHERE is_measured) AS lost_packets,
  sum(sent_packets) FILTER (WHERE is_measured) AS sent_packets,
  avg(jitter_micros) FILTER (WHERE is_measured) AS jitter_micros,
  sum(bw_in_allowance_exceeded) FILTER (WHERE is_client) AS client_bw_in_allowance_exceeded,
  sum(bw_out_allowance_exceeded) FILTER (WHERE is_client) AS client_bw_out_allowance_exceeded,
  sum(pps_allowance_exceeded) FILTER (WHERE is_client) AS client_pps_allowance_exceeded,
  sum(bw_in_allowance_exceeded) FILTER (WHERE NOT is_client) AS server_bw_in_allowance_exceeded,
  sum(bw_out_allowance_exceeded) FILTER (WHERE NOT is_client) AS server_bw_out_allowance_exceeded,
  sum(pps_allowance_exceeded) FILTER (WHERE NOT is_client) AS server_pps_allowance_exceeded,
  avg(received_bits_per_second) FILTER (WHERE is_client) AS client_received_bits_per_second,
  avg(sent_bits_per_second) FILTER (WHERE is_client) AS client_sent_bits_per_second,
  avg(received_bits_per_second) FILTER (WHERE NOT is_client) AS server_received_bits_per_second,
  avg(sent_bits_per_second) FILTER (WHERE NOT is_client) AS server_sent_bits_per_second,
  avg(user_cpu_percent) FILTER (WHERE is_client) AS client_user_cpu_percent,
  avg(system_cpu_percent) FILTER (WHERE is_client) AS client_system_cpu_percent,
  avg(user_cpu_percent) FILTER (WHERE NOT is_client) AS server_user_cpu_percent,
  avg(system_cpu_percent) FILTER (WHERE NOT is_client) AS server_system_cpu_percent,
  max(rtt_median_micros) AS rtt_median_micros,
  max(rtt_max_micros) AS rtt_max_micros,
  sum(observations) AS observations,
  sum(packets_per_second * length_seconds) FILTER (WHERE is_measured)
    / sum(length_seconds) FILTER (WHERE is_measured) AS packets_per_second
FROM (
  -- A host's counters belong to both directions.
  SELECT
    *,
    CAST(floor(start_seconds + length_seconds / 2) AS bigint) AS second,
    host_role = 'client' AS is_client,
    metric IN ('throughput', 'packets') AND stream = 'sum' AS is_measured,
    metric = 'sent_throughput' AND stream = 'sum' AS is_sent,
    CASE
      WHEN metric IN ('throughput', 'packets', 'sent_throughput', 'stream_throughput') THEN ARRAY[direction]
      ELSE ARRAY['forward', 'reverse']
    END AS directions
  FROM measurement_samples
) AS s
CROSS JOIN UNNEST(directions) AS d (of_direction)
GROUP BY run_id, pair_id, measurement_id, of_direction, second
HAVING count(*) FILTER (WHERE is_measured) > 0
