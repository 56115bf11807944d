-- Cheapest type that holds a rate.
-- Which is the cheapest instance type that, with full credits, holds a rate for a given time? There is one row per
-- type, way of measuring (`cell`: types, conditions, tool and settings) and direction, the cheapest first. A row is
-- shown only if at least one measurement shows that the rate is held, and no measurement shows that it is not. The
-- columns held_1_gbit, held_1_gbit_seconds and so on exist for 1, 2, 5 and 10 Gbit/s. Any other rate is treated as the
-- next higher of these, and a rate above 10 is refused. Only pairs of two hosts of the same type are used. The price is
-- for the pair, both hosts together, as in the report.
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
-- `is_held` is 1 if the measurement shows that the rate is held, 0 if it shows that it is not, and NULL if it shows
-- neither.
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
  -- If a scaled model was measured, rate and minutes are at the model's scale; the price is always EC2's.
  instance_type, setting, verdict_direction, scaled_model,
  round(pair_hourly_usd, 5) AS pair_hourly_usd,
  held_count, untold_count,
  -- This is NULL if the rate is always held.
  round(least_held_seconds / 6e1, 2) AS least_held_minutes,
  round(mean_measurement_usd, 4) AS mean_measurement_usd,
  price_list, first_day, last_day, cell
FROM grouped
ORDER BY pair_hourly_usd, instance_type, cell, verdict_direction
