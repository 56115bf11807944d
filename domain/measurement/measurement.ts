/**
 * The words of a measurement: what was planned, what was sampled, what it comes to. Rates in bits/s, times in seconds,
 * latency as round trip in microseconds, sizes in bytes. Absent means not measured; nothing is ever 0 for "unknown".
 */
import type { HostFacts } from './raw-chunk';
import type { HostRole } from '../workflow/object-keys';

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

/** Of the one-second samples. Only `mean` is there where the tool gave the receiver's total and no series of it. */
export interface ThroughputQuantiles {
  readonly mean: number;
  readonly p5?: number;
  readonly p50?: number;
  readonly p95?: number;
  readonly min?: number;
  readonly max?: number;
}

/** Throughput of one driven direction. */
export interface ThroughputStatistics {
  readonly throughputBitsPerSecond?: ThroughputQuantiles;
  readonly retransmits?: number;
  readonly lostPackets?: number;
  readonly sentPackets?: number;
  readonly jitterMicros?: number;
  /** Of every stream by itself, in the order of their numbers; only of tools that run their streams as programs of their own. */
  readonly streams?: readonly StreamStatistics[];
  /** Round trips measured beside the load, before the throttle onset and after it. */
  readonly loadedLatency?: LoadedLatency;
  /** Processor time of the tool's own processes, mean over the measurement. */
  readonly clientCpu?: CpuShare;
  readonly serverCpu?: CpuShare;
}

export interface StreamStatistics {
  readonly stream: string;
  readonly throughputBitsPerSecond: number;
  /** Clearly slower than the others. */
  readonly isStraggler: boolean;
}

/** In percent of one processor. */
export interface CpuShare {
  readonly userPercent: number;
  readonly systemPercent: number;
}

/** Without an onset all round trips are `before`. */
export interface LoadedLatency {
  readonly before?: RttStatistics;
  readonly after?: RttStatistics;
}

export interface RttStatistics {
  readonly rttMicros: RttQuantiles;
  readonly observations: number;
}

/** Both directions driven at once. */
export interface BidirectionalStatistics {
  readonly forward: ThroughputStatistics;
  readonly reverse: ThroughputStatistics;
}

export interface RttQuantiles {
  readonly mean: number;
  readonly stdDev?: number;
  readonly min: number;
  readonly p25?: number;
  readonly p50?: number;
  readonly p75?: number;
  readonly p90?: number;
  readonly p95?: number;
  readonly p99?: number;
  readonly p99_5?: number;
  readonly p99_9?: number;
  readonly p99_99?: number;
  readonly p99_999?: number;
  readonly max: number;
}

export interface LatencyStatistics {
  readonly rttMicros?: RttQuantiles;
  readonly observations?: number;
  readonly droppedMessages?: number;
  readonly duplicatedMessages?: number;
  readonly outOfOrderMessages?: number;
  /** One message at a time, the next when the reply is in: netperf's TCP_RR. */
  readonly transactionsPerSecond?: number;
  /** Percentiles sit on multiples of this: the hosts' timers, not the network. */
  readonly timerQuantumMicros?: number;
}

/** What the route is like. */
export interface ConditionsStatistics {
  readonly pathMtuBytes?: number;
  readonly hopCount?: number;
}

export type Statistics = ThroughputStatistics | BidirectionalStatistics | LatencyStatistics | ConditionsStatistics;

export const SERIES_CLASSES = [
  'steady',
  'burst_then_throttle',
  'multi_step',
  'periodic_recharge',
  'ramp',
  'noisy',
  'transient_dips',
  'level_shift',
  'insufficient',
] as const;
export type SeriesClass = (typeof SERIES_CLASSES)[number];

export type VerdictKind = SeriesClass | 'flow_capped' | 'not_observed_within_window' | 'cpu_bound' | 'peer_limited';

/** One independent source of evidence and what it says of the verdict. */
export interface Witness {
  /** `series`, `ena_allowance_counters`, `published_bandwidth`, `peer_bucket`, `flow_cap`, `retransmits`, `cpu`. */
  readonly name: string;
  /** null: the witness has nothing to say (not available, or neutral). */
  readonly agrees: boolean | null;
  readonly detail: string;
}

/** How long a rate can be held from full credits, with nothing else on the host spending them. */
export interface HoldTime {
  readonly bitsPerSecond: number;
  /** null: no drop was seen, only the lower bound is known. */
  readonly seconds: number | null;
  /** Lower end of the 95 % interval, or the lower bound. */
  readonly lowSeconds: number;
  /** null: there is no upper bound. */
  readonly highSeconds: number | null;
}

/** What a throughput series shows. Every number is null where the data does not give it. */
export interface Verdict {
  readonly kind: VerdictKind;
  readonly seriesClass: SeriesClass;
  /** Which driven direction the verdict is on. */
  readonly direction: DrivenDirection;
  /** Seconds from the start of the load (a duty cycle's pauses included) to the first sample of the lower level, with its 95 % interval. */
  readonly onsetSeconds: number | null;
  readonly onsetLowSeconds: number | null;
  readonly onsetHighSeconds: number | null;
  /** Level right before the onset and level after it, each with its 95 % interval. */
  readonly burstBitsPerSecond: number | null;
  readonly burstLowBitsPerSecond: number | null;
  readonly burstHighBitsPerSecond: number | null;
  readonly baselineBitsPerSecond: number | null;
  readonly baselineLowBitsPerSecond: number | null;
  readonly baselineHighBitsPerSecond: number | null;
  /** Traffic above the baseline that the credits allowed, in bits, with its 95 % interval. */
  readonly bucketBits: number | null;
  readonly bucketLowBits: number | null;
  readonly bucketHighBits: number | null;
  /** Right-censored lower bound when no drop was seen but the published baseline lies below the rate. */
  readonly bucketBitsAtLeast: number | null;
  /**
   * From empty credits to full ones while nothing is sent, with its 95 % interval; null where one bucket does not explain the
   * series. No drop seen: `refillLowSeconds` alone, for `bucketBitsAtLeast`. `refillHighSeconds` is null without an upper bound.
   */
  readonly refillSeconds: number | null;
  readonly refillLowSeconds: number | null;
  readonly refillHighSeconds: number | null;
  /** By rate, ascending, the last one the burst itself; empty where the model has no answer. */
  readonly holdTimes: readonly HoldTime[];
  /** Whose credits ran out; null where nothing did, or where the evidence can't say. */
  readonly throttledBy: 'sender' | 'receiver' | null;
  /** Which of that host's two buckets: the sender's is the outbound one, the receiver's the inbound. */
  readonly throttledBucket: 'outbound' | 'inbound' | null;
  /** 0 to 1. */
  readonly confidence: number;
  readonly witnesses: readonly Witness[];
  /** One plain sentence. */
  readonly explanation: string;
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
}
