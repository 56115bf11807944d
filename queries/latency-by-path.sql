-- Latency by path.
-- What does the way between two hosts cost: private or public address, load balancer, VPC peering? One row per pair of types,
-- zone relation, path and kind of measurement: medians (of two middle ones the lower) of each measurement's mean, median and
-- far percentile over the last 90 days, in microseconds, and what the path adds to the private address measured in the same way.
-- A p99.99 of fewer than 10,000 round trips is left out: it is the longest one under another name.
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
    count(*) AS measurement_count,
    array_sort(array_agg(m.rtt_mean_micros)) AS means,
    array_sort(array_agg(m.rtt_p50_micros) FILTER (WHERE m.rtt_p50_micros IS NOT NULL)) AS p50s,
    array_sort(array_agg(m.rtt_p99_99_micros) FILTER (
      WHERE m.rtt_p99_99_micros IS NOT NULL AND m.observations >= 10000
    )) AS p99_99s,
    min(m.day) AS first_day,
    max(m.day) AS last_day
  FROM measurements AS m
  WHERE m.day >= CAST(current_date - interval '90' day AS varchar)
    AND m.status = 'complete'
    AND m.rtt_mean_micros IS NOT NULL
    AND m.ena_express = 'off'
  GROUP BY
    m.client_type, m.server_type, m.zone_relation, m.placement, m.path, m.tool, m.mode, m.protocol, m.message_bytes,
    m.messages_per_second, m.mtu_bytes
),
medians AS (
  SELECT
    *,
    element_at(means, CAST(ceil(cardinality(means) * 0.5) AS bigint)) AS rtt_mean,
    element_at(p50s, CAST(ceil(cardinality(p50s) * 0.5) AS bigint)) AS rtt_p50,
    element_at(p99_99s, CAST(ceil(cardinality(p99_99s) * 0.5) AS bigint)) AS rtt_p99_99
  FROM grouped
),
compared AS (
  SELECT
    *,
    max(CASE WHEN path = 'private' THEN rtt_mean END) OVER (
      PARTITION BY
        client_type, server_type, zone_relation, placement, tool, mode, protocol, message_bytes, messages_per_second, mtu_bytes
    ) AS private_mean
  FROM medians
)
SELECT
  client_type,
  server_type,
  zone_relation,
  placement,
  tool,
  mode,
  protocol,
  message_bytes,
  messages_per_second,
  mtu_bytes,
  path,
  measurement_count,
  round(rtt_mean, 1) AS rtt_mean_micros,
  round(rtt_p50, 1) AS rtt_p50_micros,
  round(rtt_p99_99, 1) AS rtt_p99_99_micros,
  round(rtt_mean - private_mean, 1) AS added_to_private_micros,
  first_day,
  last_day
FROM compared
ORDER BY
  client_type, server_type, zone_relation, placement, tool, mode, protocol, message_bytes,
  messages_per_second, mtu_bytes, rtt_mean_micros, path
