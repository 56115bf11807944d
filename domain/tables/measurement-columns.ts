/** The columns of `measurements`: subject, place, status, figures, verdict. New columns are appended. */
import { cellInWords, cellOf } from '../model/cell';
import { CONDITIONS } from '../model/conditions';
import { HOST_ROLES, type HostRole } from '../model/host-role';
import { PERCENTILE_FIELDS, PERCENTILES } from '../model/percentiles';
import type { MeasuredHost, MeasurementResult } from '../model/result';
import { SETTINGS } from '../model/settings';
import { conditionsOf, latencyOf, packetsOf, throughputOf, toolCpuOf } from '../model/statistics';
import type { CpuShare, RttQuantiles, ThroughputQuantiles, ThroughputStatistics } from '../model/statistics';
import { column, columnsOfSettings, fieldColumns, renamedColumns, type ColumnOf, type FieldColumn } from './column';
import { IS_DISPLACED_COMMENT, REGION } from './cost-columns';
import { evidenceColumns, otherKindsColumns, verdictColumns } from './verdict-columns';

type MeasurementColumns = readonly ColumnOf<MeasurementResult>[];

const resultColumns = (fields: Readonly<Partial<Record<keyof MeasurementResult, FieldColumn>>>) =>
  fieldColumns((result: MeasurementResult) => result, fields);

const ofHost = (role: HostRole, columns: MeasurementColumns) => renamedColumns(columns, `${role}_`, `of the ${role}`);

const hostFields = <Fields>(
  role: HostRole,
  fieldsOf: (host: MeasuredHost) => Fields | undefined,
  fields: Readonly<Partial<Record<keyof Fields, FieldColumn>>>,
) => fieldColumns((result: MeasurementResult) => result[role] && fieldsOf(result[role]), fields);

