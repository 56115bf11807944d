-- Round trip by placement.
-- How near do a placement group and ENA Express bring two hosts? One row per pair of types, zone relation, placement and side of
-- ENA Express: the shortest and the longest round trip of all measurements of the last 90 days, and the median (of two middle
-- ones the lower) of their means, in microseconds. ENA Express may make an idle network slower: signs are as measured.
WITH grouped AS (
  SELECT
    m.client_type,
    m.server_type,
    m.zone_relation,
    m.placement,
    m.ena_express,
    m.ena_express_udp,
    m.tool,
    m.mode,
    m.protocol,
    m.message_bytes,
    m.messages_per_second,
    m.mtu_bytes,
    count(*) AS measurement_count,
    min(m.rtt_min_micros) AS rtt_min,
    array_sort(array_agg(m.rtt_mean_micros)) AS means,
    max(m.rtt_max_micros) AS rtt_max,
    min(m.day) AS first_day,
    max(m.day) AS last_day
  FROM measurements AS m
  WHERE m.day >= CAST(current_date - interval '90' day AS varchar)
    AND m.status = 'complete'
    AND m.rtt_mean_micros IS NOT NULL
    AND m.path = 'private'
  GROUP BY
    m.client_type, m.server_type, m.zone_relation, m.placement, m.ena_express, m.ena_express_udp, m.tool, m.mode, m.protocol,
    m.message_bytes, m.messages_per_second, m.mtu_bytes
)
SELECT
  client_type,
  server_type,
  tool,
  mode,
  protocol,
  message_bytes,
  messages_per_second,
  mtu_bytes,
  zone_relation,
  placement,
  ena_express,
  ena_express_udp,
  measurement_count,
  round(rtt_min, 1) AS rtt_min_micros,
  round(element_at(means, CAST(ceil(cardinality(means) * 0.5) AS bigint)), 1) AS rtt_mean_micros,
  round(rtt_max, 1) AS rtt_max_micros,
  first_day,
  last_day
FROM grouped
ORDER BY
  client_type, server_type, tool, mode, protocol, message_bytes, messages_per_second, mtu_bytes, zone_relation, placement,
  ena_express, ena_express_udp
