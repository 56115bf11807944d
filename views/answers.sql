-- Answers.
-- What did each run find out about each instance type, path or setting? There is one row per row of a run's answer,
-- with the figures of the run's report. A run without an answer, or of an older version, has no rows here.
SELECT
  day, run_id, plan_name, region, position, a.question, a.label, a.client_type, a.server_type, a.pair_count, a.setting,
  a.sustained_bits_per_second, a.sustained_low_bits_per_second, a.sustained_high_bits_per_second, a.sustained_bound,
  a.burst_bits_per_second, a.burst_low_bits_per_second, a.burst_high_bits_per_second,
  a.burst_seconds, a.burst_low_seconds, a.burst_high_seconds, a.bucket_bits, a.bucket_bits_at_least,
  a.mean_bits_per_second, a.pair_hourly_usd, a.sustained_bits_per_second_per_usd, a.confidence, a.contended_count,
  a.holds, a.round_trips, a.scaled_model
FROM (
  SELECT r.day, r.run_id, r.plan_name, r.region, n.position, element_at(r.answers, n.position) AS a
  FROM runs AS r
  -- A sequence from 1 to 0 would count down; a sequence from 1 to NULL is NULL, and gives no rows.
  CROSS JOIN UNNEST(sequence(1, nullif(cardinality(r.answers), 0))) AS n (position)
) AS each_row
