/** Defines the columns of every table, for Glue, the rows, the documentation and the tests of `queries/*.sql`. */
import type { RunAnswer } from '../model/answer';
import type { MeasurementCost } from '../model/cost';
import type { MeasurementResult, MeasurementStatus } from '../model/result';
import { METRICS, type Sample } from '../model/sample';
import { RETENTION_DAYS } from '../model/service-facts';
import type { RunOutcome } from '../workflow/contracts';
import { pairIdOf } from '../workflow/identifiers';
import { ANSWERS_TYPE, answerRows } from './answer-columns';
import { CLOSED_MONTHS, closedTable, openTable } from './closed-months';
import { column, EXPECTATIONS_TYPE, fieldColumns, rowOf, tableDefinition } from './column';
import type { Column, ColumnOf, FieldColumn, PartitionColumn, Row, TableDefinition } from './column';
import { MEASUREMENT_COST_COLUMNS, PAIR_COLUMNS, PRICE_LIST_COMMENT, REGION, type PairFacts } from './cost-columns';
import { MEASUREMENT_COLUMNS } from './measurement-columns';

export type { Row, TableDefinition } from './column';
export type { PairFacts } from './cost-columns';

/** The partition projection starts here, because no run is older than the project. */
const FIRST_DAY = '2026-01-01';

/** UTC, `YYYY-MM-DD`: a partition of every table but `measurement_samples`. */
const DAY: PartitionColumn = {
  name: 'day',
  type: 'date',
  comment: 'UTC day; a query that names it reads only that day',
  projection: { type: 'date', format: 'yyyy-MM-dd', range: `${FIRST_DAY},NOW` },
};

/** A partition because most rows are host counters, which a query that names its metrics then does not read. */
const METRIC: PartitionColumn = {
  name: 'metric',
  type: 'string',
  comment: METRICS.join(', '),
  projection: { type: 'enum', values: METRICS.join(',') },
};

/** Run ids can't be listed in a partition projection (they are `injected`), so each query must name the run. */
const RUN: PartitionColumn = {
  name: 'run_id',
  type: 'string',
  comment: 'Name of the execution; a query must name it, and reads only that run',
  projection: { type: 'injected' },
};

const MEASUREMENT: PartitionColumn = {
  name: 'measurement_id',
  type: 'string',
  comment: 'Measurement within the run, p0001-m01; a query must name it, and reads only that measurement',
  projection: { type: 'injected' },
};

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

export type RunEnding = Pick<RunFacts, 'outcome' | 'interruptedReason'>;

/** The judgement of one limit of the plan for one cell, in the form of its column. Absent values are not known. */
export interface ExpectationFacts {
  /** The place of the limit in the plan: `plan.expect[0].baselineBitsPerSecond.min`. */
  readonly path: string;
  /** Absent, like the indices, for a figure of the run. */
  readonly cell?: string;
  readonly plan_pair_index?: number;
  readonly plan_measurement_index?: number;
  readonly figure: string;
  readonly limit_kind: string;
  readonly limit_value: number;
  /** The figure in its unit; for a limit in percent, its change in percent. */
  readonly observed?: number;
  /** The 95 % interval of `observed`. */
  readonly low?: number;
  readonly high?: number;
  readonly status: string;
  readonly note?: string;
}

/** The facts of a row of `runs`. */
export interface RunFacts {
  readonly runId: string;
  readonly planName: string;
  readonly region?: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly endedAt?: string;
  readonly outcome: RunOutcome['outcome'];
  readonly pairCount: number;
  readonly failedPairCount: number;
  readonly repetitions: number;
  readonly concurrency: number;
  /** One status for each measurement of the plan. */
  readonly measurementStatuses: readonly MeasurementStatus[];
  readonly interruptedReason?: string | null;
  readonly reportUri?: string;
  /** The forecast before the first launch. Each of the three prices is null where it is unknown. */
  readonly expectedUsd?: number | null;
  readonly upperUsd?: number | null;
  /** The actual price. */
  readonly costUsd?: number | null;
  /** Absent, like the counts, for a plan that expects nothing. */
  readonly expectationsOutcome?: 'met' | 'not_met';
  /** How many expected limits have each status; a limit is counted once for each cell. */
  readonly expectationCounts?: Readonly<Record<'met' | 'not_met' | 'undecided' | 'not_measured', number>>;
  /** The judgement of each of these limits; absent for a plan that expects nothing. */
  readonly expectations?: readonly ExpectationFacts[];
  /** The tags that the user set in the deployment and the plan. */
  readonly tags?: Readonly<Record<string, string>>;
  /** The ARN of a user or role session, `schedule` or `unknown`. */
  readonly startedBy?: string;
  readonly priceList?: string;
  /** Absent if neither throughput nor round trips were measured, and in summaries of older versions. */
  readonly answer?: RunAnswer;
}

