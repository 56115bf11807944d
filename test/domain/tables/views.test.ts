/**
 * A column that comes to a table later is in its view, or stands here with the reason why a user of the view does without:
 * nobody who asks a view notices what it lacks.
 */
import { CONDITIONS } from '../../../domain/model/conditions';
import { settingColumns } from '../../../domain/model/setting';
import { SETTINGS } from '../../../domain/model/settings';
import { TABLES } from '../../../domain/tables/columns';
import { VIEWS } from '../../../domain/tables/views';

/** Reason → columns. */
type LeftOut = Readonly<Record<string, readonly string[]>>;

const ofEachHost = (names: readonly string[]) =>
  ['client', 'server'].flatMap((role) => names.map((n) => `${role}_${n}`));
const columnsOf = (table: 'samples' | 'open_measurements') =>
  [...TABLES[table].partitions, ...TABLES[table].columns].map(({ name }) => name);

const QUANTILES = ['p5', 'p50', 'p95', 'min', 'max'];
const ROUND_TRIPS = [
  'mean',
  'std_dev',
  'min',
  'p25',
  'p75',
  'p90',
  'p95',
  'p99_5',
  'p99_9',
  'p99_99',
  'p99_999',
  'max',
];

const NOT_IN_SERIES: LeftOut = {
  'a row is a second with all metrics': ['metric'],
  'the host stands in the name of the column': ['host_role'],
  'only sums over all streams have rows': ['stream'],
  'they have become the second': ['start_seconds', 'length_seconds'],
};

const NOT_IN_VERDICTS: LeftOut = {
  'it is in `setting`, in words': settingColumns({ ...SETTINGS, ...CONDITIONS }).map(({ column }) => column),
  'it is the place in the plan, which the ids and `cell` stand for': [
    ...['repetition', 'pair_repetition', 'plan_pair_index', 'plan_measurement_index'],
    ...ofEachHost(['pinned_place', 'pinned_image']),
  ],
  'it is a fact of the host or of the tool, for those who look into one measurement': [
    ...['tool_version', 'path_mtu_bytes', 'hop_count'],
    ...ofEachHost([
      ...['instance_id', 'zone', 'kernel', 'operating_system', 'architecture', 'vcpu_count', 'network_interface'],
      ...['network_driver', 'network_driver_version', 'queue_count', 'mtu_bytes', 'congestion_control', 'clock_source'],
      ...['clock_offset_micros', 'agent_version', 'ena_srd_mode', 'ena_srd_sent_packets', 'ena_srd_eligible_packets'],
      ...['ena_srd_received_packets', 'cpu_model', 'rx_ring_length', 'tx_ring_length', 'has_byte_queue_limits'],
      ...['queue_disciplines', 'tcp_limit_output_bytes', 'has_tcp_autocorking'],
    ]),
  ],
  'it is a further statistic of a series of which the view has the mean, the median or the verdict': [
    ...['sample_count', 'retransmits', 'lost_packets', 'sent_packets', 'jitter_micros', 'stream_bits_per_second'],
    ...['straggler_count', 'sent_packets_per_second', 'packet_bytes', 'examined_causes'],
    ...QUANTILES.map((quantile) => `throughput_${quantile}_bits_per_second`),
    ...['mean', ...QUANTILES].map((quantile) => `${quantile}_packets_per_second`),
    ...ofEachHost(['pps_allowance_exceeded', 'conntrack_allowance_exceeded']),
    ...ROUND_TRIPS.map((quantile) => `rtt_${quantile}_micros`),
    ...['observations', 'dropped_messages', 'duplicated_messages', 'out_of_order_messages', 'transactions_per_second'],
    ...['before', 'after'].flatMap((when) => [
      ...['p50', 'max'].map((quantile) => `rtt_${when}_onset_${quantile}_micros`),
      `observations_${when}_onset`,
    ]),
  ],
  'it is of the other direction, which has a verdict of its own in the table': [
    ...['other_verdict_cause', 'other_examined_causes'],
    ...['mean', ...QUANTILES].map((quantile) => `reverse_throughput_${quantile}_bits_per_second`),
    ...['retransmits', 'lost_packets', 'sent_packets', 'jitter_micros'].map((name) => `reverse_${name}`),
    ...['verdict_kind', 'verdict_direction', 'onset_seconds', 'burst_bits_per_second', 'baseline_bits_per_second'].map(
      (name) => `other_${name}`,
    ),
    ...['bucket_bits', 'throttled_by', 'throttled_bucket', 'explanation'].map((name) => `other_${name}`),
  ],
  '`cpu_contention` and the verdict say what it comes to': ofEachHost([
    ...['user_cpu_percent', 'system_cpu_percent', 'waiting_cpu_percent', 'cpu_pressure_percent', 'steal_cpu_percent'],
  ]),
  'it is the evidence of the verdict: `confidence` and `explanation` are what most questions need': [
    ...['witnesses', 'warnings', 'bucket_bits_at_least'],
    ...['low', 'high'].flatMap((bound) => [
      ...[`onset_${bound}_seconds`, `burst_${bound}_bits_per_second`, `baseline_${bound}_bits_per_second`],
      ...[`bucket_${bound}_bits`, `refill_${bound}_seconds`, `packet_onset_${bound}_seconds`],
      ...[`burst_${bound}_packets_per_second`, `baseline_${bound}_packets_per_second`],
    ]),
  ],
  'it is in `throttled_type`, `published_baseline_…` and `published_peak_…`': [
    'throttled_by',
    ...['client', 'server'].flatMap((role) =>
      ['baseline_bits_per_second', 'peak_bits_per_second', 'network_performance'].map(
        (name) => `published_${role}_${name}`,
      ),
    ),
  ],
  'it is a part of the price, or why it is unknown': [
    ...['hosts_usd', 'traffic_usd', 'host_seconds', 'traffic_bytes', 'cost_warnings'],
  ],
  'it is of the run, and NULL while it goes on': ['run_outcome', 'run_interrupted_reason'],
};

test.each([
  { view: 'series', table: 'samples', leftOut: NOT_IN_SERIES },
  { view: 'verdicts', table: 'open_measurements', leftOut: NOT_IN_VERDICTS },
] as const)('$view has the columns of $table but those left out on purpose', ({ view, table, leftOut }) => {
  const shown = new Set(VIEWS[view].columns.map(({ name }) => name));
  const isShown = (name: string) => shown.has(name) || ofEachHost([name]).every((each) => shown.has(each));
  const onPurpose = new Set(Object.values(leftOut).flat());

  const missing = columnsOf(table).filter((name) => !isShown(name));
  expect(missing.filter((name) => !onPurpose.has(name))).toEqual([]);
  // A column that is gone, or has come to the view, needs no reason any more. Some settings are in the view by themselves.
  const settings = new Set(settingColumns({ ...SETTINGS, ...CONDITIONS }).map(({ column }) => column));
  expect([...onPurpose].filter((name) => !missing.includes(name) && !settings.has(name))).toEqual([]);
});

test.each(['client', 'server'])('series shows what both hosts count of the %s, too', (role) => {
  const shown = VIEWS.series.columns.map(({ name }) => name);
  const other = role === 'client' ? 'server' : 'client';
  const ofRole = shown.filter((name) => name.startsWith(`${role}_`));
  expect(ofRole.map((name) => name.replace(role, other)).filter((name) => !shown.includes(name))).toEqual([]);
});
