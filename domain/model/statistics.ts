/**
 * The figures of a measurement, by its kind. A figure that was not measured is absent, never 0. Readers get them from
 * the functions at the end of this file, which go by the result's `kind` and never guess it from the fields there are.
 */
import type { PercentileField } from './percentiles';
import type { DrivenDirection, MetricKind } from './settings';
import type { Verdict } from './verdict';

/** Quantiles of the one-second samples; `mean` alone where the tool gave the receiver's total and no series. */
export interface ThroughputQuantiles {
  readonly mean: number;
  readonly p5?: number;
  readonly p50?: number;
  readonly p95?: number;
  readonly min?: number;
  readonly max?: number;
}

/** Processor time of the tool's own processes and what the host lacked of it, means over the measurement; any tool. */
export type ToolCpu = Readonly<Partial<Record<'clientCpu' | 'serverCpu', CpuShare>>>;

/** In percent of one processor; what the kernel does not count is absent. */
export interface CpuShare {
  readonly userPercent: number;
  readonly systemPercent: number;
  /** The tool's threads could run and waited for a processor, all together. */
  readonly waitingPercent?: number;
  /** Anything on the host waited for a processor; in percent of the time. */
  readonly pressurePercent?: number;
  /** The hypervisor withheld it, of all the host's processors. */
  readonly stealPercent?: number;
}

/** Throughput of one driven direction. */
export interface ThroughputStatistics extends ToolCpu {
  readonly throughputBitsPerSecond?: ThroughputQuantiles;
  readonly retransmits?: number;
  readonly lostPackets?: number;
  readonly sentPackets?: number;
  readonly jitterMicros?: number;
  /** One entry per stream, ordered by number; only tools that run each stream as a program of its own have them. */
  readonly streams?: readonly StreamStatistics[];
  /** Round trips measured beside the load, before the throttle onset and after it. */
  readonly loadedLatency?: LoadedLatency;
}

export interface StreamStatistics {
  readonly stream: string;
  readonly throughputBitsPerSecond: number;
  /** Clearly slower than the others. */
  readonly isStraggler: boolean;
}

/** Without an onset all round trips count as `before`. */
export type LoadedLatency = Readonly<Partial<Record<'before' | 'after', RttStatistics>>>;

export interface RttStatistics {
  readonly rttMicros: RttQuantiles;
  readonly observations: number;
}

/** Throughput where both directions were driven at once. */
export type BidirectionalStatistics = Readonly<Record<DrivenDirection, ThroughputStatistics>>;

export interface RttQuantiles extends Readonly<Partial<Record<PercentileField, number>>> {
  readonly mean: number;
  readonly stdDev?: number;
  readonly min: number;
  readonly max: number;
}

export interface LatencyStatistics extends ToolCpu {
  readonly rttMicros?: RttQuantiles;
  readonly observations?: number;
  readonly droppedMessages?: number;
  readonly duplicatedMessages?: number;
  readonly outOfOrderMessages?: number;
  /** Only with one message at a time, each sent when the reply to the one before is in: netperf's TCP_RR. */
  readonly transactionsPerSecond?: number;
  /** The percentiles are multiples of this tick: they measure the hosts' timers and not the network. */
  readonly timerQuantumMicros?: number;
}

/** Properties of the route. */
export interface ConditionsStatistics extends ToolCpu {
  readonly pathMtuBytes?: number;
  readonly hopCount?: number;
}

/** What arrived of a load of many packets, in packets. */
export interface PacketStatistics extends ToolCpu {
  /** Quantiles of the one-second samples of what the receiver's interface counted. */
  readonly packetsPerSecond?: ThroughputQuantiles;
  /** What the sender's interface passed on, whether it arrived or not. */
  readonly sentPacketsPerSecond?: number;
  /** Mean length of a packet as the receiver's interface counts it, headers included. */
  readonly packetBytes?: number;
  /** UDP datagrams, as the tool counted them. */
  readonly lostPackets?: number;
  readonly sentPackets?: number;
  /** TCP segments sent again. */
  readonly retransmits?: number;
  /** How many packets the driver of each host counted beyond an allowance while the load ran. */
  readonly clientPpsAllowanceExceeded?: number;
  readonly serverPpsAllowanceExceeded?: number;
  readonly clientConntrackAllowanceExceeded?: number;
  readonly serverConntrackAllowanceExceeded?: number;
}

export type Statistics =
  ThroughputStatistics | BidirectionalStatistics | LatencyStatistics | ConditionsStatistics | PacketStatistics;

/** Anything that has statistics and their kind: a result, a measurement of `summary.json`, an analysed file. */
export interface MeasuredStatistics {
  readonly kind: MetricKind;
  readonly statistics: Statistics;
}

/** `main` is the driven direction; where both were driven at once, it is forward, and `reverse` is there too. */
export interface DrivenThroughput {
  readonly main: ThroughputStatistics;
  readonly reverse?: ThroughputStatistics;
}

/** @returns undefined for a measurement of another kind, like the functions below */
export function throughputOf({ kind, statistics }: MeasuredStatistics): DrivenThroughput | undefined {
  if (kind !== 'throughput') return undefined;
  if (isBidirectional(statistics)) return { main: statistics.forward, reverse: statistics.reverse };
  return { main: statistics };
}

/** The statistics of the direction that the verdict is about. */
export function drivenStatistics(
  facts: MeasuredStatistics & { readonly verdict: Pick<Verdict, 'direction'> | null },
): ThroughputStatistics | undefined {
  const throughput = throughputOf(facts);
  return facts.verdict?.direction === 'reverse' ? (throughput?.reverse ?? throughput?.main) : throughput?.main;
}

export function latencyOf({ kind, statistics }: MeasuredStatistics): LatencyStatistics | undefined {
  return kind === 'latency' ? (statistics as LatencyStatistics) : undefined;
}

/** The round trips of a latency measurement; other kinds have none. */
export function rttOf(facts: MeasuredStatistics): RttQuantiles | undefined {
  return latencyOf(facts)?.rttMicros;
}

export function conditionsOf({ kind, statistics }: MeasuredStatistics): ConditionsStatistics | undefined {
  return kind === 'conditions' ? (statistics as ConditionsStatistics) : undefined;
}

export function packetsOf({ kind, statistics }: MeasuredStatistics): PacketStatistics | undefined {
  return kind === 'packets' ? (statistics as PacketStatistics) : undefined;
}

/** Both directions driven at once are one load on the processors, whose figure is stored with forward. */
export function toolCpuOf({ statistics }: Pick<MeasuredStatistics, 'statistics'>): ToolCpu {
  return isBidirectional(statistics) ? statistics.forward : statistics;
}

/** Adds what is measured once for both directions; where both were driven at once, it is stored with forward. */
export function withSharedFigures(
  statistics: Statistics,
  added: Pick<ThroughputStatistics, 'loadedLatency' | 'clientCpu' | 'serverCpu'>,
): Statistics {
  if (!isBidirectional(statistics)) return { ...statistics, ...added };
  return { ...statistics, forward: { ...statistics.forward, ...added } };
}

function isBidirectional(statistics: Statistics): statistics is BidirectionalStatistics {
  return 'forward' in statistics;
}
