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
  /** Number of flows in each driven direction. */
  readonly flowCount: number;
  /** The hosts that send at the full rate: one for each driven direction. */
  readonly senders: readonly HostRole[];
  /** The offered rate over all flows of a direction. */
  readonly targetBitsPerSecond?: number;
  /** Packet length, headers included, of a load that is limited by its number of packets; absent for a load of bits. */
  readonly packetBytes?: number;
  /** false if the client exchanges objects with the object store instead. */
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

export interface MessageTraffic {
  readonly kind: 'messages';
  readonly protocol: Protocol;
  readonly messageBytes: number;
  /** Absent if each message waits for the reply to the one before. */
  readonly messagesPerSecond?: number;
  readonly durationSeconds: number;
}

/** The payload of ping and tracepath if the plan sets no size. */
const ECHO_BYTES = 56;

export function trafficOf(measurement: PlannedMeasurement, work: MeasurementWork): (BulkTraffic | MessageTraffic)[] {
  const { durationSeconds, latencyProbe } = measurement;
  const probe: MessageTraffic[] =
    latencyProbe === undefined ? [] : [{ kind: 'messages', protocol: 'udp', durationSeconds, ...latencyProbe }];
  if (work.kind === 'throughput') return [bulkTraffic(measurement, work), ...probe];
  if (work.kind === 'packets') return [packetTraffic(measurement, work)];

  const { protocol = 'tcp', messageBytes = ECHO_BYTES, packetCount } = measurement;
  const messagesPerSecond =
    measurement.messagesPerSecond ??
    (packetCount === undefined ? undefined : packetCount / durationSeconds) ??
    (work.kind === 'conditions' ? 1 : undefined);
  return [{ kind: 'messages', protocol, messageBytes, messagesPerSecond, durationSeconds }];
}

const SENDERS = {
  forward: ['client'],
  reverse: ['server'],
  bidirectional: ['client', 'server'],
} as const satisfies Readonly<Record<string, readonly HostRole[]>>;

function bulkTraffic(measurement: PlannedMeasurement, { isBetweenHosts }: MeasurementWork): BulkTraffic {
  const { durationSeconds, dutyCycle, stopAfterThrottledSeconds, targetBitsPerSecond } = measurement;
  const { protocol = 'tcp', parallelStreams: flowCount = 1, direction = 'forward' } = measurement;
  const { mode, objectBytes, rangeBytes } = measurement;
  const objects =
    isBetweenHosts || objectBytes === undefined
      ? undefined
      : { isUpload: mode === 'upload', flowCount, objectBytes, requestBytes: rangeBytes ?? objectBytes };
  return {
    kind: 'bulk',
    protocol,
    flowCount,
    senders: SENDERS[direction],
    durationSeconds,
    dutyCycle,
    stopAfterThrottledSeconds,
    targetBitsPerSecond,
    isBetweenHosts,
    objects,
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
