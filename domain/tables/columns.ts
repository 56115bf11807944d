/**
 * The columns of every table: the one home that the Glue tables, the writers of the rows, the documentation and the
 * test over `queries/*.sql` read. A missing value has no key in the row (NULL), it is never 0.
 */
import { RETENTION_DAYS } from '../model/service-facts';
import { pairIdOf } from '../workflow/identifiers';
import type { RunOutcome } from '../workflow/contracts';
import { column, rowOf, tableDefinition } from './column';
import type { ColumnOf, Row, TableDefinition } from './column';
import type { MeasurementResult, MeasurementStatus } from '../model/result';
import type { Sample } from '../model/sample';
import { MEASUREMENT_COLUMNS } from './measurement-columns';

export type { Row, TableDefinition } from './column';

/**
 * The partition of every table. Declared string with a projection of type `date`, as AWS documents it; the value stands
 * in the object's key (`day=2026-11-20/`) and not in the row.
 */
export const PARTITION_COLUMN = {
  name: 'day',
  type: 'string',
  comment: 'UTC day, YYYY-MM-DD; a query that names it reads only that day',
} as const;

/** Which measurement a sample belongs to. */
export interface SampleIdentity {
  readonly runId: string;
  readonly measurementId: string;
}

export interface LiveSampleIdentity extends SampleIdentity {
  /** The sequence number of the chunk that the sample was read from. */
  readonly sequence: number;
  /** ISO 8601, UTC: when the tool was started. */
  readonly startedAt: string;
}

/** A run as it ended: what `runs` has a row of. */
export interface RunFacts {
  readonly runId: string;
  readonly planName: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly endedAt?: string;
  readonly outcome: RunOutcome['outcome'];
  readonly pairCount: number;
  readonly failedPairCount: number;
  readonly repetitions: number;
  readonly concurrency: number;
  /** One per measurement of the plan. */
  readonly measurementStatuses: readonly MeasurementStatus[];
  readonly interruptedReason?: string | null;
  readonly reportUri?: string;
}

interface SampleSource<Identity> {
  readonly sample: Sample;
  readonly identity: Identity;
}

function sampleColumns<Identity extends SampleIdentity>(): ColumnOf<SampleSource<Identity>>[] {
  const identity = (name: string, comment: string, value: (identity: Identity) => unknown) =>
    column<SampleSource<Identity>>(name, 'string', comment, (source) => value(source.identity));
  const text = (name: string, comment: string, value: (sample: Sample) => unknown) =>
    column<SampleSource<Identity>>(name, 'string', comment, (source) => value(source.sample));
  const real = (name: string, comment: string, value: (sample: Sample) => unknown) =>
    column<SampleSource<Identity>>(name, 'double', comment, (source) => value(source.sample));
  const whole = (name: string, comment: string, value: (sample: Sample) => unknown) =>
    column<SampleSource<Identity>>(name, 'bigint', comment, (source) => value(source.sample));
  return [
    identity('run_id', 'Name of the execution', (identity) => identity.runId),
    identity('pair_id', 'Pair within the run, p0001', (identity) => pairIdOf(identity.measurementId)),
    identity('measurement_id', 'Measurement within the run, p0001-m01', (identity) => identity.measurementId),
    text(
      'metric',
      'throughput, sent_throughput, stream_throughput, interface, allowance, round_trip or tool_cpu',
      (sample) => sample.metric,
    ),
    text('host_role', 'Host that reported it: client or server', (sample) => sample.hostRole),
    text('direction', 'Who sends: forward is client to server, reverse server to client', (sample) => sample.direction),
    text('stream', "sum, or the tool's number of one parallel stream", (sample) => sample.stream),
    real('start_seconds', "Start of the interval, from the start of the tool's first", (sample) => sample.startSeconds),
    real('length_seconds', 'Length of the interval', (sample) => sample.lengthSeconds),
    real('throughput_bits_per_second', 'Throughput within the interval', (sample) => sample.throughputBitsPerSecond),
    whole('retransmits', 'TCP segments sent again within the interval', (sample) => sample.retransmits),
    whole('congestion_window_bytes', 'Congestion window of the sender', (sample) => sample.congestionWindowBytes),
    whole('lost_packets', 'UDP datagrams lost within the interval', (sample) => sample.lostPackets),
    whole('sent_packets', 'UDP datagrams sent within the interval', (sample) => sample.sentPackets),
    real('jitter_micros', 'Jitter of the UDP datagrams', (sample) => sample.jitterMicros),
    real(
      'received_bits_per_second',
      'Metric interface: received by the interface',
      (sample) => sample.receivedBitsPerSecond,
    ),
    real('sent_bits_per_second', 'Metric interface: sent by the interface', (sample) => sample.sentBitsPerSecond),
    whole(
      'bw_in_allowance_exceeded',
      'Metric allowance: packets shaped, inbound bandwidth',
      (sample) => sample.bwInAllowanceExceeded,
    ),
    whole(
      'bw_out_allowance_exceeded',
      'Metric allowance: packets shaped, outbound bandwidth',
      (sample) => sample.bwOutAllowanceExceeded,
    ),
    whole(
      'pps_allowance_exceeded',
      'Metric allowance: packets shaped, packet rate',
      (sample) => sample.ppsAllowanceExceeded,
    ),
    whole(
      'conntrack_allowance_exceeded',
      'Metric allowance: packets dropped, tracked connections',
      (sample) => sample.conntrackAllowanceExceeded,
    ),
    whole(
      'linklocal_allowance_exceeded',
      'Metric allowance: packets dropped, link-local services',
      (sample) => sample.linklocalAllowanceExceeded,
    ),
    real('rtt_median_micros', 'Metric round_trip: median of the interval', (sample) => sample.rttMedianMicros),
    real('rtt_max_micros', 'Metric round_trip: longest of the interval', (sample) => sample.rttMaxMicros),
    whole(
      'observations',
      'Metric round_trip: round trips that began within the interval',
      (sample) => sample.observations,
    ),
    real('user_cpu_percent', 'Metric tool_cpu: user time, percent of one processor', (sample) => sample.userCpuPercent),
    real(
      'system_cpu_percent',
      'Metric tool_cpu: system time, percent of one processor',
      (sample) => sample.systemCpuPercent,
    ),
  ];
}