interface SampleSource<Identity = SampleIdentity> {
  readonly sample: Sample;
  readonly identity: Identity;
}

/** `metric` is left out because it is a partition of `samples`. */
const SAMPLE_FIELDS: Readonly<Record<Exclude<keyof Sample, 'metric'>, FieldColumn>> = {
  hostRole: ['string', 'Host that reported it: client or server'],
  direction: ['string', 'Who sends: forward is client to server, reverse server to client'],
  stream: ['string', "sum, or the tool's number of one parallel stream"],
  startSeconds: ['double', "Start of the interval, from the start of the tool's first"],
  lengthSeconds: ['double', 'Length of the interval'],
  throughputBitsPerSecond: ['double', 'Throughput within the interval'],
  retransmits: ['bigint', 'TCP segments sent again within the interval'],
  congestionWindowBytes: ['bigint', 'Congestion window of the sender'],
  lostPackets: ['bigint', 'UDP datagrams lost within the interval'],
  sentPackets: ['bigint', 'UDP datagrams sent within the interval'],
  jitterMicros: ['double', 'Jitter of the UDP datagrams'],
  receivedBitsPerSecond: ['double', 'Metric interface: received by the interface'],
  sentBitsPerSecond: ['double', 'Metric interface: sent by the interface'],
  bwInAllowanceExceeded: ['bigint', 'Metric allowance: packets shaped, inbound bandwidth'],
  bwOutAllowanceExceeded: ['bigint', 'Metric allowance: packets shaped, outbound bandwidth'],
  ppsAllowanceExceeded: ['bigint', 'Metric allowance: packets shaped, packet rate'],
  conntrackAllowanceExceeded: ['bigint', 'Metric allowance: packets dropped, tracked connections'],
  linklocalAllowanceExceeded: ['bigint', 'Metric allowance: packets dropped, link-local services'],
  rttMedianMicros: ['double', 'Metric round_trip: median of the interval'],
  rttMaxMicros: ['double', 'Metric round_trip: longest of the interval'],
  observations: ['bigint', 'Metric round_trip: round trips that began within the interval'],
  userCpuPercent: ['double', 'Metric tool_cpu: user time, percent of one processor'],
  systemCpuPercent: ['double', 'Metric tool_cpu: system time, percent of one processor'],
  stealCpuPercent: ['double', 'Metric tool_cpu: time that the host was refused, all processors, percent of one'],
  waitingCpuPercent: ['double', 'Metric tool_cpu: time that the tool waited for a processor, percent of one'],
  cpuPressurePercent: ['double', 'Metric tool_cpu: time that anything on the host waited for a processor, percent'],
  receivedPacketsPerSecond: ['double', 'Metric interface: packets received by the interface'],
  sentPacketsPerSecond: ['double', 'Metric interface: packets sent by the interface'],
  packetsPerSecond: ['double', 'Metric packets: packets that arrived within the interval'],
};

/** `run_id` is left out because it is a partition of `live_samples`. */
const SAMPLE_COLUMNS_WITHOUT_RUN: readonly ColumnOf<SampleSource>[] = [
  column('pair_id', 'string', 'Pair within the run, p0001', ({ identity }) => pairIdOf(identity.measurementId)),
  column('measurement_id', 'string', 'Measurement within the run, p0001-m01', ({ identity }) => identity.measurementId),
  ...fieldColumns(({ sample }: SampleSource) => sample, SAMPLE_FIELDS),
];

const SAMPLE_COLUMNS: readonly ColumnOf<SampleSource>[] = [
  column('run_id', 'string', 'Name of the execution', ({ identity }) => identity.runId),
  ...SAMPLE_COLUMNS_WITHOUT_RUN,
];

/** One row serves `samples` and `measurement_samples`: each table declares only columns that are not in its keys. */
const SAMPLE_ROW_COLUMNS: readonly ColumnOf<SampleSource>[] = [
  ...SAMPLE_COLUMNS,
  column(METRIC.name, METRIC.type, METRIC.comment, ({ sample }) => sample.metric),
];

