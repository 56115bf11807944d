-- Throttle screen.
-- Which series, over any number of runs, fall from a burst rate to a lower rate, and when? There is one row per series,
-- throttled or not. The answer comes from the samples alone, by another method than the verdict's, and the verdict's
-- own answer is next to it. is_throttled is NULL if a series has fewer than 45 seconds. Edit `params` to choose days
-- and types.
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
-- The samples are grouped into windows of five seconds, whose medians do not show dips of one or two seconds. An
-- interval belongs to the window in which its middle lies, because its ends have jitter.
windows AS (
  SELECT
    s.day, s.run_id, s.measurement_id, s.direction, floor((s.start_seconds + s.length_seconds / 2) / 5) AS number,
    min(s.start_seconds) AS starts, max(s.start_seconds + s.length_seconds) AS ends, sum(s.length_seconds) AS seconds,
    avg(s.throughput_bits_per_second) AS mean, array_sort(array_agg(s.throughput_bits_per_second)) AS rates
  FROM samples AS s CROSS JOIN checked AS p
  WHERE s.day >= current_date - interval '1' day * p.days AND s.metric = 'throughput' AND s.stream = 'sum'
    AND s.throughput_bits_per_second BETWEEN 0 AND 1e15
  GROUP BY 1, 2, 3, 4, 5
),
-- From here on, each series is one row with arrays. A verdict is about one direction of a measurement. Medians and
-- other percentiles are taken by rank, because approximate percentiles differ between engines.
recorded AS (
  SELECT
    w.day, w.run_id, w.measurement_id, w.direction, CAST(round(sum(w.seconds)) AS bigint) AS measured_seconds,
    arbitrary(m.client_type) AS client_type, arbitrary(m.server_type) AS server_type,
    arbitrary(CASE WHEN m.verdict_direction = w.direction THEN m.verdict_kind END) AS verdict_kind,
    arbitrary(CASE WHEN m.verdict_direction = w.direction THEN m.verdict_cause END) AS verdict_cause,
    arbitrary(CASE WHEN m.verdict_direction = w.direction THEN m.onset_seconds END) AS verdict_onset_seconds,
    array_sort(array_agg(CAST(
      ROW(w.number, w.starts, w.ends, w.mean, element_at(w.rates, CAST(ceil(cardinality(w.rates) / 2e0) AS bigint)))
      AS ROW(number double, starts double, ends double, mean double, level double)
    ))) AS windows
  FROM windows AS w CROSS JOIN checked AS p
  JOIN measurements AS m ON m.day = w.day AND m.run_id = w.run_id AND m.measurement_id = w.measurement_id
  WHERE m.day >= current_date - interval '1' day * p.days
    AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
  GROUP BY w.day, w.run_id, w.measurement_id, w.direction
),
levelled AS (
  SELECT *, cardinality(windows) AS n, sequence(1, cardinality(windows)) AS places,
    transform(windows, x -> x.level) AS levels, array_sort(transform(windows, x -> x.level)) AS sorted
  FROM recorded
),
-- Element k + 1 of `totals` is the sum of the first k levels. `mid` is the level halfway between the 10th and 90th
-- percentiles of the levels; it separates high from low.
summed AS (
  SELECT *,
    (element_at(sorted, CAST(ceil(n * 0.1) AS bigint)) + element_at(sorted, CAST(ceil(n * 0.9) AS bigint))) / 2 AS mid,
    reduce(transform(levels, x -> ARRAY[x]), ARRAY[0e0],
      (sums, x) -> sums || ARRAY[element_at(sums, -1) + element_at(x, 1)], sums -> sums) AS totals
  FROM levelled
),
-- A cut into two levels after the first `biggest` windows leaves the smallest squared error.
cut_once AS (
  SELECT *,
    filter(places, i -> i < n AND element_at(levels, i) > mid AND element_at(levels, i + 1) <= mid) AS crossings,
    CAST(-element_at(array_max(transform(filter(places, k -> k < n), k -> ARRAY[
      (element_at(totals, k + 1) / k - element_at(totals, n + 1) / n) * sqrt(1e0 * k / (n - k)), -k
    ])), 2) AS bigint) AS biggest
  FROM summed
),
-- The part before the biggest fall is cut again, because the biggest of several falls is seldom the first. If credits
-- come back under load, the series crosses `mid` again and again, always after the same time.
cut_twice AS (
  SELECT *,
    array_sort(transform(filter(places, i -> i < cardinality(crossings)),
      i -> element_at(crossings, i + 1) - element_at(crossings, i))) AS cycles,
    CAST(-element_at(array_max(transform(filter(places, k -> k < biggest), k -> ARRAY[
      (element_at(totals, k + 1) / k - element_at(totals, biggest + 1) / biggest) * sqrt(1e0 * k / (biggest - k)), -k
    ])), 2) AS bigint) AS earlier
  FROM cut_once
),
-- There is one row for each fall that may be the throttle: the first in time, the biggest, and the first of a periodic
-- series. The first k windows are before the fall, and the other windows up to `last` are after it.
cuts AS (
  SELECT s.*, c.cut, CASE c.cut WHEN 1 THEN s.biggest ELSE s.n END AS last,
    CASE
      WHEN c.cut = 1 THEN s.earlier
      WHEN c.cut = 2 THEN s.biggest
      WHEN cardinality(s.cycles) >= 3 AND element_at(s.cycles, CAST(ceil(0.8 * cardinality(s.cycles)) AS bigint))
        <= 1.3 * element_at(s.cycles, CAST(floor(0.2 * cardinality(s.cycles)) AS bigint) + 1)
        THEN element_at(s.crossings, 1)
    END AS k
  FROM cut_twice AS s CROSS JOIN UNNEST(sequence(1, 3)) AS c (cut)
),
sides AS (
  SELECT *, array_sort(transform(filter(places, i -> i <= k), i -> element_at(levels, i))) AS before,
    CASE cut
      WHEN 3 THEN filter(sorted, level -> level <= mid)
      ELSE array_sort(transform(filter(places, i -> i > k AND i <= last), i -> element_at(levels, i)))
    END AS after
  FROM cuts
),
medians AS (
  SELECT *, element_at(windows, greatest(k, 1)) AS left_of, element_at(windows, k + 1) AS right_of,
    element_at(before, CAST(ceil(greatest(cardinality(before), 1) / 2e0) AS bigint)) AS upper,
    element_at(after, CAST(ceil(greatest(cardinality(after), 1) / 2e0) AS bigint)) AS lower
  FROM sides
),
-- Parts of the two windows around the fall may be at the other level, which tells when the rate fell.
figures AS (
  SELECT *, left_of.starts + (right_of.starts - left_of.ends) / 2
      + (left_of.ends - left_of.starts) * least(greatest((left_of.mean - lower) / nullif(upper - lower, 0), 0), 1)
      + (right_of.ends - right_of.starts) * least(greatest((right_of.mean - lower) / nullif(upper - lower, 0), 0), 1)
      AS onset,
    cardinality(filter(places, i -> i <= k AND 2 * element_at(levels, i) < upper + lower)) AS n_low,
    cardinality(filter(places, i -> i BETWEEN k + 2 AND last AND 2 * element_at(levels, i) >= upper + lower)) AS n_high,
    reduce(transform(filter(places, i -> i <= last), i -> abs(element_at(levels, i) - if(i <= k, upper, lower))),
      0e0, (total, x) -> total + x, total -> total) / last AS scatter
  FROM medians
),
judged AS (
  SELECT day, run_id, measurement_id, direction, client_type, server_type, verdict_kind, verdict_cause,
    verdict_onset_seconds, measured_seconds, cut, upper, lower, onset,
    measured_seconds >= 45 AND coalesce(CASE
      WHEN cut = 3 THEN lower <= 0.7 * upper AND cardinality(after) >= n / 3e0
      -- The fall is deep, but not to zero. The rate is high before it and low until the end. Half of the fall is within
      -- a window, and it is larger than the scatter. The low rate lasts at least five seconds.
      ELSE lower BETWEEN 0.005 * upper AND 0.88 * upper
        AND n_low <= 0.25 * k AND n_high <= 0.05 * (last - k)
        AND element_at(levels, k) - element_at(levels, least(k + 2, last)) >= 0.5 * (upper - lower)
        AND (upper - lower) * sqrt(1e0 * k * (last - k) / last) >= 25 * scatter
        AND element_at(windows, last).ends - onset >= 5
    END, FALSE) AS is_fall
  FROM figures
)
SELECT
  run_id, measurement_id, direction, client_type, server_type, if(measured_seconds >= 45, is_fall) AS is_throttled,
  if(measured_seconds < 45, 'insufficient', if(NOT is_fall, 'no_fall', if(cut = 3, 'periodic', 'fall'))) AS shape,
  if(is_fall, round(onset, 2)) AS onset_seconds,
  if(is_fall, round(upper / 1e9, 3)) AS burst_gbits_per_second,
  if(is_fall, round(lower / 1e9, 3)) AS baseline_gbits_per_second,
  if(is_fall, round((upper - lower) * onset / 1e9, 2)) AS bucket_gbits,
  measured_seconds, verdict_kind, verdict_cause, verdict_onset_seconds,
  -- both_agree is true if screen and verdict find the same fall or both find none, and NULL if one of them has no
  -- answer.
  CASE
    WHEN verdict_kind = 'insufficient' OR measured_seconds < 45 THEN NULL
    WHEN is_fall AND verdict_kind IN ('drop', 'drops', 'cycle') THEN abs(onset - verdict_onset_seconds) <= 15
    ELSE is_fall = (verdict_kind IN ('drop', 'drops', 'cycle'))
  END AS both_agree, day
FROM (
  SELECT *, row_number() OVER (PARTITION BY day, run_id, measurement_id, direction ORDER BY NOT is_fall, cut) AS choice
  FROM judged)
WHERE choice = 1
ORDER BY day DESC, run_id, measurement_id, direction
