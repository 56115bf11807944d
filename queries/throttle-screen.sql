-- Throttle screen.
-- Which series of any number of runs fall from a burst rate to a lower one, and when? One row per series, throttled or
-- not, found from the samples alone by another method than the verdict's, with the verdict's own answer beside it.
-- is_throttled is NULL where there are fewer than 45 seconds. Edit `params` to narrow it down, e.g. type_pattern
-- 'c7g.%'.
WITH params AS (SELECT '%' AS type_pattern),
-- One rate per second, whatever the tool's interval is. An interval belongs to the second that its middle lies in,
-- because its ends have jitter. A series gets one key that goes through every step below; its parts are taken out of
-- the key again at the end, which is possible because ids have no space.
seconds AS (
  SELECT
    s.run_id || ' ' || s.measurement_id || ' ' || s.direction AS series,
    floor(s.start_seconds + s.length_seconds / 2) AS second_number,
    min(s.start_seconds) AS start_seconds,
    avg(s.throughput_bits_per_second) AS bits_per_second
  FROM samples AS s
  WHERE s.day >= current_date - interval '90' day
    AND s.metric = 'throughput'
    AND s.stream = 'sum'
    -- This comparison also rejects NaN and infinity.
    AND s.throughput_bits_per_second BETWEEN 0 AND 1e15
  GROUP BY 1, 2
),
-- Percentiles are taken by rank, because approximate percentiles differ between engines.
ordered AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY series ORDER BY bits_per_second) AS rate_rank,
    count(*) OVER (PARTITION BY series) AS second_count
  FROM seconds
),
scaled AS (
  SELECT
    *,
    max(CASE WHEN rate_rank = ceil(0.9 * second_count) THEN bits_per_second END) OVER (PARTITION BY series) AS scale,
    max(CASE WHEN rate_rank = ceil(0.1 * second_count) THEN bits_per_second END) OVER (PARTITION BY series) AS low_scale,
    max(second_number) OVER (PARTITION BY series) AS last_second
  FROM ordered
),
ended AS (
  SELECT
    *,
    max(CASE WHEN bits_per_second >= 0.005 * scale THEN second_number END) OVER (PARTITION BY series) AS last_alive_second
  FROM scaled
),
-- Samples are counted by number and not by time, because a gap is no evidence. A dead tail is a flow that ended and not
-- a throttle.
numbered AS (
  SELECT
    series, start_seconds, scale,
    CASE WHEN scale > 0 THEN low_scale / scale ELSE 0e0 END AS low_rate,
    CASE WHEN scale > 0 THEN bits_per_second / scale ELSE 0e0 END AS rate,
    row_number() OVER (PARTITION BY series ORDER BY second_number) - 1e0 AS i,
    count(*) OVER (PARTITION BY series) * 1e0 AS n
  FROM ended
  WHERE last_alive_second IS NULL OR second_number <= last_alive_second OR last_second - last_alive_second < 5
),
-- w is the window: 15 s for half an hour, 1 s for a short recording. reach is how far around a fall its two levels are
-- compared.
rates AS (
  SELECT
    *,
    CASE WHEN n < 240 THEN 1e0 WHEN n > 1800 THEN 15e0 ELSE floor(n / 120) END AS w,
    CASE WHEN n < 60 THEN 5e0 WHEN n > 540 THEN 45e0 ELSE floor(n / 12) END AS reach
  FROM numbered
),
-- The medians of the windows no longer show dips shorter than half a window.
windows AS (
  SELECT
    series, w,
    floor(i / w) + 1 AS k,
    element_at(array_sort(array_agg(rate)), CAST(ceil(count(*) / 2e0) AS bigint)) AS level
  FROM rates
  GROUP BY 1, 2, 3
),
-- Prefix sums give the squared error that each cut into two levels explains. Only falls count. The part before the best
-- cut is cut again, twice, because the biggest of several steps is seldom the first.
sums AS (
  SELECT
    *,
    max(k) OVER (PARTITION BY series) AS k_0,
    sum(level) OVER (PARTITION BY series) AS total_0,
    sum(level) OVER (PARTITION BY series ORDER BY k ROWS UNBOUNDED PRECEDING) AS total
  FROM windows
),
gains_1 AS (
  SELECT
    *,
    CASE WHEN k < k_0 AND total * k_0 > total_0 * k THEN power(total * k_0 - total_0 * k, 2) / (k * (k_0 - k)) END AS gain
  FROM sums
),
split_1 AS (
  SELECT
    series, w, k, level, total,
    max_by(k, gain) OVER (PARTITION BY series) AS k_1,
    max_by(total, gain) OVER (PARTITION BY series) AS total_1
  FROM gains_1
),
gains_2 AS (
  SELECT
    *,
    CASE WHEN k < k_1 AND total * k_1 > total_1 * k THEN power(total * k_1 - total_1 * k, 2) / (k * (k_1 - k)) END AS gain
  FROM split_1
),
split_2 AS (
  SELECT
    series, w, k, level, total, k_1,
    max_by(k, gain) OVER (PARTITION BY series) AS k_2,
    max_by(total, gain) OVER (PARTITION BY series) AS total_2
  FROM gains_2
),
gains_3 AS (
  SELECT
    *,
    CASE WHEN k < k_2 AND total * k_2 > total_2 * k THEN power(total * k_2 - total_2 * k, 2) / (k * (k_2 - k)) END AS gain
  FROM split_2
),
split_3 AS (
  SELECT series, w, k, level, k_1, k_2, max_by(k, gain) OVER (PARTITION BY series) AS k_3
  FROM gains_3
),
splits AS (
  SELECT
    s.*,
    c.candidate,
    CASE c.candidate WHEN 1 THEN s.k_1 WHEN 2 THEN s.k_2 ELSE s.k_3 END AS k_split
  FROM split_3 AS s
  CROSS JOIN (VALUES (1), (2), (3)) AS c (candidate)
),
coarse_sides AS (
  SELECT
    series, candidate,
    max(k_split * w) AS i,
    array_sort(array_agg(level) FILTER (WHERE k BETWEEN k_split - 3 AND k_split)) AS levels_before,
    array_sort(array_agg(level) FILTER (WHERE k BETWEEN k_split + 1 AND k_split + 4)) AS levels_after
  FROM splits
  WHERE k_split IS NOT NULL
  GROUP BY 1, 2
),
coarse_falls AS (
  SELECT
    series, candidate, i,
    element_at(levels_before, CAST(ceil(cardinality(levels_before) / 2e0) AS bigint)) AS level_before,
    element_at(levels_after, CAST(ceil(cardinality(levels_after) / 2e0) AS bigint)) AS level_after
  FROM coarse_sides
),
-- The second of the cut: each sample votes for the level that it is nearer to, with at most one vote. The sum of the
-- votes is smallest at the fall; of several equal minima the first is taken.
votes AS (
  SELECT
    s.series, f.candidate, s.i,
    sum(CASE
      WHEN s.rate >= f.level_before THEN -1e0
      WHEN s.rate <= f.level_after THEN 1e0
      ELSE 1 - 2 * (s.rate - f.level_after) / (f.level_before - f.level_after)
    END) OVER (PARTITION BY s.series, f.candidate ORDER BY s.i ROWS UNBOUNDED PRECEDING) AS low_votes
  FROM coarse_falls AS f
  JOIN rates AS s ON s.series = f.series AND s.i BETWEEN f.i - 3 * s.w AND f.i + 3 * s.w
),
-- Credits that come back while the load goes on give dwell times at both levels that repeat. Traffic of other tenants
-- has no such times.
states AS (
  SELECT
    series, i, start_seconds, rate,
    avg(CASE WHEN rate > (1 + low_rate) / 2 THEN 1e0 ELSE 0e0 END)
      OVER (PARTITION BY series ORDER BY i ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING) > 0.5 AS is_high
  FROM rates
),
turns AS (
  SELECT *, CASE WHEN is_high = lag(is_high, 1) OVER (PARTITION BY series ORDER BY i) THEN 0 ELSE 1 END AS turn
  FROM states
),
dwell_samples AS (
  SELECT *, sum(turn) OVER (PARTITION BY series ORDER BY i ROWS UNBOUNDED PRECEDING) AS dwell
  FROM turns
),
dwells AS (
  SELECT
    series, is_high, dwell,
    min(i) AS i,
    max(start_seconds) - min(start_seconds) + 1 AS dwell_seconds,
    sum(rate) AS rate_sum,
    count(*) AS sample_count
  FROM dwell_samples
  GROUP BY 1, 2, 3
),
ordered_dwells AS (
  SELECT
    *,
    max(dwell) OVER (PARTITION BY series) AS dwell_count,
    row_number() OVER (PARTITION BY series, is_high, dwell > 1 ORDER BY dwell_seconds) AS length_rank,
    count(*) OVER (PARTITION BY series, is_high, dwell > 1) AS of_its_kind
  FROM dwells
),
usual_dwells AS (
  SELECT
    *,
    max(CASE WHEN dwell > 1 AND length_rank = ceil(of_its_kind / 2e0) THEN dwell_seconds END)
      OVER (PARTITION BY series, is_high) AS usual_seconds
  FROM ordered_dwells
),
-- Six dwells are two whole cycles after the first fall, because the first dwell is longer and the last is cut off.
cycles AS (
  SELECT
    series,
    min(i) FILTER (WHERE NOT is_high) AS cut,
    sum(rate_sum) FILTER (WHERE NOT is_high) / sum(sample_count) FILTER (WHERE NOT is_high) AS low_level
  FROM usual_dwells
  GROUP BY 1
  HAVING max(dwell_count) >= 6
    AND avg(CASE WHEN dwell_seconds BETWEEN 0.6 * usual_seconds AND 1.5 * usual_seconds THEN 1e0 ELSE 0e0 END)
      FILTER (WHERE is_high AND dwell > 1 AND dwell < dwell_count) >= 0.7
    AND avg(CASE WHEN dwell_seconds BETWEEN 0.6 * usual_seconds AND 1.5 * usual_seconds THEN 1e0 ELSE 0e0 END)
      FILTER (WHERE NOT is_high AND dwell < dwell_count) >= 0.7
    -- Credits take time to fill, whereas dips are short.
    AND max(usual_seconds) FILTER (WHERE NOT is_high) >= 0.5 * max(usual_seconds) FILTER (WHERE is_high)
    AND sum(rate_sum) FILTER (WHERE NOT is_high) < 0.7 * sum(sample_count) FILTER (WHERE NOT is_high)
),
cuts AS (
  SELECT series, candidate, min_by(i, low_votes + 1e-9 * i) + 1 AS cut, CAST(NULL AS double) AS cycle_low_level
  FROM votes
  GROUP BY 1, 2
  UNION ALL
  SELECT series, 0 AS candidate, cut, low_level AS cycle_low_level
  FROM cycles
),
-- Sorted rates around each candidate; the next step takes their medians. There are four ranges on each side: the whole
-- side, the part near the fall, and a closer and a farther part that distinguish a step from a slope.
fall_sides AS (
  SELECT
    s.series, c.candidate, c.cut, s.n, s.w, s.reach,
    max(c.cycle_low_level) AS cycle_low_level,
    array_sort(array_agg(s.rate) FILTER (WHERE s.i < c.cut)) AS level_before,
    array_sort(array_agg(s.rate) FILTER (WHERE s.i >= c.cut)) AS level_after,
    array_sort(array_agg(s.rate) FILTER (WHERE s.i BETWEEN c.cut - s.reach - 1 AND c.cut - 2)) AS near_before,
    array_sort(array_agg(s.rate) FILTER (WHERE s.i BETWEEN c.cut + 1 AND c.cut + s.reach)) AS near_after,
    array_sort(array_agg(s.rate) FILTER (WHERE s.i BETWEEN c.cut - s.reach / 3 AND c.cut - 1)) AS just_before,
    array_sort(array_agg(s.rate)
      FILTER (WHERE s.i BETWEEN c.cut + floor(s.reach / 5) AND c.cut + floor(s.reach / 5) + s.reach / 3)) AS just_after,
    array_sort(array_agg(s.rate) FILTER (WHERE s.i BETWEEN c.cut + floor(s.reach / 5) AND c.cut + s.reach * 2 / 3)) AS soon_after,
    array_sort(array_agg(s.rate)
      FILTER (WHERE s.i BETWEEN c.cut - s.reach * 4 / 3 AND c.cut - s.reach * 2 / 3 - 1)) AS farther_before,
    array_sort(array_agg(s.rate) FILTER (WHERE s.i BETWEEN c.cut + s.reach AND c.cut + s.reach * 5 / 3)) AS farther_after,
    array_sort(array_agg(s.rate) FILTER (WHERE s.i >= s.n - s.reach)) AS level_at_end,
    max(s.start_seconds) FILTER (WHERE s.i = c.cut) AS cut_seconds,
    max(s.start_seconds) FILTER (WHERE s.i = c.cut - 1) AS previous_seconds,
    max(s.rate) FILTER (WHERE s.i = c.cut) AS cut_rate,
    max(s.rate) FILTER (WHERE s.i = c.cut - 1) AS previous_rate
  FROM cuts AS c
  JOIN rates AS s ON s.series = c.series
  GROUP BY 1, 2, 3, 4, 5, 6
),
falls AS (
  SELECT
    series, candidate, cut, n, w, reach, cycle_low_level, cut_seconds, previous_seconds, cut_rate, previous_rate,
    element_at(level_before, CAST(ceil(cardinality(level_before) / 2e0) AS bigint)) AS level_before,
    element_at(level_after, CAST(ceil(cardinality(level_after) / 2e0) AS bigint)) AS level_after,
    element_at(near_before, CAST(ceil(cardinality(near_before) / 2e0) AS bigint)) AS near_before,
    element_at(near_after, CAST(ceil(cardinality(near_after) / 2e0) AS bigint)) AS near_after,
    element_at(just_before, CAST(ceil(cardinality(just_before) / 2e0) AS bigint)) AS just_before,
    element_at(just_after, CAST(ceil(cardinality(just_after) / 2e0) AS bigint)) AS just_after,
    element_at(soon_after, CAST(ceil(cardinality(soon_after) / 2e0) AS bigint)) AS soon_after,
    element_at(farther_before, CAST(ceil(cardinality(farther_before) / 2e0) AS bigint)) AS farther_before,
    element_at(farther_after, CAST(ceil(cardinality(farther_after) / 2e0) AS bigint)) AS farther_after,
    element_at(level_at_end, CAST(ceil(cardinality(level_at_end) / 2e0) AS bigint)) AS level_at_end
  FROM fall_sides
),
-- The windows on both sides of each candidate: a window is low or high by the middle between the two levels, and the
-- step counts how long the windows stay low.
sides AS (
  SELECT
    f.*,
    s.level,
    s.level < (f.near_before + f.near_after) / 2 AS is_low,
    s.k * f.w <= f.cut AS is_before,
    (s.k - 1) * f.w >= f.cut AS is_after,
    sum(CASE WHEN s.level < (f.near_before + f.near_after) / 2 THEN 0 ELSE 1 END)
      OVER (PARTITION BY f.series, f.candidate ORDER BY s.k ROWS UNBOUNDED PRECEDING) AS high_count
  FROM falls AS f
  JOIN windows AS s ON s.series = f.series
),
low_runs AS (
  SELECT
    *,
    sum(CASE WHEN is_low AND is_before THEN 1 ELSE 0 END) OVER (PARTITION BY series, candidate, high_count) AS low_run
  FROM sides
),
shapes AS (
  SELECT
    series, candidate, cut, n, reach, cycle_low_level, level_before, level_after, near_before, near_after, just_before, just_after,
    soon_after, farther_before, farther_after, level_at_end, cut_seconds, previous_seconds, cut_rate, previous_rate,
    count_if(is_before) * 1e0 AS windows_before,
    count_if(is_after) * 1e0 AS windows_after,
    max(low_run) AS longest_low_before,
    coalesce(avg(CASE WHEN is_low THEN 1e0 ELSE 0e0 END) FILTER (WHERE is_before), 0e0) AS low_share_before,
    coalesce(avg(CASE WHEN is_low THEN 0e0 ELSE 1e0 END) FILTER (WHERE is_after), 0e0) AS high_share_after,
    sqrt(avg(power(level - CASE WHEN is_before THEN level_before ELSE level_after END, 2))
      FILTER (WHERE is_before OR is_after)) AS scatter,
    coalesce(sqrt(avg(power(level - level_before, 2)) FILTER (WHERE is_before)), 0e0) AS scatter_before
  FROM low_runs
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20
),
-- Candidate 0 exists in every periodic series. Two candidates within each other's reach are one, that of the bigger
-- split.
siblings AS (
  SELECT
    *,
    max(cycle_low_level) OVER (PARTITION BY series) AS low_level,
    max(CASE WHEN candidate = 1 THEN cut END) OVER (PARTITION BY series) AS cut_1,
    max(CASE WHEN candidate = 2 THEN cut END) OVER (PARTITION BY series) AS cut_2
  FROM shapes
),
-- Every candidate must be deep enough; the other rules depend on which candidate it is.
ranked AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY series ORDER BY CASE WHEN candidate = 0 THEN 1 ELSE 0 END, cut, candidate) AS choice
  FROM siblings
  WHERE n >= 45 AND (candidate = 0 OR near_after <= 0.88 * near_before AND CASE
      WHEN candidate > 1 AND abs(cut - cut_1) <= reach OR candidate > 2 AND abs(cut - cut_2) <= reach THEN FALSE
      -- In a periodic series the onset is the first fall from a high level.
      WHEN low_level IS NOT NULL THEN low_share_before <= 0.2
      -- A fall this near to the end is no throttle yet: 25 s for half an hour, 5 s for a short recording.
      WHEN n - cut < 5 OR n - cut < CASE WHEN n > 1800 THEN 25e0 ELSE n / 72 END THEN FALSE
      -- The fall must be abrupt compared with its whole depth or, where further falls follow, with its neighbourhood. A
      -- slope continues on both sides.
      WHEN near_before - soon_after < 0.6 * (level_before - level_after)
        AND NOT coalesce(just_before - just_after >= 0.6 * (farther_before - farther_after)
          AND just_before - just_after >= 0.6 * (near_before - near_after), FALSE) THEN FALSE
      -- With an equal excursion before it, the fall is only one of several.
      WHEN longest_low_before > 0.2 * windows_after THEN FALSE
      -- A fall before the biggest one must be deeper than everything before it, and the rate must not recover from it.
      WHEN candidate > 1 THEN scatter_before * 2.5 <= near_before - near_after
        AND low_share_before <= 0.1
        AND high_share_after <= 0.06
      -- The rate must stay low to the end, and fall by more than the scatter.
      ELSE high_share_after <= 0.25
        AND level_at_end < (near_before + near_after) / 2
        AND level_before - level_after >= 1.3 * scatter
        AND (level_before - level_after) * sqrt(windows_before * windows_after / (windows_before + windows_after)) >= 5 * scatter
    END)
),
-- In the second of the fall the rate lies between both levels, in proportion to the time spent at each. Within a gap
-- every instant is equally likely, so the middle is taken.
onsets AS (
  SELECT
    series,
    CASE WHEN low_level IS NULL THEN 'fall' ELSE 'periodic' END AS shape,
    level_before,
    coalesce(low_level, level_after) AS level_after,
    CASE
      WHEN previous_seconds IS NULL THEN cut_seconds
      WHEN cut_seconds - previous_seconds > 1.5 THEN (previous_seconds + 1 + cut_seconds) / 2
      ELSE previous_seconds
        + CASE
          WHEN previous_rate >= near_before THEN 1e0
          WHEN previous_rate <= near_after THEN 0e0
          ELSE (previous_rate - near_after) / (near_before - near_after)
        END
        + CASE
          WHEN cut_rate >= near_before THEN 1e0
          WHEN cut_rate <= near_after THEN 0e0
          ELSE (cut_rate - near_after) / (near_before - near_after)
        END
    END AS onset_seconds
  FROM ranked
  WHERE choice = 1
),
screened AS (
  SELECT
    split_part(s.series, ' ', 1) AS run_id,
    split_part(s.series, ' ', 2) AS measurement_id,
    split_part(s.series, ' ', 3) AS direction,
    s.scale, s.n, s.reach,
    CASE WHEN s.n >= 45 THEN o.onset_seconds IS NOT NULL END AS is_throttled,
    CASE WHEN s.n < 45 THEN 'insufficient' ELSE coalesce(o.shape, 'no_fall') END AS shape,
    o.onset_seconds,
    o.level_before * s.scale AS burst_bits_per_second,
    o.level_after * s.scale AS baseline_bits_per_second
  FROM (SELECT DISTINCT series, scale, n, reach FROM rates) AS s
  LEFT JOIN onsets AS o ON o.series = s.series
),
beside AS (
  SELECT
    s.*,
    m.client_type, m.server_type, m.day,
    -- A verdict is about one direction of a measurement.
    CASE WHEN m.verdict_direction = s.direction THEN m.verdict_kind END AS verdict_kind,
    CASE WHEN m.verdict_direction = s.direction THEN m.series_class END AS series_class,
    CASE WHEN m.verdict_direction = s.direction THEN m.onset_seconds END AS verdict_onset_seconds
  FROM screened AS s
  JOIN measurements AS m ON m.run_id = s.run_id AND m.measurement_id = s.measurement_id
  CROSS JOIN params AS p
  WHERE m.day >= current_date - interval '90' day
    AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
)
SELECT
  run_id, measurement_id, direction, client_type, server_type, is_throttled, shape,
  round(onset_seconds, 2) AS onset_seconds,
  round(burst_bits_per_second / 1e9, 3) AS burst_gbits_per_second,
  round(baseline_bits_per_second / 1e9, 3) AS baseline_gbits_per_second,
  round((burst_bits_per_second - baseline_bits_per_second) * onset_seconds / 1e9, 2) AS bucket_gbits,
  CAST(n AS bigint) AS measured_seconds,
  verdict_kind, series_class, verdict_onset_seconds,
  -- True where both find the same fall or both find none, and NULL where one of them has no answer.
  CASE
    WHEN series_class = 'insufficient' THEN NULL
    WHEN is_throttled AND series_class IN ('burst_then_throttle', 'multi_step', 'periodic_recharge')
      THEN abs(onset_seconds - verdict_onset_seconds) <= reach / 3
    ELSE is_throttled = (series_class IN ('burst_then_throttle', 'multi_step', 'periodic_recharge'))
  END AS both_agree,
  day
FROM beside
ORDER BY day DESC, run_id, measurement_id, direction
