/** The columns of `measurements`, in the order in which a reader wants them: what, where, how it went, how fast, the verdict. */
import type { HostRole } from '../model/host-role';
import { cellInWords, cellOf } from '../model/cell';
import { CONDITIONS } from '../model/conditions';
import type { SettingTable } from '../model/setting';
import { SETTINGS } from '../model/settings';
import { column } from './column';
import type { ColumnOf, ColumnType } from './column';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { MeasuredHost, MeasurementResult } from '../model/result';
import { conditionsOf, latencyOf, throughputOf, toolCpuOf } from '../model/statistics';
import type { RttQuantiles, ThroughputQuantiles, ThroughputStatistics } from '../model/statistics';
import { evidenceColumns, otherVerdictColumns, verdictColumns } from './verdict-columns';

type MeasurementColumn = ColumnOf<MeasurementResult>;

const of = (name: string, type: ColumnType, comment: string, value: (result: MeasurementResult) => unknown) =>
  column<MeasurementResult>(name, type, comment, value);

/** The columns of a table of settings or conditions. */
function settingColumns(table: SettingTable): MeasurementColumn[] {
  return Object.entries(table).flatMap(([name, { columns }]) =>
    columns.map(({ column: columnName, type, comment, value }) =>
      of(columnName, type, comment, (result) => {
        const stored = (result as unknown as Readonly<Record<string, unknown>>)[name];
        return stored === undefined ? undefined : value(stored as never);
      }),
    ),
  );
}

const identityColumns: readonly MeasurementColumn[] = [
  of('run_id', 'string', 'Name of the execution', (result) => result.runId),
  of('plan_name', 'string', 'Name of the plan', (result) => result.planName),
  of('pair_id', 'string', 'Pair within the run, p0001', (result) => result.pairId),
  of('measurement_id', 'string', 'Measurement within the run, p0001-m01', (result) => result.measurementId),
  of('repetition', 'bigint', 'From 1; each on a fresh pair', (result) => result.repetition),
  of('pair_repetition', 'bigint', 'From 1; on the same pair, of what spends no credits', (it) => it.pairRepetition),
  of('plan_pair_index', 'bigint', "Which of the plan's pairs, from 0", (result) => result.planPairIndex),
  of('plan_measurement_index', 'bigint', "Which of the plan's measurements, from 0", (it) => it.planMeasurementIndex),
  of('tool', 'string', 'Name of the tool, as in the plan', (result) => result.tool),
  of('tool_version', 'string', 'Version that the tool gave', (result) => result.toolVersion),
  of('kind', 'string', 'throughput, latency or conditions', (result) => result.kind),
  ...settingColumns(SETTINGS),
  of('client_type', 'string', 'Instance type of the client', (result) => result.clientType),
  of('server_type', 'string', 'Instance type of the server', (result) => result.serverType),
  ...settingColumns(CONDITIONS),
  of('setting', 'string', 'Tool, settings and conditions in words', cellInWords),
  of('cell', 'string', 'Identity: rows with the same value were measured in the same way', (result) => cellOf(result)),
  of('status', 'string', 'complete, truncated, failed or not_applicable', (result) => result.status),
  of('reason', 'string', 'Why the status is not complete', (result) => result.reason),
  of('started_at', 'string', 'When the tool was started, ISO 8601 UTC', (result) => result.startedAt),
  of('ended_at', 'string', 'When the tool ended, ISO 8601 UTC', (result) => result.endedAt),
  of('sample_count', 'bigint', 'One-second samples of throughput', (result) => result.sampleCount),
];

