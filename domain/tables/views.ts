/**
 * Declares the columns of the views in `views/*.sql`, for the engines and the documentation. Tests check names and
 * types against the SQL.
 */
import { HOST_ROLES } from '../model/host-role';
import type { ClosedTable } from '../workflow/object-keys';
import type { ColumnType } from './column';
import { ANSWER_COLUMNS } from './answer-columns';
import { TABLES } from './columns';

/** A view can also have a timestamp, which a JSON row can't. */
export type ViewColumnType = ColumnType | 'timestamp';

export interface ViewColumn {
  readonly name: string;
  /** Spelled as in Glue (Hive). */
  readonly type: ViewColumnType;
  readonly comment: string;
}

export interface ViewDefinition {
  /** Also the name of its file in `views/`. */
  readonly name: string;
  readonly description: string;
  readonly columns: readonly ViewColumn[];
}

const VERDICT_COLUMNS = columnsOf(
  'open_measurements',
  `day run_id plan_name pair_id measurement_id tool kind protocol direction parallel_streams
  target_bits_per_second duration_seconds
  client_type server_type zone_relation placement path setting cell
  status reason started_at ended_at
  throughput_mean_bits_per_second rtt_p50_micros rtt_p99_micros
  rtt_before_onset_p99_micros rtt_after_onset_p99_micros
  verdict_kind verdict_cause verdict_direction throttled_type throttled_bucket
  onset_seconds burst_bits_per_second baseline_bits_per_second
  published_baseline_bits_per_second published_peak_bits_per_second
  bucket_bits refill_seconds sustained_bits_per_second sustained_bound
  held_1_gbit held_1_gbit_seconds held_2_gbit held_2_gbit_seconds
  held_5_gbit held_5_gbit_seconds held_10_gbit held_10_gbit_seconds
  confidence explanation
  expected_usd cost_usd client_hourly_usd server_hourly_usd
  client_zone_id server_zone_id is_displaced
  client_subnet_id server_subnet_id client_vpc_id server_vpc_id client_image_id server_image_id
  packets_limited_by packet_onset_seconds burst_packets_per_second baseline_packets_per_second
  client_cpu_credits server_cpu_credits cpu_contention round_trips_limited_by
  region scaled_model scaled_model_rate_divisor scaled_model_time_divisor price_list`,
  {
    started_at: ['timestamp', 'When the tool was started, UTC'],
    ended_at: ['timestamp', 'When the tool ended, UTC'],
    region: ['string', 'AWS Region of its hosts; NULL if none was launched in an older run'],
    throttled_type: ['string', 'Instance type whose credits ran out; NULL if none did, or if nobody can say whose'],
    published_baseline_bits_per_second: ['bigint', 'Baseline bandwidth published for the throttled type'],
    published_peak_bits_per_second: ['bigint', 'Peak bandwidth published for the throttled type'],
  },
);

/** Those of both series, of which that of one measurement has no others: a template has no room for all of them twice. */
const MAIN_SERIES_COLUMNS = [
  ...columnsOf(
    'samples',
    `day run_id pair_id measurement_id direction second at
    throughput_bits_per_second retransmits congestion_window_bytes lost_packets sent_packets jitter_micros`,
    {
      second: ['bigint', "Second from the start of the tool's first interval, from 0"],
      at: [
        'timestamp',
        'Start of the second, UTC, counted from when the tool was started: early by the time that the tool took until its ' +
          'first interval, which is in no table',
      ],
    },
  ),
  ...ofEachHost('bw_in_allowance_exceeded bw_out_allowance_exceeded pps_allowance_exceeded'),
  ...ofEachHost('received_bits_per_second sent_bits_per_second'),
  ...ofEachHost('user_cpu_percent system_cpu_percent'),
  ...columnsOf('samples', 'rtt_median_micros rtt_max_micros observations packets_per_second'),
];

const SERIES_COLUMNS = [
  ...MAIN_SERIES_COLUMNS,
  ...ofEachHost('conntrack_allowance_exceeded linklocal_allowance_exceeded'),
  ...ofEachHost('received_packets_per_second sent_packets_per_second'),
  ...ofEachHost('waiting_cpu_percent cpu_pressure_percent steal_cpu_percent'),
];

/** An answer has no measurement of its own, so that those of its columns that a run has are the run's. */
const ANSWERED_COLUMNS: readonly ViewColumn[] = [
  ...columnsOf('open_runs', 'day run_id plan_name region'),
  { name: 'position', type: 'bigint', comment: 'Place of the row in the answer, from 1' },
  ...ANSWER_COLUMNS.map(({ name, type, comment }) => ({ name, type, comment })),
];

export const VIEWS = {
  runs: currentRows('runs', 'One run of a plan'),
  pairs: currentRows('pairs', 'One pair of a run that has ended, with its price'),
  measurements: currentRows(
    'measurements',
    'One measurement: what was measured where, its statistics and its verdict with the evidence; written at the end of ' +
      'its run',
  ),
  answers: {
    name: 'answers',
    description:
      "One row of a run's answer: an instance type, path or setting, with the figures that its report shows first",
    columns: ANSWERED_COLUMNS,
  },
  verdicts: {
    name: 'verdicts',
    description:
      'What came out of a measurement, in the columns that most questions need: a row of `measurements` or, while its run ' +
      'goes on, of `live_measurements`',
    columns: VERDICT_COLUMNS,
  },
  series: {
    name: 'series',
    description:
      'One second of a measurement of throughput, or of packets, and direction, with the counters of both hosts in that ' +
      'second; the figure of the other kind is NULL. An interval belongs to the second in which its middle lies. The ' +
      'counters of a host are the same in both directions of a bidirectional measurement. What was measured in seconds ' +
      'without throughput or packets is in `samples` only',
    columns: SERIES_COLUMNS,
  },
  measurement_series: {
    name: 'measurement_series',
    description:
      'The rows of `series` of one measurement, with these of its columns, from the one object of its samples, also while ' +
      'its run goes on; a query must name run_id and measurement_id',
    columns: MAIN_SERIES_COLUMNS.filter(({ name }) => name !== 'day' && name !== 'at'),
  },
} as const satisfies Record<string, ViewDefinition>;

/** The view of a table's open and closed rows, with the columns of both; `views/*.sql` has its SQL. */
function currentRows(name: ClosedTable, description: string): ViewDefinition {
  const { columns, partitions } = TABLES[`open_${name}`];
  return { name, description, columns: [...columns, ...partitions] };
}

/**
 * @param names the columns of the view
 * @param own those of the columns that the view computes, or shows with another type than the table
 */
function columnsOf(
  table: 'open_measurements' | 'open_runs' | 'samples',
  names: string,
  own: Readonly<Record<string, readonly [type: ViewColumnType, comment: string]>> = {},
): ViewColumn[] {
  const declared = [...TABLES[table].partitions, ...TABLES[table].columns];
  return names.split(/\s+/).map((name) => {
    const column = declared.find((each) => each.name === name);
    const [type, comment] = own[name] ?? [column?.type, column?.comment];
    if (type !== undefined && comment !== undefined) return { name, type, comment };
    throw new Error(`column of a view: must be a column of ${table}, got ${name}`);
  });
}

/** Returns columns of `samples`, first for the client and then for the server. */
function ofEachHost(names: string): ViewColumn[] {
  return HOST_ROLES.flatMap((role) =>
    columnsOf('samples', names).map(({ name, type, comment }) => ({
      name: `${role}_${name}`,
      type,
      comment: `${comment}, on the ${role}`,
    })),
  );
}
