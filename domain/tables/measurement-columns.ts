/**
 * The columns of `measurements`, in the order in which a reader wants them: what, where, how it went, how fast, the
 * verdict.
 */
import { cellInWords, cellOf } from '../model/cell';
import { CONDITIONS } from '../model/conditions';
import type { HostRole } from '../model/host-role';
import { PERCENTILE_FIELDS, PERCENTILES } from '../model/percentiles';
import type { MeasurementResult } from '../model/result';
import { settingColumns, type SettingTable } from '../model/setting';
import { SETTINGS } from '../model/settings';
import { conditionsOf, latencyOf, packetsOf, throughputOf, toolCpuOf } from '../model/statistics';
import type { RttQuantiles, ThroughputQuantiles, ThroughputStatistics } from '../model/statistics';
import { IS_DISPLACED_COMMENT } from './cost-columns';
import { column, fieldColumns, renamedColumns, type ColumnOf, type FieldColumn } from './column';
import {
  evidenceColumns,
  carriedRateColumns,
  otherVerdictColumns,
  latencyVerdictColumns,
  packetVerdictColumns,
  verdictColumns,
} from './verdict-columns';

type MeasurementColumns = readonly ColumnOf<MeasurementResult>[];

/** The columns of a table of settings or conditions. */
function columnsOf(table: SettingTable): MeasurementColumns {
  return settingColumns(table).map(({ column: name, type, comment, value }) =>
    column(name, type, comment, (result: MeasurementResult) => value({ ...result })),
  );
}

const resultColumns = (fields: Readonly<Partial<Record<keyof MeasurementResult, FieldColumn>>>) =>
  fieldColumns((result: MeasurementResult) => result, fields);

const identityColumns: MeasurementColumns = [
  ...resultColumns({
    runId: ['string', 'Name of the execution'],
    planName: ['string', 'Name of the plan'],
    pairId: ['string', 'Pair within the run, p0001'],
    measurementId: ['string', 'Measurement within the run, p0001-m01'],
    repetition: ['bigint', 'From 1; each on a fresh pair'],
    pairRepetition: ['bigint', 'From 1; on the same pair, of what spends no credits'],
    planPairIndex: ['bigint', "Which of the plan's pairs, from 0"],
    planMeasurementIndex: ['bigint', "Which of the plan's measurements, from 0"],
    tool: ['string', 'Name of the tool, as in the plan'],
    toolVersion: ['string', 'Version that the tool gave'],
    kind: ['string', 'throughput, latency, conditions or packets'],
  }),
  ...columnsOf(SETTINGS),
  ...resultColumns({
    clientType: ['string', 'Instance type of the client'],
    serverType: ['string', 'Instance type of the server'],
  }),
  ...columnsOf(CONDITIONS),
  column('setting', 'string', 'Tool, settings and conditions in words', cellInWords),
  column('cell', 'string', 'Identity: rows with the same value were measured in the same way', (result) =>
    cellOf(result),
  ),
  ...resultColumns({
    status: ['string', 'complete, truncated, failed or not_applicable'],
    reason: ['string', 'Why the status is not complete'],
    startedAt: ['string', 'When the tool was started, ISO 8601 UTC'],
    endedAt: ['string', 'When the tool ended, ISO 8601 UTC'],
    sampleCount: ['bigint', 'One-second samples of throughput, or of packets'],
  }),
];

