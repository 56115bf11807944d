-- Measurements.
-- Which rows of `open_measurements` and `closed_measurements` are current? The view has each of them once.
-- `npm run data-model` writes this file.
WITH closed_days AS (
  SELECT d.day, date_format(d.day, '%Y') AS year, date_format(d.day, '%m') AS month_of_year, m.generation
  FROM closed_months AS m
  CROSS JOIN UNNEST(
    sequence(CAST(concat(m.month, '-01') AS date), CAST(m.until AS date), interval '1' day)
  ) AS d (day)
  WHERE from_iso8601_timestamp(m.valid_from) <= current_timestamp
    AND (m.valid_to IS NULL OR from_iso8601_timestamp(m.valid_to) > current_timestamp)
)
SELECT
  run_id, plan_name, pair_id, measurement_id, repetition, pair_repetition, plan_pair_index, plan_measurement_index,
  tool, tool_version, kind, mode, protocol, scheme, parallel_streams, message_bytes, messages_per_second, object_bytes,
  range_bytes, target_bits_per_second, datagram_bytes, mss_bytes, congestion_control, socket_buffer_bytes, packet_count,
  interval_millis, duty_on_seconds, duty_off_seconds, probe_message_bytes, probe_messages_per_second,
  stop_after_throttled_seconds, direction, duration_seconds, client_type, server_type, zone_relation, placement, path,
  ena_express, ena_express_udp, mtu_bytes, client_cpu_credits, server_cpu_credits, client_pinned_place,
  server_pinned_place, client_pinned_image, server_pinned_image, setting, cell, status, reason, started_at, ended_at,
  sample_count, client_instance_id, client_zone, client_image_id, client_kernel, client_operating_system,
  client_architecture, client_vcpu_count, client_network_interface, client_network_driver,
  client_network_driver_version, client_queue_count, client_mtu_bytes, client_ena_srd_mode, client_ena_srd_sent_packets,
  client_ena_srd_eligible_packets, client_ena_srd_received_packets, client_congestion_control, client_clock_source,
  client_clock_offset_micros, client_agent_version, server_instance_id, server_zone, server_image_id, server_kernel,
  server_operating_system, server_architecture, server_vcpu_count, server_network_interface, server_network_driver,
  server_network_driver_version, server_queue_count, server_mtu_bytes, server_ena_srd_mode, server_ena_srd_sent_packets,
  server_ena_srd_eligible_packets, server_ena_srd_received_packets, server_congestion_control, server_clock_source,
  server_clock_offset_micros, server_agent_version, throughput_mean_bits_per_second, throughput_p5_bits_per_second,
  throughput_p50_bits_per_second, throughput_p95_bits_per_second, throughput_min_bits_per_second,
  throughput_max_bits_per_second, retransmits, lost_packets, sent_packets, jitter_micros,
  reverse_throughput_mean_bits_per_second, reverse_throughput_p5_bits_per_second,
  reverse_throughput_p50_bits_per_second, reverse_throughput_p95_bits_per_second,
  reverse_throughput_min_bits_per_second, reverse_throughput_max_bits_per_second, reverse_retransmits,
  reverse_lost_packets, reverse_sent_packets, reverse_jitter_micros, stream_bits_per_second, straggler_count,
  client_user_cpu_percent, client_system_cpu_percent, server_user_cpu_percent, server_system_cpu_percent,
  rtt_mean_micros, rtt_std_dev_micros, rtt_min_micros, rtt_p25_micros, rtt_p50_micros, rtt_p75_micros, rtt_p90_micros,
  rtt_p95_micros, rtt_p99_micros, rtt_p99_5_micros, rtt_p99_9_micros, rtt_p99_99_micros, rtt_p99_999_micros,
  rtt_max_micros, observations, dropped_messages, duplicated_messages, out_of_order_messages, transactions_per_second,
  rtt_before_onset_p50_micros, rtt_before_onset_p99_micros, rtt_before_onset_max_micros, observations_before_onset,
  rtt_after_onset_p50_micros, rtt_after_onset_p99_micros, rtt_after_onset_max_micros, observations_after_onset,
  path_mtu_bytes, hop_count, verdict_kind, verdict_cause, confidence, explanation, verdict_direction, onset_seconds,
  onset_low_seconds, onset_high_seconds, burst_bits_per_second, burst_low_bits_per_second, burst_high_bits_per_second,
  baseline_bits_per_second, baseline_low_bits_per_second, baseline_high_bits_per_second, bucket_bits, bucket_low_bits,
  bucket_high_bits, bucket_bits_at_least, refill_seconds, refill_low_seconds, refill_high_seconds, throttled_by,
  throttled_bucket, sustained_bits_per_second, sustained_bound, held_1_gbit, held_1_gbit_seconds, held_2_gbit,
  held_2_gbit_seconds, held_5_gbit, held_5_gbit_seconds, held_10_gbit, held_10_gbit_seconds, other_verdict_kind,
  other_verdict_cause, other_verdict_direction, other_onset_seconds, other_burst_bits_per_second,
  other_baseline_bits_per_second, other_bucket_bits, other_throttled_by, other_throttled_bucket, other_explanation,
  other_examined_causes, published_client_baseline_bits_per_second, published_client_peak_bits_per_second,
  published_client_network_performance, published_server_baseline_bits_per_second,
  published_server_peak_bits_per_second, published_server_network_performance, examined_causes, witnesses, warnings,
  mean_packets_per_second, p5_packets_per_second, p50_packets_per_second, p95_packets_per_second,
  min_packets_per_second, max_packets_per_second, sent_packets_per_second, packet_bytes, client_pps_allowance_exceeded,
  server_pps_allowance_exceeded, client_conntrack_allowance_exceeded, server_conntrack_allowance_exceeded,
  packets_limited_by, packet_onset_seconds, packet_onset_low_seconds, packet_onset_high_seconds,
  burst_packets_per_second, burst_low_packets_per_second, burst_high_packets_per_second, baseline_packets_per_second,
  baseline_low_packets_per_second, baseline_high_packets_per_second, round_trips_limited_by, client_zone_id,
  server_zone_id, is_displaced, client_subnet_id, client_vpc_id, server_subnet_id, server_vpc_id,
  client_waiting_cpu_percent, client_cpu_pressure_percent, client_steal_cpu_percent, server_waiting_cpu_percent,
  server_cpu_pressure_percent, server_steal_cpu_percent, cpu_contention, client_cpu_model, client_rx_ring_length,
  client_tx_ring_length, client_has_byte_queue_limits, client_queue_disciplines, client_tcp_limit_output_bytes,
  client_has_tcp_autocorking, server_cpu_model, server_rx_ring_length, server_tx_ring_length,
  server_has_byte_queue_limits, server_queue_disciplines, server_tcp_limit_output_bytes, server_has_tcp_autocorking,
  scaled_model, scaled_model_rate_divisor, scaled_model_time_divisor, region, expected_usd, cost_usd, hosts_usd,
  traffic_usd, client_hourly_usd, server_hourly_usd, host_seconds, traffic_bytes, cost_warnings, price_list,
  run_outcome, run_interrupted_reason, day
