-- Throttle screen.
-- Which series of any number of runs fall from a burst rate to a lower one, and when? One row per series, throttled or
-- not, found from the samples alone by another method than the verdict's, with the verdict's own answer beside it.
-- is_throttled is NULL where there are fewer than 45 seconds. Edit `params`. For a year of use it reads 339.4 MB in
-- 1,600 GETs and 732 LISTs, for 0.0060 USD.
WITH params AS (
  SELECT
    CAST(90 AS integer) AS days,  -- how many days back
    '%' AS type_pattern           -- pairs with a type like this on one side, e.g. 'c7g.%'
),
-- A series becomes one row, with its samples in an array, and stays one row: a window function over rows of seconds
-- would hold all series in memory, with their names in each second. An interval belongs to the second that its middle
-- lies in, because its ends have jitter. Trino holds what stands right of a JOIN in memory; that is the smaller table.
recorded AS (
  SELECT
    s.day, s.run_id, s.measurement_id, s.direction,
    arbitrary(m.client_type) AS client_type,
    arbitrary(m.server_type) AS server_type,
    -- A verdict is about one direction of a measurement.
    arbitrary(CASE WHEN m.verdict_direction = s.direction THEN m.verdict_kind END) AS verdict_kind,
    arbitrary(CASE WHEN m.verdict_direction = s.direction THEN m.verdict_cause END) AS verdict_cause,
    arbitrary(CASE WHEN m.verdict_direction = s.direction THEN m.onset_seconds END) AS verdict_onset_seconds,
    array_sort(array_agg(CAST(
      ROW(floor(s.start_seconds + s.length_seconds / 2), s.start_seconds, s.throughput_bits_per_second)
      AS ROW(second_number double, start_seconds double, bits_per_second double)
    ))) AS samples
  FROM samples AS s
  CROSS JOIN params AS p
  JOIN measurements AS m ON m.day = s.day AND m.run_id = s.run_id AND m.measurement_id = s.measurement_id
  WHERE s.day >= current_date - interval '1' day * p.days
    AND m.day >= current_date - interval '1' day * p.days
    AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
    AND s.metric = 'throughput'
    AND s.stream = 'sum'
    -- This comparison also rejects NaN and infinity.
    AND s.throughput_bits_per_second BETWEEN 0 AND 1e15
  GROUP BY s.day, s.run_id, s.measurement_id, s.direction
),
-- The numbers 1, 2, 3 and so on, as many as there are samples: an array has no loop, so what is at each place of it is
-- made of these. Trino's `sequence` gives 10,000 numbers at most.
numbered AS (
  SELECT
    *,
    flatten(transform(
      sequence(0, CAST(floor((cardinality(samples) - 1) / 1e4) AS bigint)),
      x -> sequence(10000 * x + 1, least(10000 * (x + 1), cardinality(samples)))
    )) AS places
  FROM recorded
),
-- Each second begins at one of the bounds, which are places of samples, and ends before the next.
bounded AS (
  SELECT
    *,
    filter(places, i -> i = 1
      OR element_at(samples, i).second_number > element_at(samples, greatest(i - 1, 1)).second_number)
      || ARRAY[cardinality(samples) + 1] AS bounds
  FROM numbered
),
-- One rate per second, whatever the tool's interval is: the mean of its samples. The functions given to `reduce` here
-- use no column: where arrays differ in length, DuckDB 1.5 gives them the column of another row.
seconds AS (
  SELECT
    *,
    transform(
      filter(places, i -> i < cardinality(bounds)),
      i -> element_at(samples, element_at(bounds, i)).start_seconds
    ) AS starts,
    transform(filter(places, i -> i < cardinality(bounds)), i -> reduce(
      transform(
        sequence(element_at(bounds, i), element_at(bounds, i + 1) - 1),
        j -> element_at(samples, j).bits_per_second
      ),
      0e0, (total, rate) -> total + rate, total -> total
    ) / (element_at(bounds, i + 1) - element_at(bounds, i))) AS speeds
  FROM bounded
),
-- Percentiles are taken by rank, because approximate percentiles differ between engines.
sorted AS (
  SELECT *, array_sort(speeds) AS sorted_speeds
  FROM seconds
),
scaled AS (
  SELECT
    *,
    element_at(sorted_speeds, CAST(ceil(0.9 * cardinality(speeds)) AS bigint)) AS scale,
    element_at(sorted_speeds, CAST(ceil(0.1 * cardinality(speeds)) AS bigint)) AS low_scale
  FROM sorted
),
ended AS (
  SELECT
    *,
    array_max(filter(places, i -> element_at(speeds, i) >= 0.005 * scale)) AS last_alive
  FROM scaled
),
-- Seconds are counted by number and not by time, because a gap is no evidence. A dead tail is a flow that ended and not
-- a throttle.
counted AS (
  SELECT
    *,
    CASE
      WHEN element_at(samples, -1).second_number - element_at(samples, element_at(bounds, last_alive)).second_number < 5
        THEN cardinality(speeds)
      ELSE last_alive
    END AS n
  FROM ended
),
-- w is the window: 15 s for half an hour, 1 s for a short recording. reach is how far around a fall its two levels are
-- compared.
rates AS (
  SELECT
    *,
    CASE WHEN scale > 0 THEN low_scale / scale ELSE 0e0 END AS low_rate,
    filter(places, i -> i <= n) AS numbers,
    transform(filter(places, i -> i <= n), i -> CASE WHEN scale > 0 THEN element_at(speeds, i) / scale ELSE 0e0 END)
      AS rates,
    CASE WHEN n < 240 THEN 1 WHEN n > 1800 THEN 15 ELSE CAST(floor(n / 120e0) AS bigint) END AS w,
    CASE WHEN n < 60 THEN 5e0 WHEN n > 540 THEN 45e0 ELSE floor(n / 12e0) END AS reach
  FROM counted
),
-- The medians of the windows no longer show dips shorter than half a window.
windows AS (
  SELECT
    *,
    transform(
      transform(
        filter(numbers, k -> (k - 1) * w < n),
        k -> array_sort(transform(sequence((k - 1) * w + 1, least(k * w, n)), i -> element_at(rates, i)))
      ),
      x -> element_at(x, CAST(ceil(cardinality(x) / 2e0) AS bigint))
    ) AS levels
  FROM rates
),
-- Element k + 1 is the sum of the first k levels. An array grows only by arrays, so each level is in one of its own.
sums AS (
  SELECT
    *,
    cardinality(levels) AS k_0,
    reduce(
      transform(levels, level -> ARRAY[level]),
      ARRAY[0e0], (sums, level) -> sums || ARRAY[element_at(sums, -1) + element_at(level, 1)], sums -> sums
    ) AS totals
  FROM windows
),
-- Prefix sums give the squared error that each cut into two levels explains. Only falls count. The part before the best
-- cut is cut again, twice, because the biggest of several steps is seldom the first. Of equal cuts the first is taken.
split_1 AS (
  SELECT
    *,
    CAST(-element_at(array_max(transform(
      filter(numbers, k -> k < k_0 AND element_at(totals, k + 1) * k_0 > element_at(totals, k_0 + 1) * k),
      k -> ARRAY[power(element_at(totals, k + 1) * k_0 - element_at(totals, k_0 + 1) * k, 2) / (k * (k_0 - k)), -k]
    )), 2) AS bigint) AS k_1
  FROM sums
),
split_2 AS (
  SELECT
    *,
    CAST(-element_at(array_max(transform(
      filter(numbers, k -> k < k_1 AND element_at(totals, k + 1) * k_1 > element_at(totals, k_1 + 1) * k),
      k -> ARRAY[power(element_at(totals, k + 1) * k_1 - element_at(totals, k_1 + 1) * k, 2) / (k * (k_1 - k)), -k]
    )), 2) AS bigint) AS k_2
  FROM split_1
),
split_3 AS (
  SELECT
    *,
    CAST(-element_at(array_max(transform(
      filter(numbers, k -> k < k_2 AND element_at(totals, k + 1) * k_2 > element_at(totals, k_2 + 1) * k),
      k -> ARRAY[power(element_at(totals, k + 1) * k_2 - element_at(totals, k_2 + 1) * k, 2) / (k * (k_2 - k)), -k]
    )), 2) AS bigint) AS k_3
  FROM split_2
),
-- Credits that come back while the load goes on give dwell times at both levels that repeat. Traffic of other tenants
-- has no such times. A second is high when most of the five around it are.
states AS (
  SELECT
    *,
    transform(numbers, i -> 2 * cardinality(filter(
      sequence(greatest(i - 2, 1), least(i + 2, n)),
      j -> element_at(rates, j) > (1 + low_rate) / 2
    )) > least(i + 2, n) - greatest(i - 2, 1) + 1) AS is_high
  FROM split_3
),
turned AS (
  SELECT
    *,
    filter(numbers, i -> i = 1 OR element_at(is_high, i) <> element_at(is_high, greatest(i - 1, 1)))
      || ARRAY[n + 1] AS turns
  FROM states
),
dwells AS (
  SELECT
    *,
    cardinality(turns) - 1 AS dwell_count,
    filter(numbers, d -> d < cardinality(turns) AND element_at(is_high, element_at(turns, d))) AS high_dwells,
    filter(numbers, d -> d < cardinality(turns) AND NOT element_at(is_high, element_at(turns, d))) AS low_dwells,
    transform(
      filter(numbers, d -> d < cardinality(turns)),
      d -> element_at(starts, element_at(turns, d + 1) - 1) - element_at(starts, element_at(turns, d)) + 1
    ) AS dwell_seconds,
    transform(filter(numbers, i -> NOT element_at(is_high, i)), i -> element_at(rates, i)) AS low_rates
  FROM turned
),
-- How long a dwell of either kind usually is. The first dwell is longer and the last is cut off.
usual_dwells AS (
  SELECT
    *,
    filter(high_dwells, d -> d > 1 AND d < dwell_count) AS whole_high_dwells,
    filter(low_dwells, d -> d < dwell_count) AS whole_low_dwells,
    transform(
      transform(
        ARRAY[high_dwells, low_dwells],
        of_kind -> array_sort(transform(filter(of_kind, d -> d > 1), d -> element_at(dwell_seconds, d)))
      ),
      x -> element_at(x, CAST(ceil(greatest(cardinality(x), 1) / 2e0) AS bigint))
    ) AS usual_seconds,
    reduce(low_rates, 0e0, (total, rate) -> total + rate, total -> total) / nullif(cardinality(low_rates), 0)
      AS low_mean
  FROM dwells
),
usual_ones AS (
  SELECT
    *,
    filter(whole_high_dwells, d -> element_at(dwell_seconds, d)
      BETWEEN 0.6 * element_at(usual_seconds, 1) AND 1.5 * element_at(usual_seconds, 1)) AS usual_high_dwells,
    filter(whole_low_dwells, d -> element_at(dwell_seconds, d)
      BETWEEN 0.6 * element_at(usual_seconds, 2) AND 1.5 * element_at(usual_seconds, 2)) AS usual_low_dwells
  FROM usual_dwells
),
-- low_level is the lower level of a periodic series, and NULL of any other. Six dwells are two whole cycles after the
-- first fall.
cycles AS (
  SELECT
    *,
    CASE
      WHEN dwell_count >= 6
        AND cardinality(usual_high_dwells) >= 0.7 * cardinality(whole_high_dwells)
        AND cardinality(usual_low_dwells) >= 0.7 * cardinality(whole_low_dwells)
        -- Credits take time to fill, whereas dips are short.
        AND element_at(usual_seconds, 2) >= 0.5 * element_at(usual_seconds, 1)
        AND low_mean < 0.7
        THEN low_mean
    END AS low_level
  FROM usual_ones
),
-- Candidates 1 to 3 are the three cuts. Candidate 0 is the first fall of a periodic series.
candidates AS (
  SELECT s.*, c.candidate, CASE c.candidate WHEN 1 THEN s.k_1 WHEN 2 THEN s.k_2 WHEN 3 THEN s.k_3 END AS k_split
  FROM cycles AS s
  CROSS JOIN UNNEST(sequence(0, 3)) AS c (candidate)
),
-- The levels of the four windows before and after each cut.
coarse_falls AS (
  SELECT
    *,
    sequence(greatest((k_split - 3) * w + 1, 1), least((k_split + 3) * w + 1, n)) AS voters,
    transform(
      transform(
        ARRAY[ARRAY[greatest(k_split - 3, 1), k_split], ARRAY[k_split + 1, least(k_split + 4, k_0)]],
        x -> array_sort(transform(sequence(element_at(x, 1), element_at(x, 2)), k -> element_at(levels, k)))
      ),
      x -> element_at(x, CAST(ceil(cardinality(x) / 2e0) AS bigint))
    ) AS coarse
  FROM candidates
),
-- The second of the cut: each second votes for the level that it is nearer to, with at most one vote. The sum of the
-- votes is smallest at the fall; of several equal minima the first is taken.
votes AS (
  SELECT
    *,
    reduce(
      transform(voters, i -> ARRAY[CASE
        WHEN element_at(rates, i) >= element_at(coarse, 1) THEN -1e0
        WHEN element_at(rates, i) <= element_at(coarse, 2) THEN 1e0
        ELSE 1 - 2 * (element_at(rates, i) - element_at(coarse, 2)) / (element_at(coarse, 1) - element_at(coarse, 2))
      END]),
      ARRAY[0e0], (sums, vote) -> sums || ARRAY[element_at(sums, -1) + element_at(vote, 1)], sums -> sums
    ) AS low_votes
  FROM coarse_falls
),
-- cut is the number of seconds before the fall.
cuts AS (
  SELECT
    *,
    CASE
      WHEN candidate > 0 THEN CAST(element_at(array_min(transform(
        voters,
        i -> ARRAY[element_at(low_votes, i - element_at(voters, 1) + 2) + 1e-9 * i, i]
      )), 2) AS bigint)
      WHEN low_level IS NOT NULL THEN element_at(turns, element_at(low_dwells, 1)) - 1
    END AS cut
  FROM votes
),
-- The levels around each candidate are medians over ranges, from a first second to a last one. There are four on each
-- side: the whole side, the part near the fall, and a closer and a farther part that distinguish a step from a slope.
medians AS (
  SELECT
    *,
    transform(
      transform(
        ARRAY[
          ARRAY[1, cut],                                                              -- 1 and 2: the whole side
          ARRAY[cut + 1, n],
          ARRAY[cut - reach, cut - 1],                                                -- 3 and 4: near
          ARRAY[cut + 2, cut + 1 + reach],
          ARRAY[cut + 1 - reach / 3, cut],                                            -- 5 and 6: closer
          ARRAY[cut + 1 + floor(reach / 5), cut + 1 + floor(reach / 5) + reach / 3],
          ARRAY[cut + 1 - reach * 4 / 3, cut - reach * 2 / 3],                        -- 7 and 8: farther
          ARRAY[cut + 1 + reach, cut + 1 + reach * 5 / 3],
          ARRAY[cut + 1 + floor(reach / 5), cut + 1 + reach * 2 / 3],                 -- 9: soon after
          ARRAY[n + 1 - reach, n]                                                     -- 10: the end
        ],
        x -> array_sort(transform(
          filter(numbers, i -> i BETWEEN element_at(x, 1) AND element_at(x, 2)),
          i -> element_at(rates, i)
        ))
      ),
      x -> element_at(x, CAST(ceil(greatest(cardinality(x), 1) / 2e0) AS bigint))
    ) AS medians,
    -- The windows on both sides of each candidate.
    transform(filter(numbers, k -> k * w <= cut), k -> element_at(levels, k)) AS levels_before,
    transform(filter(numbers, k -> k <= k_0 AND (k - 1) * w >= cut), k -> element_at(levels, k)) AS levels_after
  FROM cuts
),
falls AS (
  SELECT
    *,
    element_at(medians, 1) AS level_before,
    element_at(medians, 2) AS level_after,
    element_at(medians, 3) AS near_before,
    element_at(medians, 4) AS near_after,
    (element_at(medians, 3) + element_at(medians, 4)) / 2 AS middle,
    element_at(medians, 5) - element_at(medians, 6) AS closer_fall,
    element_at(medians, 7) - element_at(medians, 8) AS farther_fall,
    element_at(medians, 9) AS soon_after,
    element_at(medians, 10) AS level_at_end,
    element_at(starts, nullif(cut, 0)) AS previous_seconds,
    element_at(starts, cut + 1) AS cut_seconds,
    element_at(rates, nullif(cut, 0)) AS previous_rate,
    element_at(rates, cut + 1) AS cut_rate,
    1e0 * cardinality(levels_before) AS windows_before,
    1e0 * cardinality(levels_after) AS windows_after
  FROM medians
),
-- A window is low or high by the middle between the two levels. The first number of a run is how long the windows have
-- been low, and the second is the most that they were.
shapes AS (
  SELECT
    *,
    cardinality(filter(levels_before, level -> level < middle)) / nullif(windows_before, 0) AS low_share_before,
    cardinality(filter(levels_after, level -> level >= middle)) / nullif(windows_after, 0) AS high_share_after,
    element_at(reduce(
      transform(levels_before, level -> ARRAY[CASE WHEN level < middle THEN 1e0 ELSE 0e0 END]),
      ARRAY[0e0, 0e0], (run, is_low) -> ARRAY[
        (element_at(run, 1) + 1) * element_at(is_low, 1),
        greatest((element_at(run, 1) + 1) * element_at(is_low, 1), element_at(run, 2))
      ], run -> run
    ), 2) AS longest_low_before,
    reduce(
      transform(levels_before, level -> power(level - level_before, 2)), 0e0, (total, x) -> total + x, total -> total
    ) AS squares_before,
    reduce(
      transform(levels_after, level -> power(level - level_after, 2)), 0e0, (total, x) -> total + x, total -> total
    ) AS squares_after
  FROM falls
),
-- The columns are named here because a window function holds all that it is given, and the arrays are done with.
siblings AS (
  SELECT
    day, run_id, measurement_id, direction, client_type, server_type, verdict_kind, verdict_cause, verdict_onset_seconds,
    candidate, scale, n, reach, low_level, cut, cut_seconds, previous_seconds, cut_rate, previous_rate, level_before,
    level_after, near_before, near_after, middle, closer_fall, farther_fall, soon_after, level_at_end,
    windows_before, windows_after, longest_low_before,
    coalesce(low_share_before, 0) AS low_share_before,
    coalesce(high_share_after, 0) AS high_share_after,
    coalesce(sqrt(squares_before / nullif(windows_before, 0)), 0) AS scatter_before,
    sqrt((squares_before + squares_after) / nullif(windows_before + windows_after, 0)) AS scatter,
    max(CASE WHEN candidate = 1 THEN cut END) OVER (PARTITION BY day, run_id, measurement_id, direction) AS cut_1,
    max(CASE WHEN candidate = 2 THEN cut END) OVER (PARTITION BY day, run_id, measurement_id, direction) AS cut_2
  FROM shapes
),
-- Which candidates are falls: every one must be deep enough; the other rules depend on which candidate it is.
judged AS (
  SELECT
    *,
    n >= 45 AND coalesce(CASE
      WHEN candidate = 0 THEN low_level IS NOT NULL
      WHEN NOT coalesce(near_after <= 0.88 * near_before, FALSE) THEN FALSE
      -- Two candidates within each other's reach are one, that of the bigger split.
      WHEN candidate > 1 AND abs(cut - cut_1) <= reach OR candidate > 2 AND abs(cut - cut_2) <= reach THEN FALSE
      -- In a periodic series the onset is the first fall from a high level.
      WHEN low_level IS NOT NULL THEN low_share_before <= 0.2
      -- A fall this near to the end is no throttle yet: 25 s for half an hour, 5 s for a short recording.
      WHEN n - cut < 5 OR n - cut < CASE WHEN n > 1800 THEN 25e0 ELSE n / 72e0 END THEN FALSE
      -- The fall must be abrupt compared with its whole depth or, where further falls follow, with its neighbourhood. A
      -- slope continues on both sides.
      WHEN near_before - soon_after < 0.6 * (level_before - level_after)
        AND NOT coalesce(closer_fall >= 0.6 * farther_fall AND closer_fall >= 0.6 * (near_before - near_after), FALSE)
        THEN FALSE
      -- With an equal excursion before it, the fall is only one of several.
      WHEN longest_low_before > 0.2 * windows_after THEN FALSE
      -- A fall before the biggest one must be deeper than everything before it, and the rate must not recover from it.
      WHEN candidate > 1 THEN scatter_before * 2.5 <= near_before - near_after
        AND low_share_before <= 0.1
        AND high_share_after <= 0.06
      -- The rate must stay low to the end, and fall by more than the scatter.
      ELSE high_share_after <= 0.25
        AND level_at_end < middle
        AND level_before - level_after >= 1.3 * scatter
        AND (level_before - level_after) * sqrt(windows_before * windows_after / (windows_before + windows_after))
          >= 5 * scatter
    END, FALSE) AS is_fall
  FROM siblings
),
-- One candidate of each series: the first fall, where there is one.
ranked AS (
  SELECT
    *,
    row_number() OVER (
      PARTITION BY day, run_id, measurement_id, direction
      ORDER BY CASE WHEN is_fall THEN 0 ELSE 1 END, CASE WHEN candidate = 0 THEN 1 ELSE 0 END, cut, candidate
    ) AS choice
  FROM judged
),
-- In the second of the fall the rate lies between both levels, in proportion to the time spent at each. Within a gap
-- every instant is equally likely, so the middle is taken.
screened AS (
  SELECT
    *,
    CASE WHEN n >= 45 THEN is_fall END AS is_throttled,
    CASE WHEN is_fall THEN level_before * scale END AS burst_bits_per_second,
    CASE WHEN is_fall THEN coalesce(low_level, level_after) * scale END AS baseline_bits_per_second,
    CASE
      WHEN NOT is_fall THEN NULL
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
    END AS onset
  FROM ranked
  WHERE choice = 1
)
SELECT
  run_id, measurement_id, direction, client_type, server_type, is_throttled,
  CASE
    WHEN n < 45 THEN 'insufficient'
    WHEN NOT is_fall THEN 'no_fall'
    WHEN low_level IS NULL THEN 'fall'
    ELSE 'periodic'
  END AS shape,
  round(onset, 2) AS onset_seconds,
  round(burst_bits_per_second / 1e9, 3) AS burst_gbits_per_second,
  round(baseline_bits_per_second / 1e9, 3) AS baseline_gbits_per_second,
  round((burst_bits_per_second - baseline_bits_per_second) * onset / 1e9, 2) AS bucket_gbits,
  n AS measured_seconds,
  verdict_kind, verdict_cause, verdict_onset_seconds,
  -- True where both find the same fall or both find none, and NULL where one of them has no answer.
  CASE
    WHEN verdict_kind = 'insufficient' THEN NULL
    WHEN is_throttled AND verdict_kind IN ('drop', 'drops', 'cycle')
      THEN abs(onset - verdict_onset_seconds) <= reach / 3
    ELSE is_throttled = (verdict_kind IN ('drop', 'drops', 'cycle'))
  END AS both_agree,
  day
FROM screened
ORDER BY day DESC, run_id, measurement_id, direction