function hostColumns(role: HostRole): MeasurementColumns {
  const host = (result: MeasurementResult) => result[role];
  const facts = (result: MeasurementResult) => result[role]?.facts;
  const enaSrdPackets = (result: MeasurementResult) => result[role]?.enaSrdPackets;
  const columns = [
    ...fieldColumns(host, {
      instanceId: ['string', 'Instance id'],
      zone: ['string', 'Availability zone'],
      imageId: ['string', 'AMI'],
    }),
    ...fieldColumns(facts, {
      kernel: ['string', 'Kernel release'],
      operatingSystem: ['string', 'Operating system'],
      architecture: ['string', 'Architecture'],
      vcpuCount: ['bigint', 'vCPUs'],
      networkInterface: ['string', 'Name of the measured interface'],
      networkDriver: ['string', 'Network driver'],
      networkDriverVersion: ['string', 'Version of the network driver'],
      queueCount: ['bigint', 'Network queues'],
      mtuBytes: ['bigint', 'MTU of the measured interface'],
      enaSrdMode: ['bigint', 'ENA Express as the driver has it (bit 0 on, bit 1 for UDP),'],
    }),
    ...fieldColumns(enaSrdPackets, {
      sent: ['bigint', 'Packets sent by ENA Express while it was measured,', 'ena_srd_sent_packets'],
      eligible: ['bigint', 'Packets sent that ENA Express could have carried,', 'ena_srd_eligible_packets'],
      received: ['bigint', 'Packets received by ENA Express while it was measured,', 'ena_srd_received_packets'],
    }),
    ...fieldColumns(facts, {
      congestionControl: ['string', 'TCP congestion control'],
      clockSource: ['string', 'Reference clock'],
      clockOffsetMicros: ['double', 'Offset from the reference clock'],
      agentVersion: ['string', 'SSM agent version'],
    }),
  ];
  return renamedColumns(columns, `${role}_`, `of the ${role}`);
}

const driven = (result: MeasurementResult) => throughputOf(result)?.main;
const reverse = (result: MeasurementResult) => throughputOf(result)?.reverse;

/** A measurement of packets has the tool's own counts in the same columns. */
function countsOfPackets(result: MeasurementResult, prefix: '' | 'reverse_'): ThroughputStatistics | undefined {
  const packets = prefix === '' ? packetsOf(result) : undefined;
  return (
    packets && { retransmits: packets.retransmits, lostPackets: packets.lostPackets, sentPackets: packets.sentPackets }
  );
}

function throughputColumns(
  prefix: '' | 'reverse_',
  whose: string,
  select: (result: MeasurementResult) => ThroughputStatistics | undefined,
): MeasurementColumns {
  const quantile = (key: keyof ThroughputQuantiles, word: string) =>
    column(`throughput_${key}_bits_per_second`, 'double', `${word} throughput`, (result: MeasurementResult) => {
      return select(result)?.throughputBitsPerSecond?.[key];
    });
  const columns = [
    quantile('mean', 'Mean'),
    quantile('p5', '5th percentile of the'),
    quantile('p50', 'Median'),
    quantile('p95', '95th percentile of the'),
    quantile('min', 'Lowest'),
    quantile('max', 'Highest'),
    ...fieldColumns((result: MeasurementResult) => select(result) ?? countsOfPackets(result, prefix), {
      retransmits: ['bigint', 'TCP segments sent again'],
      lostPackets: ['bigint', 'UDP datagrams lost'],
      sentPackets: ['bigint', 'UDP datagrams sent'],
      jitterMicros: ['double', 'Jitter of UDP datagrams'],
    }),
  ];
  return renamedColumns(columns, prefix, whose);
}

const rttColumn = (key: keyof RttQuantiles, word: string, name: string = key) =>
  column(`rtt_${name}_micros`, 'double', `Round trip, ${word}`, (result: MeasurementResult) => {
    return latencyOf(result)?.rttMicros?.[key];
  });

const latencyColumns: MeasurementColumns = [
  rttColumn('mean', 'mean'),
  rttColumn('stdDev', 'standard deviation', 'std_dev'),
  rttColumn('min', 'shortest'),
  ...PERCENTILE_FIELDS.map((field) =>
    rttColumn(field, field === 'p50' ? 'median' : `${PERCENTILES[field]}th percentile`),
  ),
  rttColumn('max', 'longest'),
  ...fieldColumns((result: MeasurementResult) => latencyOf(result), {
    observations: ['bigint', 'Round trips observed'],
    droppedMessages: ['bigint', 'Messages lost'],
    duplicatedMessages: ['bigint', 'Messages received twice'],
    outOfOrderMessages: ['bigint', 'Messages out of order'],
    transactionsPerSecond: ['double', 'One message at a time: round trips per second'],
  }),
];

