-- Packets per second by type.
-- How many packets per second does each type carry, first and to the end, and what was the limit? One row per type that
-- was the limit, or that may have been, length of packets and protocol; figures are medians over fresh pairs. A row whose
-- limit is not packet_limited is a lower bound: the type carries at least that much. Edit `params`.
WITH params AS (
  SELECT
    180 AS days,        -- how many days back
    '%' AS type_pattern -- types whose name is like this, e.g. 'c5.%'
),
measured AS (
  SELECT
    -- Without an end that was the limit, both types carry this, and the sender's stands for the pair.
    CASE WHEN (coalesce(m.packets_limited_by, 'sender') = 'sender') = (m.direction = 'forward')
      THEN m.client_type ELSE m.server_type END AS instance_type,
    m.protocol,
    coalesce(m.datagram_bytes, m.mss_bytes) AS payload_bytes,
    m.parallel_streams,
    m.packet_verdict_kind,
    m.burst_packets_per_second,
    m.baseline_packets_per_second,
    m.packet_onset_seconds,
    m.packet_bytes * 8 * m.baseline_packets_per_second AS baseline_bits_per_second
  FROM measurements AS m
  CROSS JOIN params AS p
  WHERE m.day >= current_date - interval '1' day * p.days
    AND m.kind = 'packets'
    AND m.status = 'complete'
    AND m.packet_verdict_kind <> 'insufficient'
)
SELECT
  r.instance_type, r.protocol, r.payload_bytes, r.packet_verdict_kind,
  count(*) AS measurement_count,
  max(r.parallel_streams) AS most_streams,
  round(approx_percentile(r.burst_packets_per_second, 0.5)) AS burst_packets_per_second,
  round(approx_percentile(r.packet_onset_seconds, 0.5), 1) AS onset_seconds,
  round(approx_percentile(r.baseline_packets_per_second, 0.5)) AS baseline_packets_per_second,
  round(min(r.baseline_packets_per_second)) AS lowest_baseline_packets_per_second,
  round(max(r.baseline_packets_per_second)) AS highest_baseline_packets_per_second,
  round(approx_percentile(r.baseline_bits_per_second, 0.5) / 1e9, 3) AS baseline_gbits_per_second
FROM measured AS r
CROSS JOIN params AS p
WHERE r.instance_type LIKE p.type_pattern
GROUP BY r.instance_type, r.protocol, r.payload_bytes, r.packet_verdict_kind
ORDER BY r.protocol, r.payload_bytes, baseline_packets_per_second DESC, r.instance_type
