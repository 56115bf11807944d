-- Atlas.
-- What has each pair of types ever been measured to do? The atlas of `index.html` as rows: one per way of measuring
-- (`cell`: types, conditions, tool and settings) and figure, over the complete repetitions of all runs that have ended,
-- without displaced ones and without round trips that an allowance of a host held back (`verdict_cause`). `median` has
-- its 95 % interval from six repetitions on; it is NULL where the repetitions stand in several modes, which never had
-- that value. Another pair's bucket lies from `another_pair_low` to `another_pair_high`, 95 times in 100; NULL for
-- other figures and several modes. `contended_count` is the number of repetitions during which other work kept the
-- processors of a host busy (`cpu_contention` in `measurements`), so that their figures may show that instead of the
-- network. The published figures are those of the end that has less, as the last run had them.
WITH params AS (
  SELECT
    CAST(3650 AS integer) AS days,  -- how many days back, by default further than any run
    '%' AS type_pattern,            -- pairs with a type like this on one side, e.g. 'c7g.%'
    '%' AS figure_pattern           -- figures like this, e.g. 'baseline%'
),
-- The usual scatter of repetitions, as a share of the value, tells modes from scatter.
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
measured AS (
  SELECT
    m.cell, m.client_type, m.server_type, m.setting, m.kind, m.run_id, m.started_at, m.cpu_contention,
    -- Orders the repetitions of a cell, also those that began at the same moment.
    m.started_at || ' ' || m.run_id || ' ' || m.measurement_id AS moment,
    -- Athena's least() is NULL as soon as one end is NULL.
    least(
      coalesce(m.published_client_baseline_bits_per_second, m.published_server_baseline_bits_per_second),
      coalesce(m.published_server_baseline_bits_per_second, m.published_client_baseline_bits_per_second)
    ) AS published_baseline,
    least(
      coalesce(m.published_client_peak_bits_per_second, m.published_server_peak_bits_per_second),
      coalesce(m.published_server_peak_bits_per_second, m.published_client_peak_bits_per_second)
    ) AS published_peak,
    f.figure_number, f.figure, f.usual_scatter, f.decimals,
    CASE f.figure_number
      WHEN 1 THEN m.throughput_mean_bits_per_second
      WHEN 2 THEN m.reverse_throughput_mean_bits_per_second
      WHEN 3 THEN m.burst_bits_per_second
      WHEN 4 THEN m.baseline_bits_per_second
      WHEN 5 THEN m.onset_seconds
      WHEN 6 THEN m.bucket_bits
      WHEN 7 THEN m.mean_packets_per_second
      WHEN 8 THEN m.burst_packets_per_second
      WHEN 9 THEN m.baseline_packets_per_second
      WHEN 10 THEN m.transactions_per_second
      WHEN 11 THEN m.rtt_mean_micros
      WHEN 12 THEN m.rtt_p50_micros
      -- A percentile of fewer round trips than this is only the longest one.
      WHEN 13 THEN CASE WHEN m.observations >= 100 THEN m.rtt_p99_micros END
      WHEN 14 THEN CASE WHEN m.observations >= 10000 THEN m.rtt_p99_99_micros END
      WHEN 15 THEN m.rtt_before_onset_p50_micros
      WHEN 16 THEN m.rtt_after_onset_p50_micros
    END / f.unit_size AS figure_value
  FROM measurements AS m
  CROSS JOIN params AS p
  CROSS JOIN figures AS f
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.cell IS NOT NULL
    AND m.status = 'complete'
    -- What was displaced may be in any zones, and is a repetition of nothing.
    AND NOT coalesce(m.is_displaced, FALSE)
    -- Round trips that an allowance held back are not the path's.
    AND NOT (m.kind = 'latency' AND coalesce(m.verdict_cause, 'none') IN ('network_credits', 'published_bandwidth', 'fragment_rate', 'packet_rate', 'connection_tracking'))
    AND (m.client_type LIKE p.type_pattern OR m.server_type LIKE p.type_pattern)
    AND f.figure LIKE p.figure_pattern
),
-- A repetition that lacks the figure counts among the runs of its cell.
grouped AS (
  SELECT
    cell, figure_number, figure, usual_scatter, decimals,
    max(client_type) AS client_type, max(server_type) AS server_type,
    max_by(setting, moment) AS setting,
    max(kind) AS kind,
    max_by(coalesce(published_baseline, 0), moment) AS published_baseline,
    max_by(coalesce(published_peak, 0), moment) AS published_peak,
    max_by(run_id, moment) AS last_run_id,
    max(started_at) AS last_measured_at,
    count(DISTINCT run_id) AS run_count,
    count(figure_value) AS repetition_count,
    count(CASE WHEN cpu_contention IS NOT NULL THEN figure_value END) AS contended_count,
    min(figure_value) AS lowest,
    max(figure_value) AS highest,
    array_agg(figure_value) FILTER (WHERE figure_value IS NOT NULL) AS figure_values
  FROM measured
  GROUP BY cell, figure_number, figure, usual_scatter, decimals
  HAVING count(figure_value) > 0
),
ranked AS (
  SELECT
    g.*, v.figure_value,
    row_number() OVER (PARTITION BY g.cell, g.figure_number ORDER BY v.figure_value) AS value_rank,
    -- Values are compared by their ratio, which a 0 does not have.
    CASE WHEN g.lowest > 0 THEN ln(v.figure_value) END AS log_value
  FROM grouped AS g
  CROSS JOIN UNNEST(g.figure_values) AS v (figure_value)
),
-- The median is between the same ranks from both ends unless so few of the repetitions are below it. How probable that
-- is follows from the ways to choose them, which are a product.
spaced AS (
  SELECT
    *,
    log_value - lag(log_value, 1) OVER (PARTITION BY cell, figure_number ORDER BY value_rank) AS gap,
    coalesce(
      sum(ln((repetition_count - value_rank + 1) * 1e0 / value_rank)) OVER (
        PARTITION BY cell, figure_number ORDER BY value_rank ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
      ), 0
    ) AS log_ways
  FROM ranked
),
chanced AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY cell, figure_number ORDER BY coalesce(gap, -1) DESC, value_rank) AS gap_number,
    sum(exp(log_ways - repetition_count * ln(2e0))) OVER (
      PARTITION BY cell, figure_number ORDER BY value_rank ROWS UNBOUNDED PRECEDING
    ) AS chance_of_fewer
  FROM spaced
),
-- The values without a cut, and cut at their one to three widest gaps.
cut AS (
  SELECT
    *,
    sum(CASE WHEN chance_of_fewer <= 25e-3 THEN 1 ELSE 0 END) OVER (PARTITION BY cell, figure_number, cut_count) AS bound_rank,
    sum(CASE WHEN gap_number <= cut_count THEN 1 ELSE 0 END) OVER (
      PARTITION BY cell, figure_number, cut_count ORDER BY value_rank ROWS UNBOUNDED PRECEDING
    ) AS mode_number
  FROM chanced
  CROSS JOIN (VALUES 0, 1, 2, 3) AS cuts (cut_count)
  WHERE cut_count = 0
    OR (lowest > 0 AND repetition_count >= 2 AND cut_count < greatest(2, ceil(repetition_count * 5e-1)))
),
scattered AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY cell, figure_number, cut_count, mode_number ORDER BY value_rank) AS rank_in_mode,
    count(*) OVER (PARTITION BY cell, figure_number, cut_count, mode_number) AS count_in_mode,
    log_value - avg(log_value) OVER (PARTITION BY cell, figure_number, cut_count, mode_number) AS deviation
  FROM cut
),
-- As in domain/maths/modes.ts: a cut counts if its narrowest gap is over 5 % and over 4.5 standard deviations of what
-- scatters between the cuts, where the usual scatter counts like two more degrees of freedom.
judged AS (
  SELECT
    *,
    min(CASE WHEN gap_number <= cut_count THEN gap END) OVER (PARTITION BY cell, figure_number, cut_count) AS narrowest_gap,
    sqrt(
      (sum(deviation * deviation) OVER (PARTITION BY cell, figure_number, cut_count) + 2 * usual_scatter * usual_scatter)
      / (repetition_count - cut_count + 1)
    ) AS scatter
  FROM scattered
),
moded AS (
  SELECT
    *,
    max(CASE WHEN cut_count = 0 OR (narrowest_gap >= ln(105e-2) AND narrowest_gap > 45e-1 * scatter) THEN cut_count END)
      OVER (PARTITION BY cell, figure_number) AS chosen_count,
    -- The median of a mode is the mean of these two, which are one and the same where the mode has an odd number.
    rank_in_mode BETWEEN ceil(count_in_mode * 5e-1) AND floor(count_in_mode * 5e-1) + 1 AS is_middle
  FROM judged
),
summed AS (
  SELECT
    cell, figure_number, figure, client_type, server_type, setting, kind, published_baseline, published_peak, last_run_id,
    last_measured_at, run_count, repetition_count, contended_count, lowest, highest, decimals, chosen_count,
    avg(CASE WHEN is_middle AND mode_number = 0 THEN figure_value END) AS lowest_centre,
    avg(CASE WHEN is_middle AND mode_number = chosen_count THEN figure_value END) AS highest_centre,
    max(CASE WHEN value_rank = bound_rank THEN figure_value END) AS median_low,
    max(CASE WHEN value_rank = repetition_count - bound_rank + 1 THEN figure_value END) AS median_high,
    avg(figure_value) AS mean,
    -- As in domain/maths/repetition-statistics.ts: the recorded factor is between two single pairs.
    CASE WHEN figure = 'bucket_gbits' AND chosen_count = 0 THEN power(113e-2, sqrt((1 + 1e0 / repetition_count) / 2)) END AS pair_factor
  FROM moded
  WHERE cut_count = chosen_count
  GROUP BY
    cell, figure_number, figure, client_type, server_type, setting, kind, published_baseline, published_peak, last_run_id,
    last_measured_at, run_count, repetition_count, contended_count, lowest, highest, decimals, chosen_count
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
  -- Only bandwidth is published.
  CASE WHEN kind = 'throughput' THEN round(nullif(published_baseline, 0) / 1e9, 3) END AS published_baseline_gbits_per_second,
  CASE WHEN kind = 'throughput' THEN round(nullif(published_peak, 0) / 1e9, 3) END AS published_peak_gbits_per_second,
  repetition_count, contended_count, run_count, last_run_id, last_measured_at, cell
FROM summed
ORDER BY client_type, server_type, cell, figure_number
