-- Cheapest type that holds a rate.
-- Which is the cheapest instance type that holds so many Gbit/s for so many minutes from full credits? One row per type
-- and way of measuring (`cell`: types, conditions, tool and settings) and direction in which some measurement shows
-- that it does and none that it does not, cheapest first. After a fall the answer is bucket / (rate - baseline), or the
-- onset itself where no single bucket explains the series. Without a fall, the measurement must have lasted that long.
-- Only pairs of two hosts of the same type count. The price is that of the pair, both hosts together, as in the report.
-- For a year of use it reads 9.8 MB in 800 GETs and 366 LISTs, for 0.0022 USD.
WITH params AS (
  SELECT
    CAST(90 AS integer) AS days,            -- how many days back
    CAST(1 AS double) AS gbits_per_second,  -- the rate to hold
    CAST(3 AS double) AS minutes,           -- for how long
    '%' AS type_pattern                     -- types like this, e.g. 'c7g.%'
),
wanted AS (
  SELECT
    m.*, p.gbits_per_second * 1e9 AS rate, p.minutes * 60.0 AS wanted_seconds,
    m.client_hourly_usd + m.server_hourly_usd AS pair_hourly_usd
  FROM measurements AS m
  CROSS JOIN params AS p
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.cell IS NOT NULL
    AND m.kind = 'throughput'
    AND m.status IN ('complete', 'truncated')
    AND m.client_type = m.server_type
    AND m.client_type LIKE p.type_pattern
    AND m.client_hourly_usd + m.server_hourly_usd > 0
    -- A load that offered less cannot show more.
    AND coalesce(m.target_bits_per_second, 1e18) >= p.gbits_per_second * 1e9
),
-- 1 it holds the rate, 0 it does not, NULL the measurement does not tell.
judged AS (
  SELECT
    cell, verdict_direction, client_type, setting, pair_hourly_usd, cost_usd, started_at, day,
    CASE
      WHEN baseline_bits_per_second >= rate THEN 1
      WHEN burst_bits_per_second < rate THEN 0
      WHEN bucket_bits IS NOT NULL AND baseline_bits_per_second IS NOT NULL
        THEN CASE WHEN bucket_bits / nullif(rate - baseline_bits_per_second, 0) >= wanted_seconds THEN 1 ELSE 0 END
      WHEN onset_seconds IS NOT NULL THEN CASE WHEN onset_seconds >= wanted_seconds THEN 1 END
      WHEN throughput_mean_bits_per_second < rate THEN 0
      WHEN verdict_kind = 'steady' AND sample_count >= wanted_seconds
        THEN 1
    END AS is_held,
    CASE
      WHEN bucket_bits IS NOT NULL AND baseline_bits_per_second < rate AND burst_bits_per_second >= rate
        THEN bucket_bits / nullif(rate - baseline_bits_per_second, 0)
    END AS held_seconds
  FROM wanted
),
grouped AS (
  SELECT
    cell, verdict_direction,
    max(client_type) AS instance_type,
    max(setting) AS setting,
    max_by(pair_hourly_usd, started_at) AS pair_hourly_usd,
    sum(is_held) AS held_count,
    count(*) - count(is_held) AS untold_count,
    min(held_seconds) AS least_held_seconds,
    avg(cost_usd) AS mean_measurement_usd,
    min(day) AS first_day,
    max(day) AS last_day
  FROM judged
  GROUP BY cell, verdict_direction
  HAVING sum(is_held) > 0 AND sum(is_held) = count(is_held)
)
SELECT
  instance_type, setting, verdict_direction,
  round(pair_hourly_usd, 5) AS pair_hourly_usd,
  held_count, untold_count,
  -- NULL where the baseline holds it, or no measurement fell.
  round(least_held_seconds / 6e1, 2) AS least_held_minutes,
  round(mean_measurement_usd, 4) AS mean_measurement_usd,
  first_day, last_day, cell
FROM grouped
ORDER BY pair_hourly_usd, instance_type, cell, verdict_direction
