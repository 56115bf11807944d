/** What a forecast is made from. Plans, pairs and measurements satisfy these as they are. */
import type { PriceTable } from './prices/price-table';

/** What EC2 publishes of a type. Absent is not published, which is never 0. */
export interface ForecastInstanceType {
  readonly instanceType: string;
  readonly vcpuCount: number;
  readonly baselineBitsPerSecond?: number;
  readonly peakBitsPerSecond?: number;
}

/** The burst of an instance type as it was measured, by us before or by others in public. */
export interface KnownBucket {
  readonly instanceType: string;
  /** The fastest that was seen. */
  readonly burstBitsPerSecond: number;
  readonly baselineBitsPerSecond: number;
  /** Traffic above the baseline that full credits allow: median, and where known the least and the most that was seen. */
  readonly bucketBits: number;
  readonly bucketLowBits?: number;
  readonly bucketHighBits?: number;
  /** Measurements it is from. */
  readonly measurementCount: number;
}

export interface ForecastMeasurement {
  readonly measurementId: string;
  /** Index into `plan.measurements`. */
  readonly planMeasurementIndex: number;
  readonly notApplicable?: string;
  /** At most, where it may end earlier. */
  readonly durationSeconds: number;
  readonly protocol?: 'tcp' | 'udp';
  readonly mode?: string;
  readonly direction?: 'forward' | 'reverse' | 'bidirectional';
  readonly parallelStreams?: number;
  /** Over all streams of a direction. */
  readonly targetBitsPerSecond?: number;
  readonly messageBytes?: number;
  readonly messagesPerSecond?: number;
  readonly objectBytes?: number;
  readonly rangeBytes?: number;
  readonly packetCount?: number;
  readonly packetBytes?: number;
  readonly dutyCycle?: { readonly onSeconds: number; readonly offSeconds: number };
  readonly stopAfterThrottledSeconds?: number;
  readonly latencyProbe?: { readonly messageBytes: number; readonly messagesPerSecond: number };
}

export interface ForecastPair<Measurement extends ForecastMeasurement = ForecastMeasurement> {
  readonly pairId: string;
  /** Index into `plan.pairs`. */
  readonly planPairIndex: number;
  readonly clientType: string;
  readonly serverType: string;
  readonly zoneRelation: 'same_zone' | 'other_zone';
  readonly placement: 'none' | 'cluster' | 'spread' | 'partition';
  readonly path: 'private' | 'public' | 'nlb' | 'peering';
  readonly enaExpress: 'off' | 'one_side' | 'both';
  readonly enaExpressUdp: boolean;
  /** How long the hosts may live. */
  readonly lifetimeSeconds: number;
  readonly measurements: readonly Measurement[];
}

/** What the tool's own module knows of a measurement. */
export interface MeasurementWork {
  readonly kind: 'throughput' | 'latency' | 'conditions';
  /** Whether a host serves it; otherwise the other end is the object store. */
  readonly isBetweenHosts: boolean;
  /** Its command, start to end. */
  readonly expectedSeconds: number;
  /** Serving and measuring, at most. */
  readonly limitSeconds: number;
}

export interface ForecastInput<Measurement extends ForecastMeasurement = ForecastMeasurement> {
  readonly pairs: readonly ForecastPair<Measurement>[];
  /** How many pairs are alive at once. */
  readonly concurrency: number;
  /** By name; a type that nobody knows is absent. */
  readonly instanceTypes: Readonly<Record<string, ForecastInstanceType>>;
  readonly prices: PriceTable;
  /** Buckets that earlier runs of this account found, before which all others step back. */
  readonly earlierBuckets?: readonly KnownBucket[];
  readonly workOf: (measurement: Measurement) => MeasurementWork;
}
