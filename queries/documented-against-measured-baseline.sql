-- Documented against measured baseline.
-- Does an instance type fall to the baseline that AWS publishes for it, and does it burst to the published peak? There
-- is one row per type and way of measuring (`cell`: types, conditions, tool and settings), made from throttled
-- measurements only. The type is that of the host with the lower published baseline. A ratio of 1 means that the
-- measured rate is what AWS documents. `burst_ratio` is NULL if a load could not reach the published peak: a single
-- flow is held to EC2's limit for one flow, and a plan may offer less than the peak. Medians are exact; where there are
-- two middle values, the lower one is used.
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
-- The credits of the host with the lower published baseline run out.
limiting AS (
  SELECT
    m.*,
    m.published_client_baseline_bits_per_second IS NULL
      OR m.published_server_baseline_bits_per_second < m.published_client_baseline_bits_per_second AS is_server
  FROM measurements AS m
  CROSS JOIN checked AS p
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.cell IS NOT NULL
    AND m.status IN ('complete', 'truncated')
    AND m.burst_bits_per_second IS NOT NULL
    AND m.baseline_bits_per_second IS NOT NULL
    AND (m.published_client_baseline_bits_per_second IS NOT NULL OR m.published_server_baseline_bits_per_second IS NOT NULL)
),
compared AS (
  SELECT
    *,
    CASE WHEN is_server THEN server_type ELSE client_type END AS instance_type,
    CASE
      WHEN is_server THEN published_server_baseline_bits_per_second
      ELSE published_client_baseline_bits_per_second
    END AS published_baseline_bits_per_second,
    CASE
      WHEN is_server THEN published_server_peak_bits_per_second
      ELSE published_client_peak_bits_per_second
    END AS published_peak_bits_per_second,
    -- A tool without parallel_streams drives one flow, which has EC2's `flow_limit_gbits_per_second`.
    coalesce(parallel_streams, 1) = 1 AS is_single_flow,
    CASE
      WHEN path IN ('public', 'nlb') THEN 5
      WHEN ena_express = 'both' AND (coalesce(protocol, 'tcp') <> 'udp' OR ena_express_udp) THEN 25
      WHEN placement = 'cluster' THEN 10
      ELSE 5
    END AS flow_limit_gbits_per_second
  FROM limiting
),
-- The rows are also grouped by the published figures, so that there are two rows when AWS changes a figure.
grouped AS (
  SELECT
    cell, verdict_direction,
    max(setting) AS setting,
    instance_type, published_baseline_bits_per_second, published_peak_bits_per_second,
    is_single_flow,
    is_single_flow AND flow_limit_gbits_per_second * 1e9 < published_peak_bits_per_second AS is_flow_limited,
    max(flow_limit_gbits_per_second) AS flow_limit_gbits_per_second,
    coalesce(max(target_bits_per_second) < published_peak_bits_per_second, FALSE) AS is_offered_less,
    count(*) AS measurement_count,
    array_sort(array_agg(baseline_bits_per_second)) AS baselines,
    array_sort(array_agg(burst_bits_per_second)) AS bursts,
    min(day) AS first_day, max(day) AS last_day
  FROM compared
  CROSS JOIN checked AS p
  WHERE instance_type LIKE p.type_pattern
  GROUP BY
    cell, verdict_direction, instance_type, published_baseline_bits_per_second, published_peak_bits_per_second,
    is_single_flow, is_single_flow AND flow_limit_gbits_per_second * 1e9 < published_peak_bits_per_second
),
medians AS (
  SELECT
    *,
    element_at(baselines, CAST(ceil(cardinality(baselines) * 0.5) AS bigint)) AS baseline_median,
    element_at(bursts, CAST(ceil(cardinality(bursts) * 0.5) AS bigint)) AS burst_median
  FROM grouped
)
SELECT
  instance_type, setting, verdict_direction, is_single_flow, measurement_count,
  round(published_baseline_bits_per_second / 1e9, 3) AS published_baseline_gbits_per_second,
  round(baseline_median / 1e9, 3) AS baseline_median_gbits_per_second,
  round(element_at(baselines, 1) / 1e9, 3) AS baseline_min_gbits_per_second,
  round(element_at(baselines, cardinality(baselines)) / 1e9, 3) AS baseline_max_gbits_per_second,
  round(baseline_median / published_baseline_bits_per_second, 3) AS baseline_ratio,
  round(published_peak_bits_per_second / 1e9, 3) AS published_peak_gbits_per_second,
  round(burst_median / 1e9, 3) AS burst_median_gbits_per_second,
  CASE WHEN NOT is_flow_limited AND NOT is_offered_less THEN round(burst_median / published_peak_bits_per_second, 3) END AS burst_ratio,
  CASE
    WHEN is_offered_less THEN 'the plan offered less than the published peak'
    WHEN is_flow_limited
      THEN 'one flow, which EC2 limits to ' || CAST(flow_limit_gbits_per_second AS varchar) || ' Gbit/s'
  END AS burst_not_compared_because,
  first_day, last_day, cell
FROM medians
ORDER BY instance_type, cell, verdict_direction, published_baseline_gbits_per_second, published_peak_gbits_per_second
