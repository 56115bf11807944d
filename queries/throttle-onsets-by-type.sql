-- Throttle onsets by type.
-- How long does the burst of an instance type last, and how often does it end at all? One row per pair of types, kind of
-- measurement and direction; the share is of the measurements whose series could tell. Medians are exact (of two middle ones the
-- lower). Edit `params` to narrow it down, e.g. type_pattern 'c7g.%'.
WITH params AS (
  SELECT
    '%' AS type_pattern
),
grouped AS (
  SELECT
    m.client_type,
    m.server_type,
    m.verdict_direction,
    m.protocol,
    m.parallel_streams,
    count(*) AS measurement_count,
    count(m.onset_seconds) AS throttled_count,
    -- Too short to tell: neither throttled nor not.
    count_if(m.series_class = 'insufficient' AND m.onset_seconds IS NULL) AS insufficient_count,
    array_sort(array_agg(m.onset_seconds) FILTER (WHERE m.onset_seconds IS NOT NULL)) AS onsets,
    min(m.onset_seconds) AS onset_min_seconds,
    max(m.onset_seconds) AS onset_max_seconds,
    -- How long was looked for it where it was not found: an onset later than that is not excluded.
    max(CASE WHEN m.onset_seconds IS NULL THEN m.duration_seconds END) AS longest_without_onset_seconds,
    min(m.day) AS first_day,
    max(m.day) AS last_day
  FROM measurements AS m
  CROSS JOIN params AS p
  WHERE m.day >= CAST(current_date - interval '90' day AS varchar)
    AND m.status IN ('complete', 'truncated')
    AND m.series_class IS NOT NULL
    AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
  GROUP BY m.client_type, m.server_type, m.verdict_direction, m.protocol, m.parallel_streams
)
SELECT
  client_type,
  server_type,
  verdict_direction,
  protocol,
  parallel_streams,
  measurement_count,
  throttled_count,
  insufficient_count,
  CASE
    WHEN measurement_count > insufficient_count
      THEN round(throttled_count * 1e0 / (measurement_count - insufficient_count), 3)
  END AS throttled_share,
  round(element_at(onsets, CAST(ceil(cardinality(onsets) * 0.5) AS bigint)), 1) AS onset_median_seconds,
  round(onset_min_seconds, 1) AS onset_min_seconds,
  round(onset_max_seconds, 1) AS onset_max_seconds,
  longest_without_onset_seconds,
  first_day,
  last_day
FROM grouped
ORDER BY client_type, server_type, verdict_direction, protocol, parallel_streams
