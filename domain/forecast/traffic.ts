/** What a measurement sends over the network, regardless of its tool. */
import type { HostRole } from '../model/host-role';
import type { PlannedMeasurement } from '../model/planned-run';
import type { Protocol } from '../model/settings';
import type { MeasurementWork } from './inputs';
import type { Load } from './drain';

/** Traffic at the full rate of the network, or at a target rate. */
export interface BulkTraffic extends Omit<Load, 'bitsPerSecond'> {
  readonly kind: 'bulk';
  readonly protocol: Protocol;
  /** In each driven direction. */
  readonly flowCount: number;
  readonly directionCount: 1 | 2;
  /** The hosts that send at the full rate. */
  readonly senders: readonly HostRole[];
  /** Over all flows of a direction. */
  readonly targetBitsPerSecond?: number;
  /** A load of packets of this length, with their headers, whose number limits it; absent for a load of bits. */
  readonly packetBytes?: number;
  /** false: the client exchanges objects with the object store. */
  readonly isBetweenHosts: boolean;
  readonly objects?: ObjectTraffic;
}

export interface ObjectTraffic {
  readonly isUpload: boolean;
  readonly flowCount: number;
  readonly objectBytes: number;
  /** A request transfers a range, or the whole object. */
  readonly requestBytes: number;
}

/** Single messages and their replies. */
export interface MessageTraffic {
  readonly kind: 'messages';
  readonly protocol: Protocol;
  readonly messageBytes: number;
  /** Absent where each message follows the reply to the one before. */
  readonly messagesPerSecond?: number;
  readonly durationSeconds: number;
}

/** The payload of ping and tracepath where the plan has no size. */
const ECHO_BYTES = 56;

export function trafficOf(measurement: PlannedMeasurement, work: MeasurementWork): (BulkTraffic | MessageTraffic)[] {
  const { durationSeconds, latencyProbe } = measurement;
  const protocol = measurement.protocol ?? 'tcp';
  const probe: MessageTraffic[] =
    latencyProbe === undefined ? [] : [{ kind: 'messages', protocol: 'udp', durationSeconds, ...latencyProbe }];
  if (work.kind === 'throughput') return [bulkTraffic(measurement, work), ...probe];
  if (work.kind === 'packets') return [packetTraffic(measurement, work)];

  const messagesPerSecond =
    measurement.messagesPerSecond ??
    (measurement.packetCount === undefined ? undefined : measurement.packetCount / durationSeconds);
  return [
    {
      kind: 'messages',
      protocol,
      messageBytes: measurement.messageBytes ?? ECHO_BYTES,
      messagesPerSecond: work.kind === 'conditions' ? (messagesPerSecond ?? 1) : messagesPerSecond,
      durationSeconds,
    },
  ];
}

const SENDERS = {
  forward: ['client'],
  reverse: ['server'],
  bidirectional: ['client', 'server'],
} as const satisfies Readonly<Record<string, readonly HostRole[]>>;

function bulkTraffic(measurement: PlannedMeasurement, work: MeasurementWork): BulkTraffic {
  const { durationSeconds, dutyCycle, stopAfterThrottledSeconds, targetBitsPerSecond, objectBytes } = measurement;
  const flowCount = measurement.parallelStreams ?? 1;
  return {
    kind: 'bulk',
    protocol: measurement.protocol ?? 'tcp',
    flowCount,
    directionCount: measurement.direction === 'bidirectional' ? 2 : 1,
    senders: SENDERS[measurement.direction ?? 'forward'],
    durationSeconds,
    dutyCycle,
    stopAfterThrottledSeconds,
    // For iperf3 a target of 0 means no limit.
    targetBitsPerSecond: targetBitsPerSecond === 0 ? undefined : targetBitsPerSecond,
    isBetweenHosts: work.isBetweenHosts,
    objects:
      work.isBetweenHosts || objectBytes === undefined
        ? undefined
        : {
            isUpload: measurement.mode === 'upload',
            flowCount,
            objectBytes,
            requestBytes: measurement.rangeBytes ?? objectBytes,
          },
  };
}

const IP_AND_UDP_HEADER_BYTES = 28;
const IP_AND_TCP_HEADER_BYTES = 40;

/** Headers are a large part of small packets, and are charged too. */
function packetTraffic(measurement: PlannedMeasurement, work: MeasurementWork): BulkTraffic {
  const { protocol, datagramBytes = 0, mssBytes = 0, targetBitsPerSecond } = measurement;
  const [payloadBytes, headerBytes] =
    protocol === 'udp' ? [datagramBytes, IP_AND_UDP_HEADER_BYTES] : [mssBytes, IP_AND_TCP_HEADER_BYTES];
  const packetBytes = payloadBytes + headerBytes;
  return {
    ...bulkTraffic(measurement, work),
    targetBitsPerSecond: targetBitsPerSecond && (targetBitsPerSecond * packetBytes) / payloadBytes,
    packetBytes,
  };
}
