-- Round trip by placement.
-- How much do a placement group and ENA Express shorten the round trip between two hosts? Only measurements over
-- private addresses are used. There is one row per way of measuring (`cell`: types, conditions, tool and settings), in
-- microseconds: the shortest and longest round trip of all its measurements, the median of the measurements' means, and
-- the median of their standard deviations (ping's mdev). Where there are two middle values, the lower one is used. ENA
-- Express may make an idle network slower; the figures are shown as they were measured. Round trips that an allowance
-- of a host held back (`verdict_cause`) are left out.
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
    m.cell,
    max(m.client_type) AS client_type, max(m.server_type) AS server_type,
    max(m.zone_relation) AS zone_relation,
    max(m.placement) AS placement,
    max(m.ena_express) AS ena_express,
    max(m.setting) AS setting,
    count(*) AS measurement_count,
    min(m.rtt_min_micros) AS rtt_min,
    array_sort(array_agg(m.rtt_mean_micros)) AS means,
    array_sort(array_agg(m.rtt_std_dev_micros) FILTER (WHERE m.rtt_std_dev_micros IS NOT NULL)) AS deviations,
    max(m.rtt_max_micros) AS rtt_max,
    min(m.day) AS first_day, max(m.day) AS last_day
  FROM measurements AS m
  CROSS JOIN checked AS p
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.cell IS NOT NULL
    AND m.status = 'complete'
    AND m.rtt_mean_micros IS NOT NULL
    AND m.path = 'private'
    -- Round trips that an allowance delayed don't show the path.
    AND coalesce(m.verdict_cause, 'none') NOT IN ('network_credits', 'published_bandwidth', 'fragment_rate', 'packet_rate', 'connection_tracking')
    AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
  GROUP BY m.cell
)
SELECT
  client_type, server_type, zone_relation, placement, ena_express, setting, measurement_count,
  round(rtt_min, 1) AS rtt_min_micros,
  round(element_at(means, CAST(ceil(cardinality(means) * 0.5) AS bigint)), 1) AS rtt_mean_micros,
  round(rtt_max, 1) AS rtt_max_micros,
  round(element_at(deviations, CAST(ceil(cardinality(deviations) * 0.5) AS bigint)), 1) AS rtt_std_dev_micros,
  first_day, last_day, cell
FROM grouped
ORDER BY client_type, server_type, zone_relation, placement, ena_express, cell
