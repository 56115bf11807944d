-- Answers.
-- What did each run find of each instance type, path or setting? One row per row of its answer, with the figures of its
-- report. A run without an answer, or of an older version, has none.
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
  -- From 1 to 0, a sequence would count down; to NULL, it is NULL and has no rows.
  CROSS JOIN UNNEST(sequence(1, nullif(cardinality(r.answers), 0))) AS n (position)
) AS each_row
