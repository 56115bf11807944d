-- Series.
-- What happened second by second? There is one row per second and direction of each measurement of throughput or
-- packets, with the counters of both hosts in the same second. An interval belongs to the second in which its middle
-- lies, whatever its metric is, because counters are not read when the tool's intervals end. A query that names day,
-- run_id and measurement_id reads only that day. A query that leaves out the columns of a metric does not read that
-- metric.
SELECT
  t.day, t.run_id, t.pair_id, t.measurement_id, t.direction, t.second,
  m.started_at + t.second * interval '1' second AS at,
  t.throughput_bits_per_second,
  coalesce(t.retransmits, s.retransmits) AS retransmits,
  coalesce(t.congestion_window_bytes, s.congestion_window_bytes) AS congestion_window_bytes,
  t.lost_packets, t.sent_packets, t.jitter_micros,
  a.client_bw_in_allowance_exceeded, a.client_bw_out_allowance_exceeded, a.client_pps_allowance_exceeded,
  a.server_bw_in_allowance_exceeded, a.server_bw_out_allowance_exceeded, a.server_pps_allowance_exceeded,
  i.client_received_bits_per_second, i.client_sent_bits_per_second,
  i.server_received_bits_per_second, i.server_sent_bits_per_second,
  c.client_user_cpu_percent, c.client_system_cpu_percent, c.server_user_cpu_percent, c.server_system_cpu_percent,
  r.rtt_median_micros, r.rtt_max_micros, r.observations,
  t.packets_per_second,
  a.client_conntrack_allowance_exceeded, a.client_linklocal_allowance_exceeded,
  a.server_conntrack_allowance_exceeded, a.server_linklocal_allowance_exceeded,
  i.client_received_packets_per_second, i.client_sent_packets_per_second,
  i.server_received_packets_per_second, i.server_sent_packets_per_second,
  c.client_waiting_cpu_percent, c.client_cpu_pressure_percent, c.client_steal_cpu_percent,
  c.server_waiting_cpu_percent, c.server_cpu_pressure_percent, c.server_steal_cpu_percent