const SAMPLE_COLUMNS = sampleColumns<SampleIdentity>();

const LIVE_SAMPLE_COLUMNS: readonly ColumnOf<SampleSource<LiveSampleIdentity>>[] = [
  ...sampleColumns<LiveSampleIdentity>(),
  column('started_at', 'string', 'When the tool was started, ISO 8601 UTC', (source) => source.identity.startedAt),
  column('sequence', 'bigint', 'Chunk that the sample came in, from 0', (source) => source.identity.sequence),
];

const countOf = (facts: RunFacts, status: MeasurementStatus) =>
  facts.measurementStatuses.filter((each) => each === status).length;

const RUN_COLUMNS: readonly ColumnOf<RunFacts>[] = [
  column('run_id', 'string', 'Name of the execution', (run) => run.runId),
  column('plan_name', 'string', 'Name of the plan', (run) => run.planName),
  column('outcome', 'string', 'complete, incomplete, failed or dry_run', (run) => run.outcome),
  column('created_at', 'string', 'When the run was planned, ISO 8601 UTC', (run) => run.createdAt),
  column('ended_at', 'string', 'When the run was summarised, ISO 8601 UTC', (run) => run.endedAt),
  column('pair_count', 'bigint', 'Pairs of the plan, repetitions included', (run) => run.pairCount),
  column('failed_pair_count', 'bigint', 'Pairs of which something was not measured', (run) => run.failedPairCount),
  column('repetitions', 'bigint', 'How often each pair was measured, afresh each time', (run) => run.repetitions),
  column('concurrency', 'bigint', 'Pairs measured at the same time, at most', (run) => run.concurrency),
  column('measurement_count', 'bigint', 'Measurements of the plan', (run) => run.measurementStatuses.length),
  column('complete_count', 'bigint', 'Measurements that are complete', (run) => countOf(run, 'complete')),
  column('truncated_count', 'bigint', 'Measurements that ended early', (run) => countOf(run, 'truncated')),
  column('failed_count', 'bigint', 'Measurements that failed', (run) => countOf(run, 'failed')),
  column('not_applicable_count', 'bigint', 'Measurements that do not apply to their pair', (run) =>
    countOf(run, 'not_applicable'),
  ),
  column('interrupted_reason', 'string', 'Why the run ended early', (run) => run.interruptedReason),
  column('report_uri', 'string', 'Where the report is', (run) => run.reportUri),
];

/** By table name; the prefix of a table's objects is its name. */
export const TABLES = {
  samples: tableDefinition('samples', 'One interval of one series of a finished measurement', SAMPLE_COLUMNS),
  live_samples: tableDefinition(
    'live_samples',
    `One interval of one series, written while the measurement runs and kept for ${RETENTION_DAYS.liveSamples} days`,
    LIVE_SAMPLE_COLUMNS,
  ),
  measurements: tableDefinition(
    'measurements',
    'One measurement: what was measured where, its statistics and its verdict with the evidence',
    MEASUREMENT_COLUMNS,
  ),
  runs: tableDefinition('runs', 'One run of a plan', RUN_COLUMNS),
} as const satisfies Record<string, TableDefinition>;

export function sampleRow(sample: Sample, identity: SampleIdentity): Row {
  return rowOf(SAMPLE_COLUMNS, { sample, identity });
}

const IDENTITY_COLUMNS = ['run_id', 'pair_id', 'measurement_id'];

/** The sample that `sampleRow` wrote: a sample's columns are its keys in snake_case. */
export function sampleOf(row: Row): Sample {
  const entries = Object.entries(row)
    .filter(([name]) => !IDENTITY_COLUMNS.includes(name))
    .map(([name, value]) => [name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), value]);
  return Object.fromEntries(entries) as Sample;
}

export function liveSampleRow(sample: Sample, identity: LiveSampleIdentity): Row {
  return rowOf(LIVE_SAMPLE_COLUMNS, { sample, identity });
}

export function measurementRow(result: MeasurementResult): Row {
  return rowOf(MEASUREMENT_COLUMNS, result);
}

export function runRow(facts: RunFacts): Row {
  return rowOf(RUN_COLUMNS, facts);
}
