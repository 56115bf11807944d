/** A tool's output in one form for every tool, version and format. What the tool did not print is absent. */
import type { DrivenDirection, Protocol } from '../model/settings';
import type { ConditionsStatistics, LatencyStatistics, ToolCpu } from '../model/statistics';

/** Who counted the bytes: the sender counts what it passed to its kernel, the receiver counts what arrived. */
export type Side = 'sender' | 'receiver';

export interface TrafficCounts {
  readonly retransmits?: number;
  readonly lostPackets?: number;
  readonly packets?: number;
  readonly jitterMicros?: number;
}

/** One line of a series: the rate within one reporting interval. */
export interface ToolInterval extends TrafficCounts {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly direction: DrivenDirection;
  readonly side: Side;
  /** `sum` of all parallel streams, or the tool's own number of one stream. */
  readonly stream: string;
  readonly bitsPerSecond: number;
  readonly congestionWindowBytes?: number;
}

/** A summary of the whole measurement, over all streams of one direction. */
export interface ToolSummary extends TrafficCounts {
  readonly direction: DrivenDirection;
  readonly side: Side;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Absent if the tool gives one side's counts with the other side's rate (UDP before iperf3 3.2). */
  readonly bitsPerSecond?: number;
}

/** The tool's own processor time, in percent of one processor. */
export type CpuUtilisation = Readonly<Partial<Record<'localPercent' | 'remotePercent', number>>>;

interface ToolOutputBase {
  readonly tool: string;
  /** Version as the tool prints it, e.g. `3.16`; absent in iperf3's text without `-V`. */
  readonly toolVersion?: string;
  readonly protocol?: Protocol;
  /** How long the tool was asked to measure, or else what its own summary covers. */
  readonly durationSeconds?: number;
  /** Whether the measurement ended by itself, and the tool printed everything that it should. */
  readonly complete: boolean;
  /** Why the output is not complete, in the tool's own words if it gave any. */
  readonly incompleteReason?: string;
  /** The tool's error messages, verbatim. */
  readonly errors: readonly string[];
  /** Doubts and limits that a reader of the numbers should know. */
  readonly warnings: readonly string[];
}

export interface ThroughputOutput extends ToolOutputBase {
  readonly kind: 'throughput';
  /** Which host printed this; absent if the output does not show it. */
  readonly role?: 'client' | 'server';
  readonly parallelStreams?: number;
  /** The rate that the tool was told to offer (`-b`), over all streams of one direction. */
  readonly targetBitsPerSecond?: number;
  readonly reverse: boolean;
  readonly bidirectional: boolean;
  /** Ordered by start; one per start, direction, side and stream. Every interval has a `sum`. */
  readonly intervals: readonly ToolInterval[];
  readonly summaries: readonly ToolSummary[];
  readonly cpu?: CpuUtilisation;
  /** When and why the driver ended the test early on purpose. */
  readonly endedOnPurpose?: string;
  /** Round trips of a latency probe that ran beside the load, in order. */
  readonly roundTrips?: readonly RoundTrip[];
}

export interface RoundTrip {
  readonly startSeconds: number;
  readonly rttMicros: number;
}

/** `rttMicros` is always the full round trip, whatever the tool printed. */
export interface LatencyOutput extends ToolOutputBase, Omit<LatencyStatistics, keyof ToolCpu | 'timerQuantumMicros'> {
  readonly kind: 'latency';
}

export interface ConditionsOutput extends ToolOutputBase, Omit<ConditionsStatistics, keyof ToolCpu> {
  readonly kind: 'conditions';
}

export type ToolOutput = ThroughputOutput | LatencyOutput | ConditionsOutput;

/** The text is not the output of a known tool, or so damaged that nothing can be read from it. */
export class ToolOutputError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolOutputError';
  }
}
