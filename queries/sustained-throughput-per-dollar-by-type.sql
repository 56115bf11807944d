-- Sustained throughput per dollar by type.
-- Which instance types carry the most for their price once their credits are spent? There is one row per type, way of
-- measuring (`cell`: types, conditions, tool and settings) and direction, the best first. Only measurements that
-- measured sustained_bits_per_second are used, not those that may have had credits left (at_most), and not those whose
-- plan offered no more (at_least). Only pairs of two hosts of the same type are used. The price is for the pair, both
-- hosts together, as in the report. Medians are exact; where there are two middle values, the lower one is used.
WITH params AS (
  SELECT
    90 AS days,          -- how many days back
    '%' AS type_pattern  -- types like this, e.g. 'c7g.%'
),
checked AS (
  SELECT
    CAST(if(regexp_like(CAST(days AS varchar), '^[0-9]+$'), '', 'days: must be a whole number, got ')
      || coalesce(CAST(days AS varchar), 'NULL') AS integer) AS days,
    type_pattern
  FROM params
),
sustaining AS (
  SELECT
    m.*, coalesce(m.scaled_model_rate_divisor, 1) AS rate_divisor,
    m.client_hourly_usd + m.server_hourly_usd AS pair_hourly_usd
  FROM measurements AS m
  CROSS JOIN checked AS p
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.cell IS NOT NULL
    AND m.kind = 'throughput'
    AND m.status IN ('complete', 'truncated')
    AND m.client_type = m.server_type
    AND m.client_type LIKE p.type_pattern
    AND m.client_hourly_usd + m.server_hourly_usd > 0
    AND m.sustained_bound = 'measured'
),
grouped AS (
  SELECT
    cell, verdict_direction,
    max(client_type) AS instance_type,
    max(setting) AS setting,
    max(scaled_model) AS scaled_model,
    count(*) AS sustained_count,
    array_sort(array_agg(sustained_bits_per_second)) AS rates,
    array_sort(array_agg(sustained_bits_per_second * rate_divisor / pair_hourly_usd)) AS rates_per_dollar,
    max_by(pair_hourly_usd, started_at) AS pair_hourly_usd,
    max_by(price_list, started_at) AS price_list,
    min(day) AS first_day, max(day) AS last_day
  FROM sustaining
  GROUP BY cell, verdict_direction
)
SELECT
  instance_type, setting, verdict_direction, scaled_model, sustained_count,
  round(element_at(rates, CAST(ceil(cardinality(rates) * 0.5) AS bigint)) / 1e9, 3) AS sustained_gbits_per_second,
  round(pair_hourly_usd, 5) AS pair_hourly_usd,
  -- This is the rate for each US dollar that the pair costs per hour. If a scaled model was measured, the rate is
  -- converted to EC2's scale, because the price is EC2's.
  round(element_at(rates_per_dollar, CAST(ceil(cardinality(rates_per_dollar) * 0.5) AS bigint)) / 1e9, 3)
    AS sustained_gbits_per_second_per_pair_hourly_usd,
  price_list, first_day, last_day, cell
FROM grouped
ORDER BY sustained_gbits_per_second_per_pair_hourly_usd DESC, cell, verdict_direction
