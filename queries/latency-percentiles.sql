-- Latency percentiles.
-- How long does a round trip take between two instance types, by zone relation, placement, path and tool? Medians (of two middle
-- ones the lower) of each measurement's own percentiles over the last 90 days, and the worst round trip seen; microseconds. Of
-- round trips that are too few for a percentile (100 for p99, 1,000 for p99.9, 10,000 for p99.99) it is left out.
WITH grouped AS (
  SELECT
    m.client_type,
    m.server_type,
    m.zone_relation,
    m.placement,
    m.path,
    m.tool,
    m.mode,
    m.protocol,
    m.message_bytes,
    m.messages_per_second,
    m.mtu_bytes,
    m.ena_express,
    m.ena_express_udp,
    count(*) AS measurement_count,
    sum(m.observations) AS observations,
    array_sort(array_agg(m.rtt_mean_micros) FILTER (WHERE m.rtt_mean_micros IS NOT NULL)) AS mean_values,
    array_sort(array_agg(m.rtt_p50_micros)) AS p50_values,
    array_sort(array_agg(m.rtt_p90_micros) FILTER (WHERE m.rtt_p90_micros IS NOT NULL)) AS p90_values,
    array_sort(array_agg(m.rtt_p99_micros) FILTER (
      WHERE m.rtt_p99_micros IS NOT NULL AND m.observations >= 100
    )) AS p99_values,
    array_sort(array_agg(m.rtt_p99_9_micros) FILTER (
      WHERE m.rtt_p99_9_micros IS NOT NULL AND m.observations >= 1000
    )) AS p99_9_values,
    array_sort(array_agg(m.rtt_p99_99_micros) FILTER (
      WHERE m.rtt_p99_99_micros IS NOT NULL AND m.observations >= 10000
    )) AS p99_99_values,
    max(m.rtt_max_micros) AS rtt_max_micros,
    sum(m.dropped_messages) AS dropped_messages,
    min(m.day) AS first_day,
    max(m.day) AS last_day
  FROM measurements AS m
  WHERE m.day >= CAST(current_date - interval '90' day AS varchar)
    AND m.kind = 'latency'
    AND m.status IN ('complete', 'truncated')
    AND m.rtt_p50_micros IS NOT NULL
  GROUP BY
    m.client_type, m.server_type, m.zone_relation, m.placement, m.path, m.tool, m.mode, m.protocol, m.message_bytes,
    m.messages_per_second, m.mtu_bytes, m.ena_express, m.ena_express_udp
)
SELECT
  client_type,
  server_type,
  zone_relation,
  placement,
  path,
  tool,
  mode,
  protocol,
  message_bytes,
  messages_per_second,
  mtu_bytes,
  ena_express,
  ena_express_udp,
  measurement_count,
  observations,
  round(element_at(mean_values, CAST(ceil(cardinality(mean_values) * 0.5) AS bigint)), 1) AS rtt_mean_micros,
  round(element_at(p50_values, CAST(ceil(cardinality(p50_values) * 0.5) AS bigint)), 1) AS rtt_p50_micros,
  round(element_at(p90_values, CAST(ceil(cardinality(p90_values) * 0.5) AS bigint)), 1) AS rtt_p90_micros,
  round(element_at(p99_values, CAST(ceil(cardinality(p99_values) * 0.5) AS bigint)), 1) AS rtt_p99_micros,
  round(element_at(p99_9_values, CAST(ceil(cardinality(p99_9_values) * 0.5) AS bigint)), 1) AS rtt_p99_9_micros,
  round(element_at(p99_99_values, CAST(ceil(cardinality(p99_99_values) * 0.5) AS bigint)), 1) AS rtt_p99_99_micros,
  round(rtt_max_micros, 1) AS rtt_max_micros,
  dropped_messages,
  first_day,
  last_day
FROM grouped
ORDER BY
  rtt_p50_micros, client_type, server_type, zone_relation, placement, path, tool, mode, protocol, message_bytes,
  messages_per_second, mtu_bytes, ena_express, ena_express_udp
