/** What a measurement puts on the wire, in words of no tool. */
import type { ForecastMeasurement, MeasurementWork } from './inputs';
import type { Load } from './drain';

/** As much as goes, or up to a rate. */
export interface BulkTraffic extends Omit<Load, 'bitsPerSecond'> {
  readonly kind: 'bulk';
  readonly protocol: 'tcp' | 'udp';
  /** In each driven direction. */
  readonly flowCount: number;
  readonly directionCount: 1 | 2;
  /** Over all flows of a direction. */
  readonly targetBitsPerSecond?: number;
  /** Otherwise the client's other end is the object store. */
  readonly isBetweenHosts: boolean;
  readonly objects?: ObjectTraffic;
}

export interface ObjectTraffic {
  readonly isUpload: boolean;
  /** What is stored as one. */
  readonly objectBytes: number;
  /** What one request carries. */
  readonly requestBytes: number;
}

/** Single messages and their replies. */
export interface MessageTraffic {
  readonly kind: 'messages';
  readonly protocol: 'tcp' | 'udp';
  readonly messageBytes: number;
  /** Absent: each follows the reply to the one before. */
  readonly messagesPerSecond?: number;
  readonly durationSeconds: number;
}

/** Of an echo request where the plan says nothing else. */
const ECHO_BYTES = 56;

export function trafficOf(measurement: ForecastMeasurement, work: MeasurementWork): (BulkTraffic | MessageTraffic)[] {
  const { durationSeconds, latencyProbe } = measurement;
  const protocol = measurement.protocol ?? 'tcp';
  const probe: MessageTraffic[] =
    latencyProbe === undefined ? [] : [{ kind: 'messages', protocol: 'udp', durationSeconds, ...latencyProbe }];
  if (work.kind === 'throughput') return [bulkTraffic(measurement, work), ...probe];

  const messagesPerSecond =
    measurement.messagesPerSecond ??
    (measurement.packetCount === undefined ? undefined : measurement.packetCount / durationSeconds);
  return [
    {
      kind: 'messages',
      protocol,
      messageBytes: measurement.messageBytes ?? measurement.packetBytes ?? ECHO_BYTES,
      ...(work.kind === 'conditions' ? { messagesPerSecond: messagesPerSecond ?? 1 } : { messagesPerSecond }),
      durationSeconds,
    },
  ];
}

function bulkTraffic(measurement: ForecastMeasurement, work: MeasurementWork): BulkTraffic {
  const { durationSeconds, dutyCycle, stopAfterThrottledSeconds, targetBitsPerSecond, objectBytes } = measurement;
  return {
    kind: 'bulk',
    protocol: measurement.protocol ?? 'tcp',
    flowCount: measurement.parallelStreams ?? 1,
    directionCount: measurement.direction === 'bidirectional' ? 2 : 1,
    durationSeconds,
    dutyCycle,
    stopAfterThrottledSeconds,
    // A plan's 0 would be iperf3's own word for no limit.
    targetBitsPerSecond: targetBitsPerSecond === 0 ? undefined : targetBitsPerSecond,
    isBetweenHosts: work.isBetweenHosts,
    ...(work.isBetweenHosts || objectBytes === undefined
      ? {}
      : {
          objects: {
            isUpload: measurement.mode === 'upload',
            objectBytes,
            requestBytes: measurement.rangeBytes ?? objectBytes,
          },
        }),
  };
}
