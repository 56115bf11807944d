/**
 * The figures of a measurement, by its kind. A figure that was not measured is absent, never 0. The functions at the
 * end of this file read them by the result's `kind`, so that no reader guesses it from the fields.
 */
import type { PercentileField } from './percentiles';
import type { DrivenDirection, MetricKind } from './settings';
import type { Verdict } from './verdict';

/** Quantiles of the one-second samples; only `mean` if the tool printed the receiver's total and no series. */
export interface ThroughputQuantiles {
  readonly mean: number;
  readonly p5?: number;
  readonly p50?: number;
  readonly p95?: number;
  readonly min?: number;
  readonly max?: number;
}

/** Mean processor time that the tool's processes used, and that the host lacked. */
export type ToolCpu = Readonly<Partial<Record<'clientCpu' | 'serverCpu', CpuShare>>>;

/** In percent of one processor; figures that the kernel does not count are absent. */
export interface CpuShare {
  readonly userPercent: number;
  readonly systemPercent: number;
  /** Time that the tool's threads could run but waited for a processor, summed over threads. */
  readonly waitingPercent?: number;
  /** Time in which anything on the host waited for a processor, in percent of the measurement. */
  readonly pressurePercent?: number;
  /** Time that the hypervisor withheld, summed over the host's processors. */
  readonly stealPercent?: number;
}

export interface ThroughputStatistics extends ToolCpu {
  readonly throughputBitsPerSecond?: ThroughputQuantiles;
  readonly retransmits?: number;
  readonly lostPackets?: number;
  readonly sentPackets?: number;
  readonly jitterMicros?: number;
  /** One entry per stream, ordered by number; only for tools that run each stream as a program of its own. */
  readonly streams?: readonly StreamStatistics[];
  /** Round trips measured beside the load, before the throttle onset and after it. */
  readonly loadedLatency?: LoadedLatency;
}

export interface StreamStatistics {
  readonly stream: string;
  readonly throughputBitsPerSecond: number;
  readonly isStraggler: boolean;
}

/** Without an onset, all round trips count as `before`. */
export type LoadedLatency = Readonly<Partial<Record<'before' | 'after', RttStatistics>>>;

export interface RttStatistics {
  readonly rttMicros: RttQuantiles;
  readonly observations: number;
}

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
  /** Only for one message at a time, each sent after the reply to the one before, like netperf's TCP_RR. */
  readonly transactionsPerSecond?: number;
  /** The timer tick of which the percentiles are multiples, so that they show the hosts' timers and not the network. */
  readonly timerQuantumMicros?: number;
}

export interface ConditionsStatistics extends ToolCpu {
  readonly pathMtuBytes?: number;
  readonly hopCount?: number;
}

/** What arrived of a load that is measured in packets. */
export interface PacketStatistics extends ToolCpu {
  /** Quantiles of the one-second samples of what the receiver's interface counted. */
  readonly packetsPerSecond?: ThroughputQuantiles;
  /** Packets that the sender's interface sent, whether or not they arrived. */
  readonly sentPacketsPerSecond?: number;
  /** Mean length of a packet as the receiver's interface counts it, headers included. */
  readonly packetBytes?: number;
  /** UDP datagrams by the tool's own count. */
  readonly lostPackets?: number;
  readonly sentPackets?: number;
  /** TCP segments sent again. */
  readonly retransmits?: number;
  /** Packets that each host's driver counted above an allowance during the load. */
  readonly clientPpsAllowanceExceeded?: number;
  readonly serverPpsAllowanceExceeded?: number;
  readonly clientConntrackAllowanceExceeded?: number;
  readonly serverConntrackAllowanceExceeded?: number;
}

export type Statistics =
  ThroughputStatistics | BidirectionalStatistics | LatencyStatistics | ConditionsStatistics | PacketStatistics;

export interface MeasuredStatistics {
  readonly kind: MetricKind;
  readonly statistics: Statistics;
}

/** `main` is the driven direction; if both were driven at once, it is forward, and `reverse` is present. */
export interface DrivenThroughput {
  readonly main: ThroughputStatistics;
  readonly reverse?: ThroughputStatistics;
}

/** @returns undefined for a measurement of another kind, as do the functions below */
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

export function rttOf(facts: MeasuredStatistics): RttQuantiles | undefined {
  return latencyOf(facts)?.rttMicros;
}

export function conditionsOf({ kind, statistics }: MeasuredStatistics): ConditionsStatistics | undefined {
  return kind === 'conditions' ? (statistics as ConditionsStatistics) : undefined;
}

export function packetsOf({ kind, statistics }: MeasuredStatistics): PacketStatistics | undefined {
  return kind === 'packets' ? (statistics as PacketStatistics) : undefined;
}

/** If both directions were driven at once, they share the processors, and the one figure is stored with forward. */
export function toolCpuOf({ statistics }: Pick<MeasuredStatistics, 'statistics'>): ToolCpu {
  return isBidirectional(statistics) ? statistics.forward : statistics;
}

/** Adds figures that are measured once for both directions; a bidirectional measurement stores them with forward. */
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
