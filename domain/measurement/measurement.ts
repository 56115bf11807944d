/**
 * The words of a measurement: what was planned, what was sampled, what it comes to. Rates in bits/s, times in seconds,
 * latency as round trip in microseconds, sizes in bytes. Absent means not measured; nothing is ever 0 for "unknown".
 */
import type { EnaSrdPackets } from './ena-express';
import type { HostFacts } from './raw-chunk';
import type { HostRole } from '../workflow/object-keys';
import type { Statistics } from './statistics';
import type { Verdict } from './verdict';

/** What a tool measures; a measurement's verdict, report section and statistics follow from it. */
export const METRIC_KINDS = ['throughput', 'latency', 'conditions'] as const;
export type MetricKind = (typeof METRIC_KINDS)[number];
export const PROTOCOLS = ['tcp', 'udp'] as const;
export type Protocol = (typeof PROTOCOLS)[number];
/** Who sends: forward is client to server, reverse server to client. */
export const DIRECTIONS = ['forward', 'reverse', 'bidirectional'] as const;
export type Direction = (typeof DIRECTIONS)[number];
export type DrivenDirection = Exclude<Direction, 'bidirectional'>;
export const ZONE_RELATIONS = ['same_zone', 'other_zone'] as const;
export type ZoneRelation = (typeof ZONE_RELATIONS)[number];
export const PLACEMENTS = ['none', 'cluster', 'spread', 'partition'] as const;
export type Placement = (typeof PLACEMENTS)[number];
/** The route between the hosts: by private or public address, through a Network Load Balancer, or over VPC peering. */
export const PATHS = ['private', 'public', 'nlb', 'peering'] as const;
export type NetworkPath = (typeof PATHS)[number];
/** On which of the hosts ENA Express is on; `one_side` is the client. */
export const ENA_EXPRESS_SIDES = ['off', 'one_side', 'both'] as const;
export type EnaExpress = (typeof ENA_EXPRESS_SIDES)[number];
/** EC2's jumbo frame, and Ethernet's. */
export const MTU_SIZES_BYTES = [9001, 1500] as const;
export type MtuBytes = (typeof MTU_SIZES_BYTES)[number];

/** What a pair is, apart from its types: where its hosts stand and how they reach each other. */
export interface PairConditions {
  readonly zoneRelation: ZoneRelation;
  readonly placement: Placement;
  readonly path: NetworkPath;
  readonly enaExpress: EnaExpress;
  /** ENA Express carries UDP only where that is switched on by itself. */
  readonly enaExpressUdp: boolean;
  readonly mtuBytes: MtuBytes;
}

/** What a measurement is asked to do, each setting once whatever the tool; a tool has those that apply to it. */
export interface MeasurementSettings {
  /** How long the tool measures; at most, where it may end earlier. */
  readonly durationSeconds: number;
  readonly protocol?: Protocol;
  /** Which of its measurements the tool makes, e.g. `ping_pong` or `download`. */
  readonly mode?: string;
  readonly direction?: Direction;
  readonly parallelStreams?: number;
  readonly targetBitsPerSecond?: number;
  readonly messageBytes?: number;
  readonly messagesPerSecond?: number;
  readonly scheme?: 'http' | 'https';
  readonly objectBytes?: number;
  readonly rangeBytes?: number;
  readonly packetCount?: number;
  /** From one packet to the next. */
  readonly intervalMillis?: number;
  /** Load for so long, then silence for so long, again and again. */
  readonly dutyCycle?: DutyCycle;
  /** Ends so long after the throttle was seen. */
  readonly stopAfterThrottledSeconds?: number;
  /** Round trips measured beside the load. */
  readonly latencyProbe?: LatencyProbe;
}

export interface DutyCycle {
  readonly onSeconds: number;
  readonly offSeconds: number;
}

export interface LatencyProbe {
  readonly messageBytes: number;
  readonly messagesPerSecond: number;
}

export type MeasurementStatus = 'complete' | 'truncated' | 'failed' | 'not_applicable';

/**
 * What a sample is of:
 * - `throughput`: the series the verdict is on: the receiver's where there is one, else the sender's; all streams summed
 * - `sent_throughput`: the sender's own figures where `throughput` is the receiver's (carries the retransmits)
 * - `stream_throughput`: one parallel stream of the `throughput` series
 * - `interface`: the measured interface's byte counters, as rates
 * - `allowance`: growth of the ENA allowance counters within the second
 * - `round_trip`: round trips of a latency probe that runs beside the load
 * - `tool_cpu`: processor time of the tool's own processes on one host
 */
