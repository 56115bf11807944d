-- Atlas.
-- What has each pair of types ever been measured to do? The rows are the atlas of `index.html`: one row per figure and
-- way of measuring (`cell`: types, conditions, tool and settings). A row covers the complete repetitions of all runs
-- that have ended, except displaced repetitions and round trips that an allowance of a host held back
-- (`verdict_cause`). `median` has a 95 % interval if there are six repetitions or more. The median is NULL if the
-- repetitions form several modes, because no repetition was near it. For `bucket_gbits`, the buckets of 95 in 100 other
-- pairs lie between `another_pair_low` and `another_pair_high`; both columns are NULL for other figures, and for
-- several modes. `contended_count` is the number of repetitions during which other work kept the processors of a host
-- busy, so that their figures may show the host instead of the network. The published figures are AWS's for the
-- slower of the two instances, as of the last run. Only the newest 1,000 repetitions of each cell are used, in whole
-- runs.
WITH params AS (
  SELECT
    3650 AS days,          -- how many days back; the default is further back than any run
    '%' AS type_pattern,   -- pairs in which either type is like this, e.g. 'c7g.%'
    '%' AS figure_pattern  -- figures like this, e.g. 'baseline%'
),
checked AS (
  SELECT
    CAST(if(regexp_like(CAST(days AS varchar), '^[0-9]+$'), '', 'days: must be a whole number, got ')
      || coalesce(CAST(days AS varchar), 'NULL') AS integer) AS days,
    type_pattern,
    replace(figure_pattern, '_', '!_') AS figure_pattern
  FROM params
),
-- `usual_scatter` is the usual scatter of repetitions as a share of the value; it is needed to tell modes from scatter.
figures AS (
  SELECT * FROM (
    VALUES
      (1, 'throughput_mean_gbits_per_second', 1e9, 5e-2, 3),
      (2, 'reverse_throughput_mean_gbits_per_second', 1e9, 5e-2, 3),
      (3, 'burst_gbits_per_second', 1e9, 5e-2, 3),
      (4, 'baseline_gbits_per_second', 1e9, 5e-2, 3),
      (5, 'onset_seconds', 1e0, 1e-1, 1),
      (6, 'bucket_gbits', 1e9, 1e-1, 2),
      (7, 'mean_kilopackets_per_second', 1e3, 5e-2, 2),
      (8, 'burst_kilopackets_per_second', 1e3, 5e-2, 2),
      (9, 'baseline_kilopackets_per_second', 1e3, 5e-2, 2),
      (10, 'transactions_per_second', 1e0, 1e-1, 1),
      (11, 'rtt_mean_micros', 1e0, 1e-1, 1),
      (12, 'rtt_p50_micros', 1e0, 1e-1, 1),
      (13, 'rtt_p99_micros', 1e0, 25e-2, 1),
      (14, 'rtt_p99_99_micros', 1e0, 5e-1, 1),
      (15, 'rtt_before_onset_p50_micros', 1e0, 25e-2, 1),
      (16, 'rtt_after_onset_p50_micros', 1e0, 25e-2, 1)
  ) AS each_figure (figure_number, figure, unit_size, usual_scatter, decimals)
),
-- If a day has several runs, the run whose name sorts last counts as the newest, as in `index.html`.
newest AS (
  SELECT
    m.cell, m.client_type, m.server_type, m.setting, m.kind, m.run_id, m.started_at,
    m.cpu_contention IS NOT NULL AS is_contended,
    m.started_at || ' ' || m.run_id || ' ' || m.measurement_id AS moment,
    -- Athena's least() is NULL if either value is NULL.
    least(
      coalesce(m.published_client_baseline_bits_per_second, m.published_server_baseline_bits_per_second),
      coalesce(m.published_server_baseline_bits_per_second, m.published_client_baseline_bits_per_second)
    ) AS published_baseline,
    least(
      coalesce(m.published_client_peak_bits_per_second, m.published_server_peak_bits_per_second),
      coalesce(m.published_server_peak_bits_per_second, m.published_client_peak_bits_per_second)
    ) AS published_peak,
    -- The values are in the order of `figures`. A percentile of too few round trips would be the longest one.
    ARRAY[
      m.throughput_mean_bits_per_second, m.reverse_throughput_mean_bits_per_second, m.burst_bits_per_second,
      m.baseline_bits_per_second, m.onset_seconds, m.bucket_bits, m.mean_packets_per_second,
      m.burst_packets_per_second, m.baseline_packets_per_second, m.transactions_per_second, m.rtt_mean_micros,
      m.rtt_p50_micros, CASE WHEN m.observations >= 100 THEN m.rtt_p99_micros END,
      CASE WHEN m.observations >= 10000 THEN m.rtt_p99_99_micros END, m.rtt_before_onset_p50_micros,
      m.rtt_after_onset_p50_micros
    ] AS figure_values,
    rank() OVER (PARTITION BY m.cell ORDER BY m.day DESC, m.run_id DESC) AS place
  FROM measurements AS m
  CROSS JOIN checked AS p
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.cell IS NOT NULL
    AND m.status = 'complete'
    -- Displaced measurements may be in any zones, so they are not repetitions.
    AND NOT coalesce(m.is_displaced, FALSE)
    AND NOT (m.kind = 'latency' AND coalesce(m.verdict_cause, 'none') IN ('network_credits', 'published_bandwidth', 'fragment_rate', 'packet_rate', 'connection_tracking'))
    AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
),
-- From here on, each cell is one row with arrays.
cells AS (
  SELECT
    cell, max(client_type) AS client_type, max(server_type) AS server_type, max(kind) AS kind,
    max_by(setting, moment) AS setting,
    max_by(coalesce(published_baseline, 0), moment) AS published_baseline,
    max_by(coalesce(published_peak, 0), moment) AS published_peak,
    max_by(run_id, moment) AS last_run_id, max(started_at) AS last_measured_at, count(DISTINCT run_id) AS run_count,
    array_agg(CAST(ROW(is_contended, figure_values) AS ROW(is_contended boolean, figure_values array(double))))
      AS repetitions
  FROM newest
  WHERE place <= 1000
  GROUP BY cell
),
-- From here on, each row is one figure of one cell, with the figure's values in ascending order.
sorted AS (
  SELECT
    c.*, f.*,
    array_sort(transform(
      filter(c.repetitions, x -> x.figure_values[f.figure_number] IS NOT NULL),
      x -> x.figure_values[f.figure_number] / f.unit_size
    )) AS figure_values,
    cardinality(filter(c.repetitions, x -> x.is_contended AND x.figure_values[f.figure_number] IS NOT NULL))
      AS contended_count
  FROM cells AS c
  CROSS JOIN figures AS f
  CROSS JOIN checked AS p
  WHERE f.figure LIKE p.figure_pattern ESCAPE '!'
),
-- Values are compared by their ratio, which is undefined for 0.
compared AS (
  SELECT
    *, cardinality(figure_values) AS n, sequence(1, cardinality(figure_values)) AS places,
    figure_values[1] AS lowest, element_at(figure_values, -1) AS highest,
    transform(figure_values, x -> if(figure_values[1] > 0, ln(x / figure_values[1]), 0e0)) AS log_values
  FROM sorted
  WHERE cardinality(figure_values) > 0
),
-- `gaps` has the gaps of more than 5 % between neighbouring values, the widest first: each with its negative width and
-- the number of values below it. The 95 % interval of the median reaches from the value of rank `bound_rank` to the
-- value of the same rank from the other end.
gapped AS (
  SELECT
    *,
    array_sort(transform(
      filter(places, k -> k < n AND element_at(log_values, k + 1) - log_values[k] >= ln(105e-2)),
      k -> ARRAY[log_values[k] - log_values[k + 1], k * 1e0]
    )) AS gaps,
    reduce(transform(log_values, x -> x * x), 0e0, (total, x) -> total + x, total -> total) AS squares,
    CAST(element_at(reduce(
      transform(places, k -> ARRAY[ln((n - k + 1) * 1e0 / k)]),
      ARRAY[-n * ln(2e0), exp(-n * ln(2e0)), 0e0],
      (s, x) -> ARRAY[s[1] + x[1], s[2] + exp(s[1] + x[1]), s[3] + if(s[2] <= 25e-3, 1e0, 0e0)],
      s -> s
    ), 3) AS bigint) AS bound_rank
  FROM compared
),
-- Element c + 1 of `ends` has the ranks at which the parts end if the values are cut at the c widest gaps.
cut AS (
  SELECT
    *,
    transform(sequence(0, 3), c -> ARRAY[0e0] || array_sort(
      transform(filter(sequence(1, 3), i -> i <= least(c, cardinality(gaps))), i -> gaps[i][2])
    ) || ARRAY[n * 1e0]) AS ends
  FROM gapped
),
-- The rule is that of domain/maths/modes.ts: the values are cut if the narrowest of the chosen gaps is over 5 %, and
-- over 4.5 standard deviations of the scatter that is left between the cuts.
judged AS (
  SELECT
    *,
    coalesce(array_max(filter(sequence(1, 3), c ->
      c <= cardinality(gaps) AND c < greatest(2, ceil(n * 5e-1)) AND -gaps[c][1] > 45e-1 * sqrt((squares - reduce(
        transform(sequence(1, c + 1), i -> power(reduce(
          transform(filter(places, k -> k > ends[c + 1][i] AND k <= ends[c + 1][i + 1]), k -> log_values[k]),
          0e0, (total, x) -> total + x, total -> total
        ), 2) / (ends[c + 1][i + 1] - ends[c + 1][i])),
        0e0, (total, x) -> total + x, total -> total
      ) + 2 * usual_scatter * usual_scatter) / (n - c + 1))
    )), 0) AS chosen_count
  FROM cut
),
moded AS (
  SELECT *, ends[chosen_count + 1][2] AS lowest_end, ends[chosen_count + 1][chosen_count + 1] AS highest_start
  FROM judged
),
summed AS (
  SELECT
    *,
    (
      figure_values[CAST(ceil(lowest_end * 5e-1) AS bigint)]
      + figure_values[CAST(floor(lowest_end * 5e-1) AS bigint) + 1]
    ) / 2 AS lowest_centre,
    (
      figure_values[CAST(highest_start + ceil((n - highest_start) * 5e-1) AS bigint)]
      + figure_values[CAST(highest_start + floor((n - highest_start) * 5e-1) AS bigint) + 1]
    ) / 2 AS highest_centre,
    if(bound_rank > 0, figure_values[bound_rank]) AS median_low,
    if(bound_rank > 0, figure_values[n - bound_rank + 1]) AS median_high,
    reduce(figure_values, 0e0, (total, x) -> total + x, total -> total) / n AS mean,
    -- As in domain/maths/repetition-statistics.ts.
    CASE WHEN figure = 'bucket_gbits' AND chosen_count = 0 THEN power(113e-2, sqrt((1 + 1e0 / n) / 2)) END AS pair_factor
  FROM moded
)
SELECT
  client_type, server_type, setting, figure,
  CASE WHEN chosen_count = 0 THEN round(lowest_centre, decimals) END AS median,
  CASE WHEN chosen_count = 0 THEN round(median_low, decimals) END AS median_low,
  CASE WHEN chosen_count = 0 THEN round(median_high, decimals) END AS median_high,
  CASE WHEN pair_factor IS NOT NULL THEN round(least(lowest, mean / pair_factor), decimals) END AS another_pair_low,
  CASE WHEN pair_factor IS NOT NULL THEN round(greatest(highest, mean * pair_factor), decimals) END AS another_pair_high,
  chosen_count + 1 AS mode_count,
  CASE WHEN chosen_count > 0 THEN round(lowest_centre, decimals) END AS lowest_mode,
  CASE WHEN chosen_count > 0 THEN round(highest_centre, decimals) END AS highest_mode,
  round(lowest, decimals) AS lowest,
  round(highest, decimals) AS highest,
  -- AWS publishes figures only of bandwidth.
  CASE WHEN kind = 'throughput' THEN round(nullif(published_baseline, 0) / 1e9, 3) END AS published_baseline_gbits_per_second,
  CASE WHEN kind = 'throughput' THEN round(nullif(published_peak, 0) / 1e9, 3) END AS published_peak_gbits_per_second,
  n AS repetition_count, contended_count, run_count, last_run_id, last_measured_at, cell
FROM summed
ORDER BY client_type, server_type, cell, figure_number
