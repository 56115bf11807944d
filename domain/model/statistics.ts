/** What a measurement comes to in figures, by its kind. Not measured is absent, never 0. */
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
