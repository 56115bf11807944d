/** How the same types, measured the same way, did in earlier runs: the question to Athena, and its answer. */
import { daysBefore, quoted, quotedList } from '../tables/query-text';
import type { MeasurementResult } from '../model/result';
import type { Comparison } from './report-input';

/** Further back than this a comparison is between different networks. */
export const COMPARISON_DAYS = 180;

/**
 * @param results of this run, at least one
 * @returns SQL that Athena's engine and the lab's both read
 */
export function comparisonQuery(runId: string, day: string, results: readonly MeasurementResult[]): string {
  const firstDay = daysBefore(day, COMPARISON_DAYS);
  // Exact, of two middle ones the lower: approx_percentile of many values is another on every engine.
  const median = (column: string) => {
    const sorted = `array_sort(array_agg(${column}) FILTER (WHERE ${column} IS NOT NULL))`;
    return `element_at(${sorted}, CAST(ceil(count(${column}) * 0.5) AS bigint)) AS ${column}`;
  };
  return `SELECT ${SUBJECT_COLUMNS.join(', ')},
  COUNT(*) AS earlier_count,
  MIN(day) AS first_day,
  MAX(day) AS last_day,
  ${FIGURE_COLUMNS.map(median).join(',\n  ')}
FROM measurements
WHERE day BETWEEN ${quoted(firstDay)} AND ${quoted(day)}
  AND run_id <> ${quoted(runId)}
  AND status = 'complete'
  AND client_type IN (${quotedList(results.map((result) => result.clientType))})
  AND server_type IN (${quotedList(results.map((result) => result.serverType))})
GROUP BY ${SUBJECT_COLUMNS.join(', ')}`;
}

const SUBJECT_COLUMNS = [
  'tool',
  'mode',
  'protocol',
  'scheme',
  'client_type',
  'server_type',
  'zone_relation',
  'placement',
  'path',
  'ena_express',
  'ena_express_udp',
  'mtu_bytes',
  'direction',
  'parallel_streams',
  'message_bytes',
  'messages_per_second',
  'object_bytes',
  'range_bytes',
  'packet_count',
  'target_bits_per_second',
  'duty_on_seconds',
  'duty_off_seconds',
  'stop_after_throttled_seconds',
  // A mean over burst and baseline is of the time that they were measured for.
  'duration_seconds',
] as const;

const FIGURE_COLUMNS = [
  'throughput_mean_bits_per_second',
  'burst_bits_per_second',
  'baseline_bits_per_second',
  'onset_seconds',
  'rtt_p50_micros',
  'rtt_p99_micros',
] as const;

/** Every column the query reads; a test holds them against the table. */
export const COMPARISON_COLUMNS: readonly string[] = ['run_id', 'status', ...SUBJECT_COLUMNS, ...FIGURE_COLUMNS];

type ComparisonRow = Readonly<Record<string, string | undefined>>;

/** One for each measurement of this run that was measured the same way before. */
export function comparisonsOf(rows: readonly ComparisonRow[], results: readonly MeasurementResult[]): Comparison[] {
  const bySubject = new Map(rows.map((row) => [SUBJECT_COLUMNS.map((column) => row[column] ?? '').join('\n'), row]));
  return results.flatMap((result) => {
    const row = bySubject.get(subjectKey(result));
    return row === undefined ? [] : [comparisonOf(result.measurementId, row)];
  });
}

/** In the order of `SUBJECT_COLUMNS`. */
function subjectKey(of: MeasurementResult): string {
  return [
    of.tool,
    of.mode ?? '',
    of.protocol ?? '',
    of.scheme ?? '',
    of.clientType,
    of.serverType,
    of.zoneRelation,
    of.placement,
    of.path,
    of.enaExpress,
    of.enaExpressUdp,
    of.mtuBytes,
    of.direction ?? '',
    of.parallelStreams ?? '',
    of.messageBytes ?? '',
    of.messagesPerSecond ?? '',
    of.objectBytes ?? '',
    of.rangeBytes ?? '',
    of.packetCount ?? '',
    of.targetBitsPerSecond ?? '',
    of.dutyCycle?.onSeconds ?? '',
    of.dutyCycle?.offSeconds ?? '',
    of.stopAfterThrottledSeconds ?? '',
    of.durationSeconds,
  ].join('\n');
}

/** A figure that no earlier measurement had is absent. */
function comparisonOf(measurementId: string, row: ComparisonRow): Comparison {
  const number = (column: string) => {
    const text = row[column];
    return text === undefined || text === '' ? undefined : Number(text);
  };
  const comparison: Comparison = {
    measurementId,
    earlierCount: number('earlier_count') ?? 0,
    firstDay: row.first_day,
    lastDay: row.last_day,
    meanBitsPerSecond: number('throughput_mean_bits_per_second'),
    burstBitsPerSecond: number('burst_bits_per_second'),
    baselineBitsPerSecond: number('baseline_bits_per_second'),
    onsetSeconds: number('onset_seconds'),
    rttP50Micros: number('rtt_p50_micros'),
    rttP99Micros: number('rtt_p99_micros'),
  };
  return Object.fromEntries(
    Object.entries(comparison).filter(([, value]) => value !== undefined),
  ) as unknown as Comparison;
}
