-- Cheapest type that holds a rate.
-- Which is the cheapest instance type that holds a rate for a time from full credits? One row per type, way of
-- measuring (`cell`: types, conditions, tool and settings) and direction in which some measurement shows that the rate
-- is held, and none that it is not; cheapest first. The columns held_1_gbit, held_1_gbit_seconds and so on are about 1,
-- 2, 5 and 10 Gbit/s; any other rate counts as the next higher one of these, and above 10 nothing is found. Only pairs
-- of two hosts of the same type count. The price is that of the pair, both hosts together, as in the report.
WITH params AS (
  SELECT
    90 AS days,             -- how many days back
    1 AS gbits_per_second,  -- the rate to hold
    3 AS minutes,           -- for how long
    '%' AS type_pattern     -- types like this, e.g. 'c7g.%'
),
checked AS (
  SELECT
    CAST(if(regexp_like(CAST(days AS varchar), '^[0-9]+$'), '', 'days: must be a whole number, got ')
      || coalesce(CAST(days AS varchar), 'NULL') AS integer) AS days,
    CAST(if(gbits_per_second > 0 AND gbits_per_second <= 10, '', 'gbits_per_second: must be above 0 and at most 10, got ')
      || coalesce(CAST(gbits_per_second AS varchar), 'NULL') AS double) AS gbits_per_second,
    CAST(if(minutes > 0, '', 'minutes: must be above 0, got ')
      || coalesce(CAST(minutes AS varchar), 'NULL') AS double) AS minutes,
    type_pattern
  FROM params
),
asked AS (
  SELECT
    m.cell, m.verdict_direction, m.client_type, m.setting, m.scaled_model, m.cost_usd, m.price_list, m.started_at, m.day,
    m.client_hourly_usd + m.server_hourly_usd AS pair_hourly_usd, p.minutes * 60 AS wanted_seconds,
    CASE
      WHEN p.gbits_per_second <= 1 THEN m.held_1_gbit
      WHEN p.gbits_per_second <= 2 THEN m.held_2_gbit
      WHEN p.gbits_per_second <= 5 THEN m.held_5_gbit
      WHEN p.gbits_per_second <= 10 THEN m.held_10_gbit
    END AS held,
    CASE
      WHEN p.gbits_per_second <= 1 THEN m.held_1_gbit_seconds
      WHEN p.gbits_per_second <= 2 THEN m.held_2_gbit_seconds
      WHEN p.gbits_per_second <= 5 THEN m.held_5_gbit_seconds
      WHEN p.gbits_per_second <= 10 THEN m.held_10_gbit_seconds
    END AS held_seconds
  FROM measurements AS m
  CROSS JOIN checked AS p
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.cell IS NOT NULL
    AND m.kind = 'throughput'
    AND m.status IN ('complete', 'truncated')
    AND m.client_type = m.server_type
    AND m.client_type LIKE p.type_pattern
    AND m.client_hourly_usd + m.server_hourly_usd > 0
),
-- 1 it holds the rate, 0 it does not, NULL the measurement does not tell.
judged AS (
  SELECT
    *,
    CASE
      WHEN held = 'always' OR held_seconds >= wanted_seconds THEN 1
      WHEN held IN ('for', 'never') THEN 0
    END AS is_held
  FROM asked
),
grouped AS (
  SELECT
    cell, verdict_direction,
    max(client_type) AS instance_type,
    max(setting) AS setting,
    max(scaled_model) AS scaled_model,
    max_by(pair_hourly_usd, started_at) AS pair_hourly_usd,
    max_by(price_list, started_at) AS price_list,
    sum(is_held) AS held_count,
    count(*) - count(is_held) AS untold_count,
    min(held_seconds) FILTER (WHERE is_held = 1) AS least_held_seconds,
    avg(cost_usd) AS mean_measurement_usd,
    min(day) AS first_day, max(day) AS last_day
  FROM judged
  GROUP BY cell, verdict_direction
  HAVING sum(is_held) > 0 AND sum(is_held) = count(is_held)
)
SELECT
  -- Rate and minutes are those of the scaled model, if one was measured; the price is always that of EC2.
  instance_type, setting, verdict_direction, scaled_model,
  round(pair_hourly_usd, 5) AS pair_hourly_usd,
  held_count, untold_count,
  -- NULL where it is always held.
  round(least_held_seconds / 6e1, 2) AS least_held_minutes,
  round(mean_measurement_usd, 4) AS mean_measurement_usd,
  price_list, first_day, last_day, cell
FROM grouped
ORDER BY pair_hourly_usd, instance_type, cell, verdict_direction