const hostColumns = (role: HostRole) =>
  ofHost(role, [
    ...hostFields(role, (host) => host, {
      instanceId: ['string', 'Instance id'],
      zone: ['string', 'Availability zone'],
      imageId: ['string', 'AMI'],
    }),
    ...hostFields(role, ({ facts }) => facts, {
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
    ...hostFields(role, ({ enaSrdPackets }) => enaSrdPackets, {
      sent: ['bigint', 'Packets sent by ENA Express while it was measured,', 'ena_srd_sent_packets'],
      eligible: ['bigint', 'Packets sent that ENA Express could have carried,', 'ena_srd_eligible_packets'],
      received: ['bigint', 'Packets received by ENA Express while it was measured,', 'ena_srd_received_packets'],
    }),
    ...hostFields(role, ({ facts }) => facts, {
      congestionControl: ['string', 'TCP congestion control'],
      clockSource: ['string', 'Reference clock'],
      clockOffsetMicros: ['double', 'Offset from the reference clock'],
      agentVersion: ['string', 'SSM agent version'],
    }),
  ]);

const networkColumns = (role: HostRole) =>
  ofHost(
    role,
    hostFields(role, (host) => host, { subnetId: ['string', 'Subnet'], vpcId: ['string', 'VPC'] }),
  );

const kernelColumns = (role: HostRole) =>
  ofHost(
    role,
    hostFields(role, ({ facts }) => facts, {
      cpuModel: ['string', 'Model of the processors'],
      rxRingLength: ['bigint', 'Packets that the receive ring of the measured interface holds,'],
      txRingLength: ['bigint', 'Packets that the send ring of the measured interface holds,'],
      hasByteQueueLimits: ['boolean', 'Whether the kernel limits the bytes in the send queues (BQL),'],
      queueDisciplines: ['string', 'Kinds of queueing disciplines of the measured interface, from the root on,'],
      tcpLimitOutputBytes: ['bigint', 'net.ipv4.tcp_limit_output_bytes'],
      hasTcpAutocorking: ['boolean', 'Whether net.ipv4.tcp_autocorking is on,'],
    }),
  );

const cpuColumns = (role: HostRole, fields: Readonly<Partial<Record<keyof CpuShare, FieldColumn>>>) =>
  fieldColumns((result: MeasurementResult) => toolCpuOf(result)[`${role}Cpu`], fields);

const QUANTILES = {
  mean: 'Mean',
  p5: '5th percentile of the',
  p50: 'Median',
  p95: '95th percentile of the',
  min: 'Lowest',
  max: 'Highest',
} as const satisfies Record<keyof ThroughputQuantiles, string>;

function quantileColumns(
  quantilesOf: (result: MeasurementResult) => ThroughputQuantiles | undefined,
  nameOf: (quantile: string) => string,
  words: string,
): MeasurementColumns {
  return (Object.keys(QUANTILES) as (keyof typeof QUANTILES)[]).map((quantile) =>
    column(nameOf(quantile), 'double', `${QUANTILES[quantile]} ${words}`, (result) => quantilesOf(result)?.[quantile]),
  );
}

/** For a measurement of packets, the columns of the driven direction hold the tool's own counts. */
const driven = (result: MeasurementResult): ThroughputStatistics | undefined =>
  throughputOf(result)?.main ?? packetsOf(result);

const throughputColumns = (statisticsOf: (result: MeasurementResult) => ThroughputStatistics | undefined) => [
  ...quantileColumns(
    (result) => statisticsOf(result)?.throughputBitsPerSecond,
    (quantile) => `throughput_${quantile}_bits_per_second`,
    'throughput',
  ),
  ...fieldColumns(statisticsOf, {
    retransmits: ['bigint', 'TCP segments sent again'],
    lostPackets: ['bigint', 'UDP datagrams lost'],
    sentPackets: ['bigint', 'UDP datagrams sent'],
    jitterMicros: ['double', 'Jitter of UDP datagrams'],
  }),
];

const rttColumn = (key: keyof RttQuantiles, word: string, name: string = key) =>
  column(`rtt_${name}_micros`, 'double', `Round trip, ${word}`, (result: MeasurementResult) => {
    return latencyOf(result)?.rttMicros?.[key];
  });

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
  const beside = 'Latency probe during the load,';
  return [
    ...fieldColumns((result: MeasurementResult) => roundTrips(result)?.rttMicros, {
      p50: ['double', `${beside} median round trip ${when} the onset`, `rtt_${when}_onset_p50_micros`],
      p99: ['double', `${beside} 99th percentile of the round trips ${when} the onset`, `rtt_${when}_onset_p99_micros`],
      max: ['double', `${beside} longest round trip ${when} the onset`, `rtt_${when}_onset_max_micros`],
    }),
    ...fieldColumns(roundTrips, {
      observations: ['bigint', `Latency probe: round trips ${when} the onset`, `observations_${when}_onset`],
    }),
  ];
}

const BEYOND = 'packets beyond an allowance';

export const MEASUREMENT_COLUMNS: MeasurementColumns = [
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
  ...columnsOfSettings(SETTINGS, (result: MeasurementResult) => result),
  ...resultColumns({
    clientType: ['string', 'Instance type of the client'],
    serverType: ['string', 'Instance type of the server'],
  }),
  ...columnsOfSettings(CONDITIONS, (result: MeasurementResult) => result),
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
  ...HOST_ROLES.flatMap(hostColumns),
  ...renamedColumns(throughputColumns(driven), '', 'of the driven direction (bidirectional: forward)'),
  ...renamedColumns(
    throughputColumns((result) => throughputOf(result)?.reverse),
    'reverse_',
    'of the reverse direction, both being driven',
  ),
  column(
    'stream_bits_per_second',
    'array<double>',
    'Throughput of each stream that is a program of its own',
    (result) => driven(result)?.streams?.map((stream) => stream.throughputBitsPerSecond),
  ),
  column('straggler_count', 'bigint', 'Streams that were clearly slower than the others', (result) => {
    return driven(result)?.streams?.filter((stream) => stream.isStraggler).length;
  }),
  ...HOST_ROLES.flatMap((role) => {
    const what = `processor time of the tool on the ${role}, percent of one processor`;
    return cpuColumns(role, {
      userPercent: ['double', `User ${what}`, `${role}_user_cpu_percent`],
      systemPercent: ['double', `System ${what}`, `${role}_system_cpu_percent`],
    });
  }),
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
  ...loadedColumns('before'),
  ...loadedColumns('after'),
  ...fieldColumns((result: MeasurementResult) => conditionsOf(result), {
    pathMtuBytes: ['bigint', 'Largest packet that the route carries'],
    hopCount: ['bigint', 'Hops from client to server'],
  }),
  ...verdictColumns,
  ...HOST_ROLES.flatMap(publishedColumns),
  ...evidenceColumns,
  ...quantileColumns(
    (result) => packetsOf(result)?.packetsPerSecond,
    (quantile) => `${quantile}_packets_per_second`,
    'packets that arrived',
  ),
  ...fieldColumns((result: MeasurementResult) => packetsOf(result), {
    sentPacketsPerSecond: ['double', "Packets that the sender's interface passed on, whether they arrived or not"],
    packetBytes: ['bigint', 'Mean length of a packet that arrived, headers included'],
    clientPpsAllowanceExceeded: ['bigint', `On the client, ${BEYOND}: packet rate`],
    serverPpsAllowanceExceeded: ['bigint', `On the server, ${BEYOND}: packet rate`],
    clientConntrackAllowanceExceeded: ['bigint', `On the client, ${BEYOND}: tracked connections`],
    serverConntrackAllowanceExceeded: ['bigint', `On the server, ${BEYOND}: tracked connections`],
  }),
  ...otherKindsColumns,
  ...HOST_ROLES.flatMap((role) =>
    hostFields(role, (host) => host, {
      zoneId: ['string', `Id of the zone of the ${role}, the same in every account`, `${role}_zone_id`],
    }),
  ),
  ...resultColumns({ isDisplaced: ['boolean', IS_DISPLACED_COMMENT] }),
  ...HOST_ROLES.flatMap(networkColumns),
  ...HOST_ROLES.flatMap((role) =>
    cpuColumns(role, {
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
      'Whose processors other work kept busy, in words, so that figures may show that instead of the network; else NULL',
    ],
  }),
  ...HOST_ROLES.flatMap(kernelColumns),
  ...fieldColumns((result: MeasurementResult) => result.scaledModel, {
    name: ['string', 'Name of the scaled model of EC2 that was measured; NULL on EC2 itself', 'scaled_model'],
    rateDivisor: ['double', "How many times higher EC2's rates are; NULL on EC2 itself", 'scaled_model_rate_divisor'],
    timeDivisor: [
      'double',
      'How many times longer credits last on EC2; NULL on EC2 itself',
      'scaled_model_time_divisor',
    ],
  }),
  ...resultColumns(REGION),
];
