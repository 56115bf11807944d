-- Runs.
-- Which rows of `open_runs` and `closed_runs` are current? The view has each of them once.
-- `npm run data-model` writes this file.
WITH closed_days AS (
  SELECT d.day, date_format(d.day, '%Y') AS year, date_format(d.day, '%m') AS month_of_year, m.generation
  FROM closed_months AS m
  CROSS JOIN UNNEST(
    sequence(CAST(concat(m.month, '-01') AS date), CAST(m.until AS date), interval '1' day)
  ) AS d (day)
  WHERE from_iso8601_timestamp(m.valid_from) <= current_timestamp
    AND (m.valid_to IS NULL OR from_iso8601_timestamp(m.valid_to) > current_timestamp)
)
SELECT
  run_id, plan_name, outcome, created_at, ended_at, pair_count, failed_pair_count, repetitions, concurrency,
  measurement_count, complete_count, truncated_count, failed_count, not_applicable_count, interrupted_reason,
  report_uri, expected_usd, upper_usd, cost_usd, expectations_outcome, expectations_met_count,
  expectations_not_met_count, expectations_undecided_count, expectations_not_measured_count, tags, started_by, region,
  price_list, expectations, answers, day
FROM (
  SELECT o.*, '' AS generation, '' AS year, '' AS month_of_year
  FROM open_runs AS o
  LEFT JOIN closed_days AS d ON d.day = o.day
  WHERE d.day IS NULL
  UNION ALL
  SELECT c.*
  FROM (
    SELECT * FROM closed_runs
    WHERE day < date_trunc('month', current_date) - interval '6' month
      AND concat(year, month_of_year) < date_format(date_trunc('month', current_date) - interval '6' month, '%Y%m')
    UNION ALL
    SELECT * FROM closed_runs
    WHERE day >= date_trunc('month', current_date) - interval '6' month
      AND concat(year, month_of_year) >= date_format(date_trunc('month', current_date) - interval '6' month, '%Y%m')
      AND day < date_trunc('month', current_date) - interval '4' month
      AND concat(year, month_of_year) < date_format(date_trunc('month', current_date) - interval '4' month, '%Y%m')
    UNION ALL
    SELECT * FROM closed_runs
    WHERE day >= date_trunc('month', current_date) - interval '4' month
      AND concat(year, month_of_year) >= date_format(date_trunc('month', current_date) - interval '4' month, '%Y%m')
      AND day < date_trunc('month', current_date) + interval '1' month
      AND concat(year, month_of_year) < date_format(date_trunc('month', current_date) + interval '1' month, '%Y%m')
  ) AS c
  JOIN closed_days AS d
    ON d.day = c.day AND d.year = c.year AND d.month_of_year = c.month_of_year AND d.generation = c.generation
) AS current_rows