function hostColumns(role: HostRole): readonly MeasurementColumn[] {
  const host = (name: string, type: ColumnType, what: string, value: (host: MeasuredHost) => unknown) =>
    of(`${role}_${name}`, type, `${what} of the ${role}`, (result) => result[role] && value(result[role]));
  return [
    host('instance_id', 'string', 'Instance id', (it) => it.instanceId),
    host('zone', 'string', 'Availability zone', (it) => it.zone),
    host('image_id', 'string', 'AMI', (it) => it.imageId),
    host('kernel', 'string', 'Kernel release', (it) => it.facts?.kernel),
    host('operating_system', 'string', 'Operating system', (it) => it.facts?.operatingSystem),
    host('architecture', 'string', 'Architecture', (it) => it.facts?.architecture),
    host('vcpu_count', 'bigint', 'vCPUs', (it) => it.facts?.vcpuCount),
    host('network_interface', 'string', 'Name of the measured interface', (it) => it.facts?.networkInterface),
    host('network_driver', 'string', 'Network driver', (it) => it.facts?.networkDriver),
    host('network_driver_version', 'string', 'Version of the network driver', (it) => it.facts?.networkDriverVersion),
    host('queue_count', 'bigint', 'Network queues', (it) => it.facts?.queueCount),
    host('mtu_bytes', 'bigint', 'MTU of the measured interface', (it) => it.facts?.mtuBytes),
    host(
      'ena_srd_mode',
      'bigint',
      'ENA Express as the driver has it (bit 0 on, bit 1 for UDP),',
      (it) => it.facts?.enaSrdMode,
    ),
    host(
      'ena_srd_sent_packets',
      'bigint',
      'Packets sent by ENA Express while it was measured,',
      (it) => it.enaSrdPackets?.sent,
    ),
    host(
      'ena_srd_eligible_packets',
      'bigint',
      'Packets sent that ENA Express could have carried,',
      (it) => it.enaSrdPackets?.eligible,
    ),
    host(
      'ena_srd_received_packets',
      'bigint',
      'Packets received by ENA Express while it was measured,',
      (it) => it.enaSrdPackets?.received,
    ),
    host('congestion_control', 'string', 'TCP congestion control', (it) => it.facts?.congestionControl),
    host('clock_source', 'string', 'Reference clock', (it) => it.facts?.clockSource),
    host('clock_offset_micros', 'double', 'Offset from the reference clock', (it) => it.facts?.clockOffsetMicros),
    host('agent_version', 'string', 'SSM agent version', (it) => it.facts?.agentVersion),
  ];
}

const driven = (result: MeasurementResult) => throughputOf(result)?.main;
const reverse = (result: MeasurementResult) => throughputOf(result)?.reverse;

function throughputColumns(
  prefix: '' | 'reverse_',
  whose: string,
  select: (result: MeasurementResult) => ThroughputStatistics | undefined,
): readonly MeasurementColumn[] {
  const quantile = (key: keyof ThroughputQuantiles, word: string) =>
    of(`${prefix}throughput_${key}_bits_per_second`, 'double', `${word} throughput ${whose}`, (result) => {
      return select(result)?.throughputBitsPerSecond?.[key];
    });
  const total = (name: string, type: ColumnType, what: string, key: keyof ThroughputStatistics) =>
    of(`${prefix}${name}`, type, `${what} ${whose}`, (result) => select(result)?.[key]);
  return [
    quantile('mean', 'Mean'),
    quantile('p5', '5th percentile of the'),
    quantile('p50', 'Median'),
    quantile('p95', '95th percentile of the'),
    quantile('min', 'Lowest'),
    quantile('max', 'Highest'),
    total('retransmits', 'bigint', 'TCP segments sent again', 'retransmits'),
    total('lost_packets', 'bigint', 'UDP datagrams lost', 'lostPackets'),
    total('sent_packets', 'bigint', 'UDP datagrams sent', 'sentPackets'),
    total('jitter_micros', 'double', 'Jitter of UDP datagrams', 'jitterMicros'),
  ];
}

const RTT_NAMES: Readonly<Record<keyof RttQuantiles, readonly [name: string, word: string]>> = {
  mean: ['mean', 'mean'],
  stdDev: ['std_dev', 'standard deviation'],
  min: ['min', 'shortest'],
  p25: ['p25', '25th percentile'],
  p50: ['p50', 'median'],
  p75: ['p75', '75th percentile'],
  p90: ['p90', '90th percentile'],
  p95: ['p95', '95th percentile'],
  p99: ['p99', '99th percentile'],
  p99_5: ['p99_5', '99.5th percentile'],
  p99_9: ['p99_9', '99.9th percentile'],
  p99_99: ['p99_99', '99.99th percentile'],
  p99_999: ['p99_999', '99.999th percentile'],
  max: ['max', 'longest'],
};

