-- Pairs.
-- Which rows of `open_pairs` and `closed_pairs` are current? The view has each of them once.
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
  run_id, plan_name, pair_id, repetition, plan_pair_index, client_type, server_type, zone_relation, placement, path,
  ena_express, ena_express_udp, mtu_bytes, client_cpu_credits, server_cpu_credits, client_pinned_place,
  server_pinned_place, client_pinned_image, server_pinned_image, client_zone, server_zone, status, reason, launched_at,
  gone_at, host_seconds, client_hourly_usd, server_hourly_usd, traffic_bytes, expected_usd, expected_instances_usd,
  expected_public_addresses_usd, expected_cross_zone_traffic_usd, expected_public_traffic_usd,
  expected_load_balancer_usd, expected_s3_usd, expected_athena_usd, expected_step_functions_usd, expected_lambda_usd,
  expected_cpu_credits_usd, upper_usd, cost_usd, cost_instances_usd, cost_public_addresses_usd,
  cost_cross_zone_traffic_usd, cost_public_traffic_usd, cost_load_balancer_usd, cost_s3_usd, cost_athena_usd,
  cost_step_functions_usd, cost_lambda_usd, cost_cpu_credits_usd, cost_warnings, client_zone_id, server_zone_id,
  is_displaced, client_subnet_id, server_subnet_id, client_vpc_id, server_vpc_id, client_image_id, server_image_id,
  price_list, region, day
FROM (
  SELECT o.*, '' AS generation, '' AS year, '' AS month_of_year
  FROM open_pairs AS o
  LEFT JOIN closed_days AS d ON d.day = o.day
  WHERE d.day IS NULL
  UNION ALL
  SELECT c.*
  FROM (
    SELECT * FROM closed_pairs
    WHERE day < date_trunc('month', current_date) - interval '6' month
      AND concat(year, month_of_year) < date_format(date_trunc('month', current_date) - interval '6' month, '%Y%m')
    UNION ALL
    SELECT * FROM closed_pairs
    WHERE day >= date_trunc('month', current_date) - interval '6' month
      AND concat(year, month_of_year) >= date_format(date_trunc('month', current_date) - interval '6' month, '%Y%m')
      AND day < date_trunc('month', current_date) - interval '4' month
      AND concat(year, month_of_year) < date_format(date_trunc('month', current_date) - interval '4' month, '%Y%m')
    UNION ALL
    SELECT * FROM closed_pairs
    WHERE day >= date_trunc('month', current_date) - interval '4' month
      AND concat(year, month_of_year) >= date_format(date_trunc('month', current_date) - interval '4' month, '%Y%m')
      AND day < date_trunc('month', current_date) + interval '1' month
      AND concat(year, month_of_year) < date_format(date_trunc('month', current_date) + interval '1' month, '%Y%m')
  ) AS c
  JOIN closed_days AS d
    ON d.day = c.day AND d.year = c.year AND d.month_of_year = c.month_of_year AND d.generation = c.generation
) AS current_rows