function publishedColumns(role: HostRole): MeasurementColumns {
  const published = role === 'client' ? 'publishedClient' : 'publishedServer';
  const columns = fieldColumns((result: MeasurementResult) => result[published], {
    baselineBitsPerSecond: ['bigint', 'Baseline bandwidth'],
    peakBitsPerSecond: ['bigint', 'Peak bandwidth'],
    networkPerformance: ['string', 'Network performance in words'],
  });
  return renamedColumns(columns, `published_${role}_`, `published for the ${role}'s type`);
}

function loadedColumns(when: 'before' | 'after'): MeasurementColumns {
  const roundTrips = (result: MeasurementResult) => driven(result)?.loadedLatency?.[when];
  const rtt = (key: 'p50' | 'p99' | 'max', word: string) =>
    column(
      `rtt_${when}_onset_${key}_micros`,
      'double',
      `Latency probe beside the load, ${word} ${when} the onset`,
      (result: MeasurementResult) => roundTrips(result)?.rttMicros[key],
    );
  return [
    rtt('p50', 'median round trip'),
    rtt('p99', '99th percentile of the round trips'),
    rtt('max', 'longest round trip'),
    column(`observations_${when}_onset`, 'bigint', `Latency probe: round trips ${when} the onset`, (result) => {
      return roundTrips(result)?.observations;
    }),
  ];
}

const streamColumns: MeasurementColumns = [
  column(
    'stream_bits_per_second',
    'array<double>',
    'Throughput of each stream that is a program of its own',
    (result) => driven(result)?.streams?.map((stream) => stream.throughputBitsPerSecond),
  ),
  column('straggler_count', 'bigint', 'Streams that were clearly slower than the others', (result) => {
    return driven(result)?.streams?.filter((stream) => stream.isStraggler).length;
  }),
  ...(['client', 'server'] as const).flatMap((role) => {
    const what = `processor time of the tool on the ${role}, percent of one processor`;
    return fieldColumns((result: MeasurementResult) => toolCpuOf(result)[`${role}Cpu`], {
      userPercent: ['double', `User ${what}`, `${role}_user_cpu_percent`],
      systemPercent: ['double', `System ${what}`, `${role}_system_cpu_percent`],
    });
  }),
];

const contentionColumns: MeasurementColumns = [
  ...(['client', 'server'] as const).flatMap((role) =>
    fieldColumns((result: MeasurementResult) => toolCpuOf(result)[`${role}Cpu`], {
      waitingPercent: [
        'double',
        `Time in which the tool on the ${role} waited for a processor, percent of one`,
        `${role}_waiting_cpu_percent`,
      ],
      pressurePercent: [
        'double',
        `Time in which anything on the ${role} waited for a processor, percent`,
        `${role}_cpu_pressure_percent`,
      ],
      stealPercent: [
        'double',
        `Time that the hypervisor refused the ${role}, all processors, percent of one`,
        `${role}_steal_cpu_percent`,
      ],
    }),
  ),
  ...resultColumns({
    cpuContention: [
      'string',
      'Whose processors other work kept busy; the figures may show that instead of the network',
    ],
  }),
];

const conditionColumns = fieldColumns((result: MeasurementResult) => conditionsOf(result), {
  pathMtuBytes: ['bigint', 'Largest packet that the route carries'],
  hopCount: ['bigint', 'Hops from client to server'],
});

const packetQuantile = (key: keyof ThroughputQuantiles, word: string) =>
  column(`${key}_packets_per_second`, 'double', `${word} packets that arrived`, (result: MeasurementResult) => {
    return packetsOf(result)?.packetsPerSecond?.[key];
  });

