-- Comparison of instance types.
-- Which instance types give how much throughput, how long does the burst last, and how does that compare with what AWS
-- publishes? One row per pair of types and kind of measurement; medians over all runs of the last 90 days.
SELECT
  m.client_type,
  m.server_type,
  m.zone_relation,
  m.placement,
  m.path,
  m.protocol,
  m.parallel_streams,
  m.direction,
  count(*) AS measurement_count,
  count(m.onset_seconds) AS throttled_count,
  round(approx_percentile(m.throughput_mean_bits_per_second, 0.5) / 1e9, 3) AS mean_gbits_per_second,
  round(approx_percentile(m.throughput_p95_bits_per_second, 0.5) / 1e9, 3) AS p95_gbits_per_second,
  round(approx_percentile(m.burst_bits_per_second, 0.5) / 1e9, 3) AS burst_gbits_per_second,
  round(approx_percentile(m.baseline_bits_per_second, 0.5) / 1e9, 3) AS baseline_gbits_per_second,
  round(approx_percentile(m.onset_seconds, 0.5), 1) AS onset_seconds,
  round(approx_percentile(m.bucket_bits, 0.5) / 1e9, 2) AS bucket_gbits,
  round(max(least(m.published_client_peak_bits_per_second, m.published_server_peak_bits_per_second)) / 1e9, 3)
    AS published_peak_gbits_per_second,
  round(max(least(m.published_client_baseline_bits_per_second, m.published_server_baseline_bits_per_second)) / 1e9, 3)
    AS published_baseline_gbits_per_second,
  min(m.day) AS first_day,
  max(m.day) AS last_day
FROM measurements AS m
WHERE m.day >= CAST(current_date - interval '90' day AS varchar)
  AND m.tool = 'iperf3'
  AND m.status IN ('complete', 'truncated')
  AND m.throughput_mean_bits_per_second IS NOT NULL
GROUP BY
  m.client_type, m.server_type, m.zone_relation, m.placement, m.path, m.protocol, m.parallel_streams, m.direction
ORDER BY mean_gbits_per_second DESC, m.client_type, m.server_type, m.zone_relation, m.placement, m.direction