const LIVE_SAMPLE_COLUMNS: readonly ColumnOf<SampleSource<LiveSampleIdentity>>[] = [
  ...SAMPLE_COLUMNS_WITHOUT_RUN,
  column(METRIC.name, METRIC.type, METRIC.comment, ({ sample }) => sample.metric),
  column('started_at', 'string', 'When the tool was started, ISO 8601 UTC', ({ identity }) => identity.startedAt),
  column('sequence', 'bigint', 'Chunk that the sample came in, from 0', ({ identity }) => identity.sequence),
];

const runColumns = (fields: Readonly<Partial<Record<keyof RunFacts, FieldColumn>>>) =>
  fieldColumns((run: RunFacts) => run, fields);

const countColumn = (status: MeasurementStatus, comment: string) =>
  column(`${status}_count`, 'bigint', comment, ({ measurementStatuses }: RunFacts) => {
    return measurementStatuses.filter((each) => each === status).length;
  });

/**
 * Returns the tags as text and not as a map, because tag keys are case-sensitive and the OpenX SerDe turns a map's keys
 * into lower case (rcongiu/Hive-JSON-Serde#236), while Trino's reader keeps them (trinodb/trino#20400); which of the
 * two Athena uses is not documented. The keys are sorted, so that queries can group by the text.
 */
function tagsText(tags: RunFacts['tags'] = {}): string | undefined {
  const inOrder = Object.entries(tags).sort(([one], [other]) => (one < other ? -1 : 1));
  return inOrder.length === 0 ? undefined : JSON.stringify(Object.fromEntries(inOrder));
}

const RUN_COLUMNS: readonly ColumnOf<RunFacts>[] = [
  ...runColumns({
    runId: ['string', 'Name of the execution'],
    planName: ['string', 'Name of the plan'],
    outcome: ['string', 'complete, incomplete or failed; a dry run, or a refused plan, has no row'],
    createdAt: ['string', 'When the run was planned, ISO 8601 UTC'],
    endedAt: ['string', 'When the run was summarised, ISO 8601 UTC'],
    pairCount: ['bigint', 'Pairs of the plan, repetitions included'],
    failedPairCount: ['bigint', 'Pairs of which something was not measured'],
    repetitions: ['bigint', 'How often each pair was measured, afresh each time'],
    concurrency: ['bigint', 'Pairs measured at the same time, at most'],
  }),
  column('measurement_count', 'bigint', 'Measurements of the plan', (run) => run.measurementStatuses.length),
  countColumn('complete', 'Measurements that are complete'),
  countColumn('truncated', 'Measurements that ended early'),
  countColumn('failed', 'Measurements that failed'),
  countColumn('not_applicable', 'Measurements that do not apply to their pair'),
  ...runColumns({
    interruptedReason: ['string', 'Why the run ended early'],
    reportUri: ['string', 'Where the report is'],
    expectedUsd: ['double', 'Price as forecast before the first launch'],
    upperUsd: ['double', 'The most that was forecast'],
    costUsd: ['double', 'Actual price: the sum over its pairs'],
    expectationsOutcome: [
      'string',
      'met where all that the plan expects is met, else not_met; NULL if it expects nothing',
    ],
  }),
  ...fieldColumns((run: RunFacts) => run.expectationCounts, {
    met: ['bigint', 'Expected limits that are met', 'expectations_met_count'],
    not_met: ['bigint', 'Expected limits that are not met', 'expectations_not_met_count'],
    undecided: ['bigint', 'Expected limits within the interval of the figure', 'expectations_undecided_count'],
    not_measured: ['bigint', 'Expected limits without a figure', 'expectations_not_measured_count'],
  }),
  column(
    'tags',
    'string',
    'Tags of the deployment and the plan on everything that the run made, as a JSON object with its keys in order; NULL without any',
    ({ tags }: RunFacts) => tagsText(tags),
  ),
  column(
    'started_by',
    'string',
    'ARN of the user or role session that started its execution, by CloudTrail; schedule for a scheduled run; unknown where CloudTrail did not tell at its end; NULL in older rows',
    ({ startedBy }: RunFacts) => startedBy,
  ),
  ...runColumns(REGION),
  column('price_list', 'string', PRICE_LIST_COMMENT, ({ priceList }: RunFacts) => priceList),
  column(
    'expectations',
    EXPECTATIONS_TYPE,
    'Each limit of the plan for each cell: observed with its 95 % interval is the figure or, of a limit in percent, its change; limit_kind is min, max, maxPercentBelow or maxPercentAbove',
    ({ expectations }: RunFacts) => expectations,
  ),
  column('answers', ANSWERS_TYPE, 'The rows of `answers`; NULL in older rows', ({ answer }: RunFacts) =>
    answerRows(answer),
  ),
];

