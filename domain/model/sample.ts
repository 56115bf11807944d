import { weightedMean } from '../maths/statistics';
import type { HostRole } from './host-role';
import type { DrivenDirection } from './settings';

/** What a sample is of. */
export const METRICS = [
  'throughput', // the series that the verdict is on, all streams summed: the receiver's, or else the sender's
  'sent_throughput', // the sender's own figures, with the retransmits, where `throughput` is the receiver's
  'stream_throughput', // one parallel stream of the `throughput` series
  'interface', // the measured interface's byte and packet counters, as rates
  'allowance', // growth of the ENA allowance counters within the second
  'round_trip', // round trips of a latency probe that runs beside the load
  'tool_cpu', // processor time of the tool's own processes on one host, and what the host lacked of it
  'packets', // the series that a verdict on packets per second is on: what the receiver's interface counted
] as const;
export type Metric = (typeof METRICS)[number];

/** One measured interval of one series. `startSeconds` counts from the start of the tool's first interval. */
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
  /** metric `tool_cpu`: of all processors of the host, in percent of one */
  readonly stealCpuPercent?: number;
  /** metric `tool_cpu`: the tool's threads could run and waited for a processor, all together, in percent of one */
  readonly waitingCpuPercent?: number;
  /** metric `tool_cpu`: anything on the host waited for a processor, in percent of the time */
  readonly cpuPressurePercent?: number;
  /** metric `interface` */
  readonly receivedPacketsPerSecond?: number;
  readonly sentPacketsPerSecond?: number;
  /** metric `packets` */
  readonly packetsPerSecond?: number;
}

type Figure = { [Field in keyof Sample]-?: number extends Sample[Field] ? Field : never }[keyof Sample];

/** Weighted by the length of the samples; undefined where none has the figure. */
export function meanOf(samples: readonly Sample[], figure: Figure): number | undefined {
  return weightedMean(
    samples.flatMap(({ [figure]: value, lengthSeconds: weight }) => (value === undefined ? [] : [{ value, weight }])),
  );
}
