/**
 * The columns of `measurements`, in the order in which a reader wants them: what, where, how it went, how fast, the
 * verdict.
 */
import type { HostRole } from '../model/host-role';
import { cellInWords, cellOf } from '../model/cell';
import { CONDITIONS } from '../model/conditions';
import type { SettingTable } from '../model/setting';
import { SETTINGS } from '../model/settings';
import type { ColumnType } from './column';
import { resultColumn, type MeasurementColumn } from './result-column';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { MeasuredHost, MeasurementResult } from '../model/result';
import { conditionsOf, latencyOf, throughputOf, toolCpuOf } from '../model/statistics';
import type { RttQuantiles, ThroughputQuantiles, ThroughputStatistics } from '../model/statistics';
import { evidenceColumns, otherVerdictColumns, verdictColumns } from './verdict-columns';

/** The columns of a table of settings or conditions. */
function settingColumns(table: SettingTable): MeasurementColumn[] {
  return Object.entries(table).flatMap(([name, { columns }]) =>
    columns.map(({ column: columnName, type, comment, value }) =>
      resultColumn(columnName, type, comment, (result) => {
        const stored = (result as unknown as Readonly<Record<string, unknown>>)[name];
        return stored === undefined ? undefined : value(stored as never);
      }),
    ),
  );
}

const identityColumns: readonly MeasurementColumn[] = [
  resultColumn('run_id', 'string', 'Name of the execution', (result) => result.runId),
  resultColumn('plan_name', 'string', 'Name of the plan', (result) => result.planName),
  resultColumn('pair_id', 'string', 'Pair within the run, p0001', (result) => result.pairId),
  resultColumn('measurement_id', 'string', 'Measurement within the run, p0001-m01', (result) => result.measurementId),
  resultColumn('repetition', 'bigint', 'From 1; each on a fresh pair', (result) => result.repetition),
  resultColumn(
    'pair_repetition',
    'bigint',
    'From 1; on the same pair, of what spends no credits',
    (result) => result.pairRepetition,
  ),
  resultColumn('plan_pair_index', 'bigint', "Which of the plan's pairs, from 0", (result) => result.planPairIndex),
  resultColumn(
    'plan_measurement_index',
    'bigint',
    "Which of the plan's measurements, from 0",
    (result) => result.planMeasurementIndex,
  ),
  resultColumn('tool', 'string', 'Name of the tool, as in the plan', (result) => result.tool),
  resultColumn('tool_version', 'string', 'Version that the tool gave', (result) => result.toolVersion),
  resultColumn('kind', 'string', 'throughput, latency or conditions', (result) => result.kind),
  ...settingColumns(SETTINGS),
  resultColumn('client_type', 'string', 'Instance type of the client', (result) => result.clientType),
  resultColumn('server_type', 'string', 'Instance type of the server', (result) => result.serverType),
  ...settingColumns(CONDITIONS),
  resultColumn('setting', 'string', 'Tool, settings and conditions in words', cellInWords),
  resultColumn('cell', 'string', 'Identity: rows with the same value were measured in the same way', (result) =>
    cellOf(result),
  ),
  resultColumn('status', 'string', 'complete, truncated, failed or not_applicable', (result) => result.status),
  resultColumn('reason', 'string', 'Why the status is not complete', (result) => result.reason),
  resultColumn('started_at', 'string', 'When the tool was started, ISO 8601 UTC', (result) => result.startedAt),
  resultColumn('ended_at', 'string', 'When the tool ended, ISO 8601 UTC', (result) => result.endedAt),
  resultColumn('sample_count', 'bigint', 'One-second samples of throughput', (result) => result.sampleCount),
];

