-- Throughput by streams.
-- How much do parallel streams carry together, and beyond how many streams do more add nothing? There is one row per
-- way of measuring (`cell`: types, conditions, tool and settings, including the number of streams). It has the median
-- throughput, its gain over the next smaller number of streams with everything else equal, the slowest and the fastest
-- stream, how many streams lagged, and the tool's processor time on both hosts. Where there are two middle values, the
-- lower one is used.
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
    max(m.parallel_streams) AS parallel_streams,
    max(m.setting) AS setting,
    count(*) AS measurement_count,
    array_sort(array_agg(m.throughput_mean_bits_per_second)) AS means,
    min(array_min(m.stream_bits_per_second)) AS slowest_stream,
    max(array_max(m.stream_bits_per_second)) AS fastest_stream,
    sum(m.straggler_count) AS straggler_count,
    max(m.client_user_cpu_percent + m.client_system_cpu_percent) AS client_cpu_percent,
    max(m.server_user_cpu_percent + m.server_system_cpu_percent) AS server_cpu_percent,
    min(m.day) AS first_day, max(m.day) AS last_day
  FROM measurements AS m
  CROSS JOIN checked AS p
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.cell IS NOT NULL
    AND m.status = 'complete'
    -- Displaced measurements may be in any zones, so they are not compared.
    AND NOT coalesce(m.is_displaced, FALSE)
    AND m.parallel_streams IS NOT NULL
    AND m.throughput_mean_bits_per_second IS NOT NULL
    AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
  GROUP BY m.cell
),
medians AS (
  SELECT
    *,
    -- `cell_of_any_streams` is the cell without its number of streams.
    regexp_replace(cell, ' parallel_streams=[^ ]*', '') AS cell_of_any_streams,
    element_at(means, CAST(ceil(cardinality(means) * 0.5) AS bigint)) AS throughput
  FROM grouped
),
stepped AS (
  SELECT
    *,
    lag(throughput, 1) OVER (PARTITION BY cell_of_any_streams ORDER BY parallel_streams) AS fewer_streams_throughput
  FROM medians
)
SELECT
  client_type, server_type, parallel_streams, setting, measurement_count,
  round(throughput / 1e9, 3) AS throughput_gbits_per_second,
  CASE WHEN fewer_streams_throughput > 0 THEN round(throughput / fewer_streams_throughput - 1, 3) END
    AS gain_over_fewer_streams,
  round(slowest_stream / 1e9, 3) AS slowest_stream_gbits_per_second,
  round(fastest_stream / 1e9, 3) AS fastest_stream_gbits_per_second,
  straggler_count,
  round(client_cpu_percent, 1) AS client_cpu_percent,
  round(server_cpu_percent, 1) AS server_cpu_percent,
  first_day, last_day, cell
FROM stepped
ORDER BY cell_of_any_streams, parallel_streams
