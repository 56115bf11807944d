-- Bucket volume by type.
-- How much traffic above its baseline do an instance type's credits allow, and how far apart are the measurements?
-- There is one row per way of measuring (`cell`: types, conditions, tool and settings) and direction. If no drop was
-- seen, only a lower bound of the bucket is known; lower bounds have columns of their own, and are never mixed into the
-- volumes. Quartiles are exact: each is one of the measured volumes (nearest rank, no interpolation). 1 Gbit is 10^9
-- bits. The buckets of 95 in 100 other pairs of these types lie between `bucket_another_pair_low_gbits` and
-- `bucket_another_pair_high_gbits`, if the volumes form one mode (`atlas` shows the modes).
WITH params AS (
  SELECT
    90 AS days,          -- how many days back
    '%' AS type_pattern  -- pairs in which either type is like this, e.g. 'c7g.%'
),
checked AS (
  SELECT
    CAST(if(regexp_like(CAST(days AS varchar), '^[0-9]+$'), '', 'days: must be a whole number, got ')
      || coalesce(CAST(days AS varchar), 'NULL') AS integer) AS days,
    type_pattern
  FROM params
),
grouped AS (
  SELECT
    m.cell, m.verdict_direction,
    max(m.client_type) AS client_type, max(m.server_type) AS server_type,
    max(m.setting) AS setting,
    count(m.bucket_bits) AS measurement_count,
    avg(m.bucket_bits) AS mean_bits,
    -- The factor 1.13 was recorded between two single pairs; here one of them is a mean of several pairs (as in
    -- domain/maths/repetition-statistics.ts).
    power(113e-2, sqrt((1 + 1e0 / nullif(count(m.bucket_bits), 0)) / 2)) AS pair_factor,
    array_sort(array_agg(m.bucket_bits) FILTER (WHERE m.bucket_bits IS NOT NULL)) AS volumes,
    count(m.bucket_bits_at_least) AS lower_bound_count,
    -- The highest lower bound implies all the others.
    max(m.bucket_bits_at_least) AS highest_lower_bound_bits,
    min(m.day) AS first_day, max(m.day) AS last_day
  FROM measurements AS m
  CROSS JOIN checked AS p
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.cell IS NOT NULL
    AND m.status IN ('complete', 'truncated')
    AND (m.bucket_bits IS NOT NULL OR m.bucket_bits_at_least IS NOT NULL)
    AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
  GROUP BY m.cell, m.verdict_direction
)
SELECT
  client_type, server_type, setting, verdict_direction, measurement_count,
  round(element_at(volumes, CAST(ceil(cardinality(volumes) * 0.5) AS bigint)) / 1e9, 2) AS bucket_median_gbits,
  round(element_at(volumes, 1) / 1e9, 2) AS bucket_min_gbits,
  round(element_at(volumes, CAST(ceil(cardinality(volumes) * 0.25) AS bigint)) / 1e9, 2) AS bucket_p25_gbits,
  round(element_at(volumes, CAST(ceil(cardinality(volumes) * 0.75) AS bigint)) / 1e9, 2) AS bucket_p75_gbits,
  round(element_at(volumes, cardinality(volumes)) / 1e9, 2) AS bucket_max_gbits,
  round(least(element_at(volumes, 1), mean_bits / pair_factor) / 1e9, 2) AS bucket_another_pair_low_gbits,
  round(greatest(element_at(volumes, cardinality(volumes)), mean_bits * pair_factor) / 1e9, 2) AS bucket_another_pair_high_gbits,
  lower_bound_count,
  round(highest_lower_bound_bits / 1e9, 2) AS highest_lower_bound_gbits,
  first_day, last_day, cell
FROM grouped
ORDER BY client_type, server_type, cell, verdict_direction
