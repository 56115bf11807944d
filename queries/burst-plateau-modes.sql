-- Burst plateau modes.
-- At which rates does the burst of a pair of types stand from one repetition to the next? The plateau depends on which
-- hosts a pair landed on and may have several values; a mean over two of them is a rate that was never measured. One
-- row per mode: a group of plateaus at least 5 % away from the next group, within one way of measuring (`cell`: types,
-- conditions, tool and settings) and direction of the verdict. Modes are numbered from the lowest. For a year of use it
-- reads 9.8 MB in 800 GETs and 366 LISTs, for 0.0022 USD.
WITH params AS (
  SELECT
    CAST(90 AS integer) AS days,       -- how many days back
    '%' AS type_pattern,               -- pairs with a type like this on one side, e.g. 'c7g.%'
    CAST(0.05 AS double) AS gap_share  -- how far apart two modes are, as a share of the lower one
),
plateaus AS (
  SELECT
    m.*,
    p.gap_share,
    lag(m.burst_bits_per_second, 1) OVER (
      PARTITION BY m.cell, m.verdict_direction
      ORDER BY m.burst_bits_per_second, m.run_id, m.measurement_id
    ) AS next_lower_bits_per_second
  FROM measurements AS m
  CROSS JOIN params AS p
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.cell IS NOT NULL
    AND m.status IN ('complete', 'truncated')
    AND m.burst_bits_per_second IS NOT NULL
    AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
),
-- A mode begins at a gap, so the number of gaps up to a plateau is the number of its mode.
moded AS (
  SELECT
    *,
    sum(CASE WHEN burst_bits_per_second <= next_lower_bits_per_second * (1 + gap_share) THEN 0 ELSE 1 END) OVER (
      PARTITION BY cell, verdict_direction
      ORDER BY burst_bits_per_second, run_id, measurement_id
      ROWS UNBOUNDED PRECEDING
    ) AS mode_number
  FROM plateaus
)
SELECT
  max(client_type) AS client_type,
  max(server_type) AS server_type,
  max(setting) AS setting,
  verdict_direction,
  CAST(mode_number AS bigint) AS mode_number,
  count(*) AS measurement_count,
  round(avg(burst_bits_per_second) / 1e9, 3) AS burst_mean_gbits_per_second,
  round(min(burst_bits_per_second) / 1e9, 3) AS burst_min_gbits_per_second,
  round(max(burst_bits_per_second) / 1e9, 3) AS burst_max_gbits_per_second,
  min(day) AS first_day,
  max(day) AS last_day,
  cell
FROM moded
GROUP BY cell, verdict_direction, mode_number
ORDER BY cell, verdict_direction, mode_number