/** How the run of a measurement ended, so that queries see why data is missing without reading `runs`. */
const RUN_ENDING_COLUMNS = fieldColumns((ending: RunEnding) => ending, {
  outcome: ['string', 'How its run ended: complete, incomplete or failed; NULL until then', 'run_outcome'],
  interruptedReason: ['string', 'Why its run ended early', 'run_interrupted_reason'],
});

const WHOLE_MEASUREMENT_COLUMNS: readonly Column[] = [
  ...MEASUREMENT_COLUMNS,
  ...MEASUREMENT_COST_COLUMNS,
  ...RUN_ENDING_COLUMNS,
];

const OPEN = {
  runs: openTable('runs', DAY, RUN_COLUMNS),
  pairs: openTable('pairs', DAY, PAIR_COLUMNS),
  measurements: openTable('measurements', DAY, WHOLE_MEASUREMENT_COLUMNS),
} as const;

/** The tables by name. `runs`, `pairs` and `measurements` are views: each row is in an open or in a closed table. */
export const TABLES = {
  samples: tableDefinition(
    'samples',
    'One interval of one series of a finished measurement, written at the end of its run',
    [METRIC, DAY],
    SAMPLE_COLUMNS,
  ),
  measurement_samples: tableDefinition(
    'measurement_samples',
    'The rows of `samples` by measurement, for a query on one of them, also while its run goes on; a query must name ' +
      'run_id and measurement_id',
    [RUN, MEASUREMENT],
    SAMPLE_ROW_COLUMNS.filter(({ name }) => name !== RUN.name && name !== MEASUREMENT.name),
  ),
  live_samples: tableDefinition(
    'live_samples',
    'One interval of one series, written while the measurement runs and kept for ' +
      `${RETENTION_DAYS.liveSamples} days; after the end of its run it is in \`samples\` too, so query one of the two`,
    [DAY, RUN],
    LIVE_SAMPLE_COLUMNS,
  ),
  live_measurements: tableDefinition(
    'live_measurements',
    'One measurement of a run that has not ended, with the columns of `measurements`; kept until the end of the run, ' +
      `at most ${RETENTION_DAYS.liveMeasurements} days`,
    [DAY],
    WHOLE_MEASUREMENT_COLUMNS,
  ),
  open_runs: OPEN.runs,
  open_pairs: OPEN.pairs,
  open_measurements: OPEN.measurements,
  closed_runs: closedTable(OPEN.runs),
  closed_pairs: closedTable(OPEN.pairs),
  closed_measurements: closedTable(OPEN.measurements),
  closed_months: CLOSED_MONTHS,
} as const satisfies Record<string, TableDefinition>;

export const sampleRow = (sample: Sample, identity: SampleIdentity): Row =>
  rowOf(SAMPLE_ROW_COLUMNS, { sample, identity });

export const liveSampleRow = (sample: Sample, identity: LiveSampleIdentity): Row =>
  rowOf(LIVE_SAMPLE_COLUMNS, { sample, identity });

export const measurementRow = (result: MeasurementResult): Row => rowOf(MEASUREMENT_COLUMNS, result);

/** Returns the columns that are added to the row of a measurement at the end of the run. */
export const measurementCostRow = (cost: MeasurementCost): Row => rowOf(MEASUREMENT_COST_COLUMNS, cost);

export const runEndingRow = (ending: RunEnding): Row => rowOf(RUN_ENDING_COLUMNS, ending);

export const pairRow = (facts: PairFacts): Row => rowOf(PAIR_COLUMNS, facts);

export const runRow = (facts: RunFacts): Row => rowOf(RUN_COLUMNS, facts);

const IDENTITY_COLUMNS = ['run_id', 'pair_id', 'measurement_id'];

/** Reads a sample back from the row that `sampleRow` wrote. */
export function sampleOf(row: Row): Sample {
  const entries = Object.entries(row)
    .filter(([name]) => !IDENTITY_COLUMNS.includes(name))
    .map(([name, value]) => [name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), value]);
  return Object.fromEntries(entries) as Sample;
}
