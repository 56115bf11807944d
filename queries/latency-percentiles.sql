-- Latency percentiles.
-- How long does a round trip take between two instance types, by zone relation, placement and path? Medians of each
-- measurement's own percentiles over the last 90 days, and the worst round trip seen; microseconds.
SELECT
  m.client_type,
  m.server_type,
  m.zone_relation,
  m.placement,
  m.path,
  m.protocol,
  m.message_bytes,
  count(*) AS measurement_count,
  sum(m.observations) AS observations,
  round(approx_percentile(m.rtt_mean_micros, 0.5), 1) AS rtt_mean_micros,
  round(approx_percentile(m.rtt_p50_micros, 0.5), 1) AS rtt_p50_micros,
  round(approx_percentile(m.rtt_p90_micros, 0.5), 1) AS rtt_p90_micros,
  round(approx_percentile(m.rtt_p99_micros, 0.5), 1) AS rtt_p99_micros,
  round(approx_percentile(m.rtt_p99_9_micros, 0.5), 1) AS rtt_p99_9_micros,
  round(approx_percentile(m.rtt_p99_99_micros, 0.5), 1) AS rtt_p99_99_micros,
  round(max(m.rtt_max_micros), 1) AS rtt_max_micros,
  sum(m.dropped_messages) AS dropped_messages,
  min(m.day) AS first_day,
  max(m.day) AS last_day
FROM measurements AS m
WHERE m.day >= CAST(current_date - interval '90' day AS varchar)
  AND m.tool = 'sockperf'
  AND m.status IN ('complete', 'truncated')
  AND m.rtt_p50_micros IS NOT NULL
GROUP BY
  m.client_type, m.server_type, m.zone_relation, m.placement, m.path, m.protocol, m.message_bytes
ORDER BY rtt_p50_micros, m.client_type, m.server_type, m.message_bytes