FROM (
  -- If a second has several intervals, they are weighted by their lengths. No measurement has both metrics (throughput
  -- and packets).
  SELECT
    day, run_id, pair_id, measurement_id, direction,
    CAST(floor(start_seconds + length_seconds / 2) AS bigint) AS second,
    sum(throughput_bits_per_second * length_seconds) / sum(length_seconds) AS throughput_bits_per_second,
    sum(retransmits) AS retransmits,
    max(congestion_window_bytes) AS congestion_window_bytes,
    sum(lost_packets) AS lost_packets,
    sum(sent_packets) AS sent_packets,
    avg(jitter_micros) AS jitter_micros,
    sum(packets_per_second * length_seconds) / sum(length_seconds) AS packets_per_second
  FROM samples
  WHERE metric IN ('throughput', 'packets')
    AND stream = 'sum'
  GROUP BY 1, 2, 3, 4, 5, 6
) AS t
-- Each of the following subqueries always gives one row. If a query selects none of a subquery's columns, Trino
-- therefore drops the subquery, which it does for no other join.
CROSS JOIN LATERAL (
  SELECT CAST(from_iso8601_timestamp(max(started_at)) AS timestamp) AS started_at
  FROM measurements AS w
  WHERE w.day = t.day
    AND w.run_id = t.run_id
    AND w.measurement_id = t.measurement_id
) AS m
CROSS JOIN LATERAL (
  SELECT sum(retransmits) AS retransmits, max(congestion_window_bytes) AS congestion_window_bytes
  FROM samples AS w
  WHERE w.metric = 'sent_throughput'
    AND w.stream = 'sum'
    AND w.day = t.day
    AND w.run_id = t.run_id
    AND w.measurement_id = t.measurement_id
    AND w.direction = t.direction
    AND CAST(floor(w.start_seconds + w.length_seconds / 2) AS bigint) = t.second
) AS s
CROSS JOIN LATERAL (
  SELECT
    sum(bw_in_allowance_exceeded) FILTER (WHERE host_role = 'client') AS client_bw_in_allowance_exceeded,
    sum(bw_out_allowance_exceeded) FILTER (WHERE host_role = 'client') AS client_bw_out_allowance_exceeded,
    sum(pps_allowance_exceeded) FILTER (WHERE host_role = 'client') AS client_pps_allowance_exceeded,
    sum(bw_in_allowance_exceeded) FILTER (WHERE host_role = 'server') AS server_bw_in_allowance_exceeded,
    sum(bw_out_allowance_exceeded) FILTER (WHERE host_role = 'server') AS server_bw_out_allowance_exceeded,
    sum(pps_allowance_exceeded) FILTER (WHERE host_role = 'server') AS server_pps_allowance_exceeded,
    sum(conntrack_allowance_exceeded) FILTER (WHERE host_role = 'client') AS client_conntrack_allowance_exceeded,
    sum(linklocal_allowance_exceeded) FILTER (WHERE host_role = 'client') AS client_linklocal_allowance_exceeded,
    sum(conntrack_allowance_exceeded) FILTER (WHERE host_role = 'server') AS server_conntrack_allowance_exceeded,
    sum(linklocal_allowance_exceeded) FILTER (WHERE host_role = 'server') AS server_linklocal_allowance_exceeded
  FROM samples AS w
  WHERE w.metric = 'allowance'
    AND w.day = t.day
    AND w.run_id = t.run_id
    AND w.measurement_id = t.measurement_id
    AND CAST(floor(w.start_seconds + w.length_seconds / 2) AS bigint) = t.second
) AS a
CROSS JOIN LATERAL (
  SELECT
    avg(received_bits_per_second) FILTER (WHERE host_role = 'client') AS client_received_bits_per_second,
    avg(sent_bits_per_second) FILTER (WHERE host_role = 'client') AS client_sent_bits_per_second,
    avg(received_bits_per_second) FILTER (WHERE host_role = 'server') AS server_received_bits_per_second,
    avg(sent_bits_per_second) FILTER (WHERE host_role = 'server') AS server_sent_bits_per_second,
    avg(received_packets_per_second) FILTER (WHERE host_role = 'client') AS client_received_packets_per_second,
    avg(sent_packets_per_second) FILTER (WHERE host_role = 'client') AS client_sent_packets_per_second,
    avg(received_packets_per_second) FILTER (WHERE host_role = 'server') AS server_received_packets_per_second,
    avg(sent_packets_per_second) FILTER (WHERE host_role = 'server') AS server_sent_packets_per_second
  FROM samples AS w
  WHERE w.metric = 'interface'
    AND w.day = t.day
    AND w.run_id = t.run_id
    AND w.measurement_id = t.measurement_id
    AND CAST(floor(w.start_seconds + w.length_seconds / 2) AS bigint) = t.second
) AS i
CROSS JOIN LATERAL (
  SELECT
    avg(user_cpu_percent) FILTER (WHERE host_role = 'client') AS client_user_cpu_percent,
    avg(system_cpu_percent) FILTER (WHERE host_role = 'client') AS client_system_cpu_percent,
    avg(user_cpu_percent) FILTER (WHERE host_role = 'server') AS server_user_cpu_percent,
    avg(system_cpu_percent) FILTER (WHERE host_role = 'server') AS server_system_cpu_percent,
    avg(waiting_cpu_percent) FILTER (WHERE host_role = 'client') AS client_waiting_cpu_percent,
    avg(cpu_pressure_percent) FILTER (WHERE host_role = 'client') AS client_cpu_pressure_percent,
    avg(steal_cpu_percent) FILTER (WHERE host_role = 'client') AS client_steal_cpu_percent,
    avg(waiting_cpu_percent) FILTER (WHERE host_role = 'server') AS server_waiting_cpu_percent,
    avg(cpu_pressure_percent) FILTER (WHERE host_role = 'server') AS server_cpu_pressure_percent,
    avg(steal_cpu_percent) FILTER (WHERE host_role = 'server') AS server_steal_cpu_percent
  FROM samples AS w
  WHERE w.metric = 'tool_cpu'
    AND w.day = t.day
    AND w.run_id = t.run_id
    AND w.measurement_id = t.measurement_id
    AND CAST(floor(w.start_seconds + w.length_seconds / 2) AS bigint) = t.second
) AS c
CROSS JOIN LATERAL (
  SELECT
    max(rtt_median_micros) AS rtt_median_micros,
    max(rtt_max_micros) AS rtt_max_micros,
    sum(observations) AS observations
  FROM samples AS w
  WHERE w.metric = 'round_trip'
    AND w.day = t.day
    AND w.run_id = t.run_id
    AND w.measurement_id = t.measurement_id
    AND CAST(floor(w.start_seconds + w.length_seconds / 2) AS bigint) = t.second
) AS r
