/** How the same types, measured the same way, did in earlier runs: the question to Athena, and its answer. */
import type { MeasurementResult } from '../measurement/measurement';

/** One way of measuring one pair of types: what is compared is the same in all of this. */
export interface ComparedSubject {
  readonly tool: MeasurementResult['tool'];
  readonly protocol: MeasurementResult['protocol'];
  readonly clientType: string;
  readonly serverType: string;
  readonly zoneRelation: MeasurementResult['zoneRelation'];
  readonly placement: MeasurementResult['placement'];
  readonly direction?: string;
  readonly parallelStreams?: number;
  readonly messageBytes?: number;
}

/** Medians over the earlier complete measurements of a subject; absent where none had the figure. */
export interface TypeComparison extends ComparedSubject {
  readonly earlierMeasurements: number;
  readonly earlierRuns: number;
  readonly throughputMeanBitsPerSecond?: number;
  readonly burstBitsPerSecond?: number;
  readonly baselineBitsPerSecond?: number;
  readonly onsetSeconds?: number;
  readonly rttP50Micros?: number;
  readonly rttP99Micros?: number;
}

/** Further back than this a comparison is between different networks. */
export const COMPARISON_DAYS = 180;

/** Names that stand in the SQL as they are: the plan's schema lets nothing else through, and this would refuse it. */
const SAFE = /^[A-Za-z0-9._-]+$/;

/**
 * @param results of this run, at least one
 * @returns SQL that Athena's engine and the lab's both read
 */
export function comparisonQuery(runId: string, day: string, results: readonly MeasurementResult[]): string {
  const quoted = (text: string): string => {
    if (!SAFE.test(text)) throw new Error(`comparison: must match ${SAFE}, got ${JSON.stringify(text)}`);
    return `'${text}'`;
  };
  const list = (names: readonly string[]) => [...new Set(names)].sort().map(quoted).join(', ');
  const firstDay = new Date(Date.parse(`${day}T00:00:00Z`) - COMPARISON_DAYS * 86_400_000).toISOString().slice(0, 10);
  const median = (column: string) => `approx_percentile(${column}, 0.5) AS ${column}`;
  return `SELECT ${SUBJECT_COLUMNS.join(', ')},
  COUNT(*) AS earlier_measurements,
  COUNT(DISTINCT run_id) AS earlier_runs,
  ${FIGURE_COLUMNS.map(median).join(',\n  ')}
FROM measurements
WHERE day BETWEEN ${quoted(firstDay)} AND ${quoted(day)}
  AND run_id <> ${quoted(runId)}
  AND status = 'complete'
  AND client_type IN (${list(results.map((result) => result.clientType))})
  AND server_type IN (${list(results.map((result) => result.serverType))})
GROUP BY ${SUBJECT_COLUMNS.join(', ')}`;
}

const SUBJECT_COLUMNS = [
  'tool',
  'protocol',
  'client_type',
  'server_type',
  'zone_relation',
  'placement',
  'direction',
  'parallel_streams',
  'message_bytes',
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

/** Only the subjects that this run measured: types occur in other combinations too. */
export function comparisonsOf(
  rows: readonly Readonly<Record<string, string | undefined>>[],
  results: readonly MeasurementResult[],
): TypeComparison[] {
  const measured = new Set(results.map((result) => subjectKey(result)));
  return rows.map(comparisonOf).filter((comparison) => measured.has(subjectKey(comparison)));
}

function comparisonOf(row: Readonly<Record<string, string | undefined>>): TypeComparison {
  const number = (column: string) => {
    const text = row[column];
    return text === undefined || text === '' ? undefined : Number(text);
  };
  const text = (column: string) => {
    const value = row[column];
    return value === undefined || value === '' ? undefined : value;
  };
  const comparison = {
    tool: text('tool'),
    protocol: text('protocol'),
    clientType: text('client_type'),
    serverType: text('server_type'),
    zoneRelation: text('zone_relation'),
    placement: text('placement'),
    direction: text('direction'),
    parallelStreams: number('parallel_streams'),
    messageBytes: number('message_bytes'),
    earlierMeasurements: number('earlier_measurements'),
    earlierRuns: number('earlier_runs'),
    throughputMeanBitsPerSecond: number('throughput_mean_bits_per_second'),
    burstBitsPerSecond: number('burst_bits_per_second'),
    baselineBitsPerSecond: number('baseline_bits_per_second'),
    onsetSeconds: number('onset_seconds'),
    rttP50Micros: number('rtt_p50_micros'),
    rttP99Micros: number('rtt_p99_micros'),
  };
  return Object.fromEntries(
    Object.entries(comparison).filter(([, value]) => value !== undefined),
  ) as unknown as TypeComparison;
}

function subjectKey(of: ComparedSubject): string {
  return [
    of.tool,
    of.protocol,
    of.clientType,
    of.serverType,
    of.zoneRelation,
    of.placement,
    of.direction ?? '',
    of.parallelStreams ?? '',
    of.messageBytes ?? '',
  ].join('\n');
}