function hostColumns(role: HostRole): readonly MeasurementColumn[] {
  const host = (name: string, type: ColumnType, what: string, value: (host: MeasuredHost) => unknown) =>
    resultColumn(`${role}_${name}`, type, `${what} of the ${role}`, (result) => result[role] && value(result[role]));
  return [
    host('instance_id', 'string', 'Instance id', (host) => host.instanceId),
    host('zone', 'string', 'Availability zone', (host) => host.zone),
    host('image_id', 'string', 'AMI', (host) => host.imageId),
    host('kernel', 'string', 'Kernel release', (host) => host.facts?.kernel),
    host('operating_system', 'string', 'Operating system', (host) => host.facts?.operatingSystem),
    host('architecture', 'string', 'Architecture', (host) => host.facts?.architecture),
    host('vcpu_count', 'bigint', 'vCPUs', (host) => host.facts?.vcpuCount),
    host('network_interface', 'string', 'Name of the measured interface', (host) => host.facts?.networkInterface),
    host('network_driver', 'string', 'Network driver', (host) => host.facts?.networkDriver),
    host(
      'network_driver_version',
      'string',
      'Version of the network driver',
      (host) => host.facts?.networkDriverVersion,
    ),
    host('queue_count', 'bigint', 'Network queues', (host) => host.facts?.queueCount),
    host('mtu_bytes', 'bigint', 'MTU of the measured interface', (host) => host.facts?.mtuBytes),
    host(
      'ena_srd_mode',
      'bigint',
      'ENA Express as the driver has it (bit 0 on, bit 1 for UDP),',
      (host) => host.facts?.enaSrdMode,
    ),
    host(
      'ena_srd_sent_packets',
      'bigint',
      'Packets sent by ENA Express while it was measured,',
      (host) => host.enaSrdPackets?.sent,
    ),
    host(
      'ena_srd_eligible_packets',
      'bigint',
      'Packets sent that ENA Express could have carried,',
      (host) => host.enaSrdPackets?.eligible,
    ),
    host(
      'ena_srd_received_packets',
      'bigint',
      'Packets received by ENA Express while it was measured,',
      (host) => host.enaSrdPackets?.received,
    ),
    host('congestion_control', 'string', 'TCP congestion control', (host) => host.facts?.congestionControl),
    host('clock_source', 'string', 'Reference clock', (host) => host.facts?.clockSource),
    host('clock_offset_micros', 'double', 'Offset from the reference clock', (host) => host.facts?.clockOffsetMicros),
    host('agent_version', 'string', 'SSM agent version', (host) => host.facts?.agentVersion),
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
    resultColumn(`${prefix}throughput_${key}_bits_per_second`, 'double', `${word} throughput ${whose}`, (result) => {
      return select(result)?.throughputBitsPerSecond?.[key];
    });
  const total = (name: string, type: ColumnType, what: string, key: keyof ThroughputStatistics) =>
    resultColumn(`${prefix}${name}`, type, `${what} ${whose}`, (result) => select(result)?.[key]);
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
    resultColumn(`rtt_${RTT_NAMES[key][0]}_micros`, 'double', `Round trip, ${RTT_NAMES[key][1]}`, (result) => {
      return latencyOf(result)?.rttMicros?.[key];
    }),
  ),
  resultColumn('observations', 'bigint', 'Round trips observed', (result) => latencyOf(result)?.observations),
  resultColumn('dropped_messages', 'bigint', 'Messages lost', (result) => latencyOf(result)?.droppedMessages),
  resultColumn('duplicated_messages', 'bigint', 'Messages received twice', (result) => {
    return latencyOf(result)?.duplicatedMessages;
  }),
  resultColumn('out_of_order_messages', 'bigint', 'Messages out of order', (result) => {
    return latencyOf(result)?.outOfOrderMessages;
  }),
  resultColumn('transactions_per_second', 'double', 'One message at a time: round trips per second', (result) => {
    return latencyOf(result)?.transactionsPerSecond;
  }),
];

function publishedColumns(role: HostRole): readonly MeasurementColumn[] {
  const published = (name: string, type: ColumnType, what: string, value: (facts: InstanceTypeFacts) => unknown) =>
    resultColumn(`published_${role}_${name}`, type, `${what} published for the ${role}'s type`, (result) => {
      const facts = role === 'client' ? result.publishedClient : result.publishedServer;
      return facts && value(facts);
    });
  return [
    published('baseline_bits_per_second', 'bigint', 'Baseline bandwidth', (facts) => facts.baselineBitsPerSecond),
    published('peak_bits_per_second', 'bigint', 'Peak bandwidth', (facts) => facts.peakBitsPerSecond),
    published('network_performance', 'string', 'Network performance in words', (facts) => facts.networkPerformance),
  ];
}

const loaded = (result: MeasurementResult) => driven(result)?.loadedLatency;

function loadedColumns(when: 'before' | 'after'): readonly MeasurementColumn[] {
  const rtt = (key: 'p50' | 'p99' | 'max', word: string) =>
    resultColumn(
      `rtt_${when}_onset_${key}_micros`,
      'double',
      `Latency probe beside the load, ${word} ${when} the onset`,
      (result) => {
        return loaded(result)?.[when]?.rttMicros[key];
      },
    );
  return [
    rtt('p50', 'median round trip'),
    rtt('p99', '99th percentile of the round trips'),
    rtt('max', 'longest round trip'),
    resultColumn(`observations_${when}_onset`, 'bigint', `Latency probe: round trips ${when} the onset`, (result) => {
      return loaded(result)?.[when]?.observations;
    }),
  ];
}

const streamColumns: readonly MeasurementColumn[] = [
  resultColumn(
    'stream_bits_per_second',
    'array<double>',
    'Throughput of each stream that is a program of its own',
    (result) => driven(result)?.streams?.map((stream) => stream.throughputBitsPerSecond),
  ),
  resultColumn('straggler_count', 'bigint', 'Streams that were clearly slower than the others', (result) => {
    return driven(result)?.streams?.filter((stream) => stream.isStraggler).length;
  }),
  ...(['client', 'server'] as const).flatMap((role) => {
    const cpu = (result: MeasurementResult) => toolCpuOf(result)[role === 'client' ? 'clientCpu' : 'serverCpu'];
    const what = `processor time of the tool on the ${role}, percent of one processor`;
    return [
      resultColumn(`${role}_user_cpu_percent`, 'double', `User ${what}`, (result) => cpu(result)?.userPercent),
      resultColumn(`${role}_system_cpu_percent`, 'double', `System ${what}`, (result) => cpu(result)?.systemPercent),
    ];
  }),
];

const conditionColumns: readonly MeasurementColumn[] = [
  resultColumn('path_mtu_bytes', 'bigint', 'Largest packet that the route carries', (result) => {
    return conditionsOf(result)?.pathMtuBytes;
  }),
  resultColumn('hop_count', 'bigint', 'Hops from client to server', (result) => {
    return conditionsOf(result)?.hopCount;
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
