-- Throughput by streams.
-- How much do parallel streams carry together, and from how many on do more add nothing? One row per kind of transfer and number
-- of streams: median (of two middle ones the lower) of the throughput over the last 90 days, what it gained over the next fewer
-- streams, the slowest and the fastest stream, how many streams lagged, and the tool's processor time on both hosts.
WITH grouped AS (
  SELECT
    m.client_type,
    m.server_type,
    m.zone_relation,
    m.placement,
    m.path,
    m.mtu_bytes,
    m.tool,
    m.mode,
    m.scheme,
    m.protocol,
    m.direction,
    m.object_bytes,
    m.range_bytes,
    m.target_bits_per_second,
    m.duty_on_seconds,
    m.duty_off_seconds,
    m.duration_seconds,
    m.parallel_streams,
    count(*) AS measurement_count,
    array_sort(array_agg(m.throughput_mean_bits_per_second)) AS means,
    min(array_min(m.stream_bits_per_second)) AS slowest_stream,
    max(array_max(m.stream_bits_per_second)) AS fastest_stream,
    sum(m.straggler_count) AS straggler_count,
    max(m.client_user_cpu_percent + m.client_system_cpu_percent) AS client_cpu_percent,
    max(m.server_user_cpu_percent + m.server_system_cpu_percent) AS server_cpu_percent,
    min(m.day) AS first_day,
    max(m.day) AS last_day
  FROM measurements AS m
  WHERE m.day >= CAST(current_date - interval '90' day AS varchar)
    AND m.status = 'complete'
    AND m.parallel_streams IS NOT NULL
    AND m.ena_express = 'off'
    AND m.throughput_mean_bits_per_second IS NOT NULL
  GROUP BY
    m.client_type, m.server_type, m.zone_relation, m.placement, m.path, m.mtu_bytes, m.tool, m.mode, m.scheme, m.protocol,
    m.direction, m.object_bytes, m.range_bytes, m.target_bits_per_second, m.duty_on_seconds, m.duty_off_seconds,
    m.duration_seconds, m.parallel_streams
),
medians AS (
  SELECT
    *,
    element_at(means, CAST(ceil(cardinality(means) * 0.5) AS bigint)) AS throughput
  FROM grouped
),
stepped AS (
  SELECT
    *,
    lag(throughput, 1) OVER (
      PARTITION BY
        client_type, server_type, zone_relation, placement, path, mtu_bytes, tool, mode, scheme, protocol, direction,
        object_bytes, range_bytes, target_bits_per_second, duty_on_seconds, duty_off_seconds, duration_seconds
      ORDER BY parallel_streams
    ) AS fewer_streams_throughput
  FROM medians
)
SELECT
  client_type,
  server_type,
  zone_relation,
  placement,
  path,
  mtu_bytes,
  tool,
  mode,
  scheme,
  protocol,
  direction,
  object_bytes,
  range_bytes,
  target_bits_per_second,
  duty_on_seconds,
  duty_off_seconds,
  duration_seconds,
  parallel_streams,
  measurement_count,
  round(throughput / 1e9, 3) AS throughput_gbits_per_second,
  CASE
    WHEN fewer_streams_throughput > 0 THEN round(throughput / fewer_streams_throughput - 1, 3)
  END AS gain_over_fewer_streams,
  round(slowest_stream / 1e9, 3) AS slowest_stream_gbits_per_second,
  round(fastest_stream / 1e9, 3) AS fastest_stream_gbits_per_second,
  straggler_count,
  round(client_cpu_percent, 1) AS client_cpu_percent,
  round(server_cpu_percent, 1) AS server_cpu_percent,
  first_day,
  last_day
FROM stepped
ORDER BY
  client_type, server_type, zone_relation, placement, path, mtu_bytes, tool, mode, scheme, protocol, direction, object_bytes,
  range_bytes, target_bits_per_second, duty_on_seconds, duty_off_seconds, duration_seconds, parallel_streams