const BEYOND = 'packets beyond an allowance';

const packetColumns: MeasurementColumns = [
  packetQuantile('mean', 'Mean'),
  packetQuantile('p5', '5th percentile of the'),
  packetQuantile('p50', 'Median'),
  packetQuantile('p95', '95th percentile of the'),
  packetQuantile('min', 'Lowest'),
  packetQuantile('max', 'Highest'),
  ...fieldColumns((result: MeasurementResult) => packetsOf(result), {
    sentPacketsPerSecond: ['double', "Packets that the sender's interface passed on, whether they arrived or not"],
    packetBytes: ['bigint', 'Mean length of a packet that arrived, headers included'],
    clientPpsAllowanceExceeded: ['bigint', `On the client, ${BEYOND}: packet rate`],
    serverPpsAllowanceExceeded: ['bigint', `On the server, ${BEYOND}: packet rate`],
    clientConntrackAllowanceExceeded: ['bigint', `On the client, ${BEYOND}: tracked connections`],
    serverConntrackAllowanceExceeded: ['bigint', `On the server, ${BEYOND}: tracked connections`],
  }),
];

const zoneIdColumn = (role: HostRole) =>
  column(
    `${role}_zone_id`,
    'string',
    `Id of the zone of the ${role}, the same in every account`,
    (result: MeasurementResult) => {
      return result[role]?.zoneId;
    },
  );

const kernelColumns = (role: HostRole): MeasurementColumns =>
  renamedColumns(
    fieldColumns((result: MeasurementResult) => result[role]?.facts, {
      cpuModel: ['string', 'Model of the processors'],
      rxRingLength: ['bigint', 'Packets that the receive ring of the measured interface holds,'],
      txRingLength: ['bigint', 'Packets that the send ring of the measured interface holds,'],
      hasByteQueueLimits: ['boolean', 'Whether the kernel limits the bytes in the send queues (BQL),'],
      queueDisciplines: ['string', 'Kinds of queueing disciplines of the measured interface, from the root on,'],
      tcpLimitOutputBytes: ['bigint', 'net.ipv4.tcp_limit_output_bytes'],
      hasTcpAutocorking: ['boolean', 'Whether net.ipv4.tcp_autocorking is on,'],
    }),
    `${role}_`,
    `of the ${role}`,
  );

const networkColumns = (role: HostRole): MeasurementColumns =>
  renamedColumns(
    fieldColumns((result: MeasurementResult) => result[role], {
      subnetId: ['string', 'Subnet'],
      vpcId: ['string', 'VPC'],
    }),
    `${role}_`,
    `of the ${role}`,
  );

const placeColumns: MeasurementColumns = [
  zoneIdColumn('client'),
  zoneIdColumn('server'),
  ...resultColumns({ isDisplaced: ['boolean', IS_DISPLACED_COMMENT] }),
  ...networkColumns('client'),
  ...networkColumns('server'),
];

const scaledModelColumns: MeasurementColumns = fieldColumns((result: MeasurementResult) => result.scaledModel, {
  name: ['string', 'Name of the scaled model of EC2 that was measured; NULL on EC2 itself', 'scaled_model'],
  rateDivisor: ['double', "EC2's rates are so many times higher; NULL on EC2 itself", 'scaled_model_rate_divisor'],
  timeDivisor: ['double', 'On EC2, credits last so many times longer; NULL on EC2 itself', 'scaled_model_time_divisor'],
});

export const MEASUREMENT_COLUMNS: MeasurementColumns = [
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
  ...carriedRateColumns,
  ...otherVerdictColumns,
  ...publishedColumns('client'),
  ...publishedColumns('server'),
  ...evidenceColumns,
  ...packetColumns,
  ...packetVerdictColumns,
  ...latencyVerdictColumns,
  ...placeColumns,
  ...contentionColumns,
  ...kernelColumns('client'),
  ...kernelColumns('server'),
  ...scaledModelColumns,
];