const latencyColumns: readonly MeasurementColumn[] = [
  ...(Object.keys(RTT_NAMES) as (keyof RttQuantiles)[]).map((key) =>
    of(`rtt_${RTT_NAMES[key][0]}_micros`, 'double', `Round trip, ${RTT_NAMES[key][1]}`, (result) => {
      return latencyOf(result)?.rttMicros?.[key];
    }),
  ),
  of('observations', 'bigint', 'Round trips observed', (result) => latencyOf(result)?.observations),
  of('dropped_messages', 'bigint', 'Messages lost', (result) => latencyOf(result)?.droppedMessages),
  of('duplicated_messages', 'bigint', 'Messages received twice', (result) => {
    return latencyOf(result)?.duplicatedMessages;
  }),
  of('out_of_order_messages', 'bigint', 'Messages out of order', (result) => {
    return latencyOf(result)?.outOfOrderMessages;
  }),
  of('transactions_per_second', 'double', 'One message at a time: round trips per second', (result) => {
    return latencyOf(result)?.transactionsPerSecond;
  }),
];

function publishedColumns(role: HostRole): readonly MeasurementColumn[] {
  const published = (name: string, type: ColumnType, what: string, value: (facts: InstanceTypeFacts) => unknown) =>
    of(`published_${role}_${name}`, type, `${what} published for the ${role}'s type`, (result) => {
      const facts = role === 'client' ? result.publishedClient : result.publishedServer;
      return facts && value(facts);
    });
  return [
    published('baseline_bits_per_second', 'bigint', 'Baseline bandwidth', (it) => it.baselineBitsPerSecond),
    published('peak_bits_per_second', 'bigint', 'Peak bandwidth', (it) => it.peakBitsPerSecond),
    published('network_performance', 'string', 'Network performance in words', (it) => it.networkPerformance),
  ];
}

const loaded = (result: MeasurementResult) => driven(result)?.loadedLatency;

function loadedColumns(when: 'before' | 'after'): readonly MeasurementColumn[] {
  const rtt = (key: 'p50' | 'p99' | 'max', word: string) =>
    of(
      `rtt_${when}_onset_${key}_micros`,
      'double',
      `Latency probe beside the load, ${word} ${when} the onset`,
      (it) => {
        return loaded(it)?.[when]?.rttMicros[key];
      },
    );
  return [
    rtt('p50', 'median round trip'),
    rtt('p99', '99th percentile of the round trips'),
    rtt('max', 'longest round trip'),
    of(`observations_${when}_onset`, 'bigint', `Latency probe: round trips ${when} the onset`, (it) => {
      return loaded(it)?.[when]?.observations;
    }),
  ];
}

const streamColumns: readonly MeasurementColumn[] = [
  of('stream_bits_per_second', 'array<double>', 'Throughput of each stream that is a program of its own', (it) =>
    driven(it)?.streams?.map((stream) => stream.throughputBitsPerSecond),
  ),
  of('straggler_count', 'bigint', 'Streams that were clearly slower than the others', (it) => {
    return driven(it)?.streams?.filter((stream) => stream.isStraggler).length;
  }),
  ...(['client', 'server'] as const).flatMap((role) => {
    const cpu = (it: MeasurementResult) => toolCpuOf(it)[role === 'client' ? 'clientCpu' : 'serverCpu'];
    const what = `processor time of the tool on the ${role}, percent of one processor`;
    return [
      of(`${role}_user_cpu_percent`, 'double', `User ${what}`, (it) => cpu(it)?.userPercent),
      of(`${role}_system_cpu_percent`, 'double', `System ${what}`, (it) => cpu(it)?.systemPercent),
    ];
  }),
];

const conditionColumns: readonly MeasurementColumn[] = [
  of('path_mtu_bytes', 'bigint', 'Largest packet that the route carries', (it) => {
    return conditionsOf(it)?.pathMtuBytes;
  }),
  of('hop_count', 'bigint', 'Hops from client to server', (it) => {
    return conditionsOf(it)?.hopCount;
  }),
];

export const MEASUREMENT_COLUMNS: readonly MeasurementColumn[] = [
  ...identityColumns,
  ...hostColumns('client'),
  ...hostColumns('server'),
  ...throughputColumns('', 'of the driven direction (bidirectional: forward)', driven),
  ...throughputColumns('reverse_', 'of the reverse direction, both being driven', reverse),
  ...streamColumns,
  ...latencyColumns,
  ...loadedColumns('before'),
  ...loadedColumns('after'),
  ...conditionColumns,
  ...verdictColumns,
  ...otherVerdictColumns,
  ...publishedColumns('client'),
  ...publishedColumns('server'),
  ...evidenceColumns,
];