FROM (
  SELECT o.*, '' AS generation, '' AS year, '' AS month_of_year
  FROM open_measurements AS o
  LEFT JOIN closed_days AS d ON d.day = o.day
  WHERE d.day IS NULL
  UNION ALL
  SELECT c.*
  FROM (
    SELECT * FROM closed_measurements
    WHERE day < date_trunc('month', current_date) - interval '6' month
      AND concat(year, month_of_year) < date_format(date_trunc('month', current_date) - interval '6' month, '%Y%m')
    UNION ALL
    SELECT * FROM closed_measurements
    WHERE day >= date_trunc('month', current_date) - interval '6' month
      AND concat(year, month_of_year) >= date_format(date_trunc('month', current_date) - interval '6' month, '%Y%m')
      AND day < date_trunc('month', current_date) - interval '4' month
      AND concat(year, month_of_year) < date_format(date_trunc('month', current_date) - interval '4' month, '%Y%m')
    UNION ALL
    SELECT * FROM closed_measurements
    WHERE day >= date_trunc('month', current_date) - interval '4' month
      AND concat(year, month_of_year) >= date_format(date_trunc('month', current_date) - interval '4' month, '%Y%m')
      AND day < date_trunc('month', current_date) + interval '1' month
      AND concat(year, month_of_year) < date_format(date_trunc('month', current_date) + interval '1' month, '%Y%m')
  ) AS c
  JOIN closed_days AS d
    ON d.day = c.day AND d.year = c.year AND d.month_of_year = c.month_of_year AND d.generation = c.generation
) AS current_rows