export const METRICS = [
  'throughput',
  'sent_throughput',
  'stream_throughput',
  'interface',
  'allowance',
  'round_trip',
  'tool_cpu',
] as const;
export type Metric = (typeof METRICS)[number];

/** One interval of one series. `startSeconds` counts from the start of the tool's first interval. */
export interface Sample {
  readonly metric: Metric;
  /** Which host reported it. */
  readonly hostRole: HostRole;
  readonly direction: DrivenDirection;
  /** `sum`, or the tool's own number of the stream. */
  readonly stream: string;
  readonly startSeconds: number;
  readonly lengthSeconds: number;
  readonly throughputBitsPerSecond?: number;
  readonly retransmits?: number;
  readonly congestionWindowBytes?: number;
  readonly lostPackets?: number;
  readonly sentPackets?: number;
  readonly jitterMicros?: number;
  /** metric `interface` */
  readonly receivedBitsPerSecond?: number;
  readonly sentBitsPerSecond?: number;
  /** metric `allowance`: packets queued or dropped since the sample before */
  readonly bwInAllowanceExceeded?: number;
  readonly bwOutAllowanceExceeded?: number;
  readonly ppsAllowanceExceeded?: number;
  readonly conntrackAllowanceExceeded?: number;
  readonly linklocalAllowanceExceeded?: number;
  /** metric `round_trip`: of the round trips that began within the interval */
  readonly rttMedianMicros?: number;
  readonly rttMaxMicros?: number;
  readonly observations?: number;
  /** metric `tool_cpu`, in percent of one processor */
  readonly userCpuPercent?: number;
  readonly systemCpuPercent?: number;
}

/** What EC2 (or whoever answers DescribeInstanceTypes) says of a type; absent on old types, and absent is not 0. */
export interface InstanceTypeFacts {
  readonly instanceType: string;
  readonly architecture: 'x86_64' | 'arm64';
  readonly vcpuCount: number;
  readonly baselineBitsPerSecond?: number;
  readonly peakBitsPerSecond?: number;
  /** "Up to 10 Gigabit" */
  readonly networkPerformance?: string;
  readonly isBurstableCpu: boolean;
  readonly supportsClusterPlacement: boolean;
  readonly supportsEnaExpress: boolean;
  /** EC2's own word, `nitro` or `xen`; absent for bare metal. */
  readonly hypervisor?: string;
}

/** The whole result of one measurement: `reports/<run id>/measurements/<measurement id>.json`. */
export interface MeasurementResult extends MeasurementSettings, PairConditions {
  readonly schema: 'network-benchmark.measurement.v1';
  readonly runId: string;
  readonly planName: string;
  readonly pairId: string;
  readonly measurementId: string;
  readonly repetition: number;
  /** UTC day of the run, the partition its rows are in. */
  readonly day: string;
  /** Of measurements that are repeated on the same pair; 1-based. */
  readonly pairRepetition: number;
  /** Index into the plan's `measurements` and `pairs`: the same in every repetition. */
  readonly planMeasurementIndex: number;
  readonly planPairIndex: number;
  /** Name of a module in `domain/tools`. */
  readonly tool: string;
  readonly kind: MetricKind;
  readonly clientType: string;
  readonly serverType: string;
  readonly client?: MeasuredHost;
  readonly server?: MeasuredHost;
  readonly status: MeasurementStatus;
  /** Why the status is not `complete`. */
  readonly reason?: string;
  readonly toolVersion?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** One-second samples of metric `throughput`, of one direction. Absent for latency. */
  readonly sampleCount?: number;
  readonly statistics: Statistics;
  /** null for latency, and where nothing was measured. Of both directions driven at once the more telling one's. */
  readonly verdict: Verdict | null;
  /** The verdict on the other direction, where both were driven at once. */
  readonly otherDirection?: Verdict;
  readonly publishedClient?: InstanceTypeFacts;
  readonly publishedServer?: InstanceTypeFacts;
  readonly warnings: readonly string[];
}

export interface MeasuredHost {
  readonly instanceId: string;
  readonly zone: string;
  readonly imageId: string;
  readonly privateIp: string;
  readonly facts?: HostFacts;
  /** Absent where the driver does not count what ENA Express carries. */
  readonly enaSrdPackets?: EnaSrdPackets;
}
