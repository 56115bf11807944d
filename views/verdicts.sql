-- Verdicts.
-- What came out of each measurement? There is one row per measurement, with the columns that most questions need; runs
-- that have not ended are included. Everything else about a measurement is in the table measurements.
SELECT
  day, run_id, plan_name, pair_id, measurement_id, tool, kind, protocol, direction, parallel_streams,
  target_bits_per_second, duration_seconds,
  client_type, server_type, zone_relation, placement, path, setting, cell,
  status, reason,
  CAST(from_iso8601_timestamp(started_at) AS timestamp) AS started_at,
  CAST(from_iso8601_timestamp(ended_at) AS timestamp) AS ended_at,
  throughput_mean_bits_per_second, rtt_p50_micros, rtt_p99_micros,
  rtt_before_onset_p99_micros, rtt_after_onset_p99_micros,
  verdict_kind, verdict_cause, verdict_direction,
  CASE throttled_end WHEN 'client' THEN client_type WHEN 'server' THEN server_type END AS throttled_type,
  throttled_bucket,
  onset_seconds, burst_bits_per_second, baseline_bits_per_second,
  CASE throttled_end
    WHEN 'client' THEN published_client_baseline_bits_per_second
    WHEN 'server' THEN published_server_baseline_bits_per_second
  END AS published_baseline_bits_per_second,
  CASE throttled_end
    WHEN 'client' THEN published_client_peak_bits_per_second
    WHEN 'server' THEN published_server_peak_bits_per_second
  END AS published_peak_bits_per_second,
  bucket_bits, refill_seconds,
  sustained_bits_per_second, sustained_bound,
  held_1_gbit, held_1_gbit_seconds, held_2_gbit, held_2_gbit_seconds,
  held_5_gbit, held_5_gbit_seconds, held_10_gbit, held_10_gbit_seconds,
  confidence, explanation,
  expected_usd, cost_usd, client_hourly_usd, server_hourly_usd,
  client_zone_id, server_zone_id, is_displaced,
  client_subnet_id, server_subnet_id, client_vpc_id, server_vpc_id, client_image_id, server_image_id,
  packets_limited_by, packet_onset_seconds,
  burst_packets_per_second, baseline_packets_per_second,
  client_cpu_credits, server_cpu_credits,
  cpu_contention,
  round_trips_limited_by,
  -- Rows of version 0.3.0 have zones but no region.
  coalesce(region, regexp_extract(client_zone, '^[a-z]+(-[a-z]+)+-[0-9]+')) AS region,
  scaled_model, scaled_model_rate_divisor, scaled_model_time_divisor, price_list
FROM (
  SELECT
    *,
    CASE
      WHEN throttled_by = 'sender' AND verdict_direction = 'forward' THEN 'client'
      WHEN throttled_by = 'receiver' AND verdict_direction = 'reverse' THEN 'client'
      WHEN throttled_by IS NOT NULL THEN 'server'
      -- Even if it is not known whose credits ran out, their type is known if both hosts have the same type.
      WHEN client_type = server_type AND verdict_cause = 'network_credits'
        THEN 'client'
    END AS throttled_end,
    -- For a moment at the end of a run, the run's rows are in both tables.
    min(table_rank) OVER (PARTITION BY day, run_id) AS run_table_rank
  FROM (
    SELECT 1 AS table_rank, * FROM measurements
    UNION ALL
    SELECT 2 AS table_rank, * FROM live_measurements
  ) AS of_both_tables
) AS ranked
WHERE table_rank = run_table_rank
