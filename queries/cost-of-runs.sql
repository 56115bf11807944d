-- Cost of runs.
-- What did the runs of the last weeks cost, for what, and what was forecast? There is one row per run, the newest
-- first. Costs are in USD, at the prices that `price_list` names. NULL means that a cost is unknown, not that it is
-- zero; `cost_warnings` of `pairs` says why.
WITH params AS (
  SELECT
    28 AS days,          -- how many days back
    '%' AS plan_pattern  -- plans whose name is like this, e.g. 'weekly%'
),
checked AS (
  SELECT
    CAST(if(regexp_like(CAST(days AS varchar), '^[0-9]+$'), '', 'days: must be a whole number, got ')
      || coalesce(CAST(days AS varchar), 'NULL') AS integer) AS days,
    replace(plan_pattern, '_', '!_') AS plan_pattern
  FROM params
),
-- A cost's total is known only if every pair's cost is known.
parts AS (
  SELECT
    r.run_id, r.day,
    CASE WHEN count(r.host_seconds) = count(*) THEN sum(r.host_seconds) END AS host_seconds,
    CASE WHEN count(r.traffic_bytes) = count(*) THEN sum(r.traffic_bytes) END AS traffic_bytes,
    CASE WHEN count(r.cost_instances_usd + r.cost_public_addresses_usd + r.cost_cpu_credits_usd) = count(*)
      THEN sum(r.cost_instances_usd + r.cost_public_addresses_usd + r.cost_cpu_credits_usd) END AS hosts_usd,
    CASE WHEN count(r.cost_cross_zone_traffic_usd + r.cost_public_traffic_usd) = count(*)
      THEN sum(r.cost_cross_zone_traffic_usd + r.cost_public_traffic_usd) END AS traffic_usd,
    CASE WHEN count(r.cost_load_balancer_usd) = count(*) THEN sum(r.cost_load_balancer_usd) END AS load_balancer_usd,
    CASE WHEN count(r.cost_s3_usd + r.cost_athena_usd + r.cost_step_functions_usd + r.cost_lambda_usd) = count(*)
      THEN sum(r.cost_s3_usd + r.cost_athena_usd + r.cost_step_functions_usd + r.cost_lambda_usd) END AS service_usd,
    count(*) - count(r.cost_usd) AS pairs_without_cost
  FROM pairs AS r
  CROSS JOIN checked AS p
  WHERE r.day >= current_date - interval '1' day * p.days
    AND r.plan_name LIKE p.plan_pattern ESCAPE '!'
  GROUP BY r.run_id, r.day
)
SELECT
  r.day, r.run_id, r.plan_name, r.outcome, r.pair_count, r.measurement_count,
  round(r.expected_usd, 4) AS expected_usd,
  round(r.upper_usd, 4) AS upper_usd,
  round(r.cost_usd, 4) AS cost_usd,
  CASE WHEN r.expected_usd > 0 THEN round(r.cost_usd / r.expected_usd, 2) END AS cost_to_expected_ratio,
  round(s.hosts_usd, 4) AS hosts_usd,
  round(s.traffic_usd, 4) AS traffic_usd,
  round(s.load_balancer_usd, 4) AS load_balancer_usd,
  round(s.service_usd, 4) AS service_usd,
  round(s.host_seconds / 3.6e3, 2) AS host_hours,
  round(s.traffic_bytes / 1e9, 2) AS traffic_gigabytes,
  s.pairs_without_cost, r.price_list
FROM runs AS r
CROSS JOIN checked AS p
LEFT JOIN parts AS s ON s.run_id = r.run_id AND s.day = r.day
WHERE r.day >= current_date - interval '1' day * p.days
  AND r.plan_name LIKE p.plan_pattern ESCAPE '!'
ORDER BY r.day DESC, r.created_at DESC, r.run_id
