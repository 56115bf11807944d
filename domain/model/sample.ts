import { weightedMean } from '../maths/statistics';
import type { HostRole } from './host-role';
import type { DrivenDirection } from './settings';

/** The series to which a sample belongs; each is explained in `docs/reference/columns.md`. */
export const METRICS = [
  'throughput',
  'sent_throughput',
  'stream_throughput',
  'interface',
  'allowance',
  'round_trip',
  'tool_cpu',
  'packets',
] as const;
export type Metric = (typeof METRICS)[number];

/** One interval of one series. `startSeconds` counts from the start of the tool's first interval. */
export interface Sample {
  readonly metric: Metric;
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
  /** metric `round_trip`: round trips that began within the interval */
  readonly rttMedianMicros?: number;
  readonly rttMaxMicros?: number;
  readonly observations?: number;
  /** metric `tool_cpu`, in percent of one processor */
  readonly userCpuPercent?: number;
  readonly systemCpuPercent?: number;
  /** metric `tool_cpu`: time that the hypervisor withheld from the host's processors, in percent of one processor */
  readonly stealCpuPercent?: number;
  /** metric `tool_cpu`: time that runnable threads of the tool waited for a processor, in percent of one processor */
  readonly waitingCpuPercent?: number;
  /** metric `tool_cpu`: share of the time in which anything on the host waited for a processor, in percent */
  readonly cpuPressurePercent?: number;
  /** metric `interface` */
  readonly receivedPacketsPerSecond?: number;
  readonly sentPacketsPerSecond?: number;
  /** metric `packets` */
  readonly packetsPerSecond?: number;
}

type Figure = { [Field in keyof Sample]-?: number extends Sample[Field] ? Field : never }[keyof Sample];

/** Returns the mean weighted by the length of the samples; undefined if none has the figure. */
export function meanOf(samples: readonly Sample[], figure: Figure): number | undefined {
  return weightedMean(
    samples.flatMap(({ [figure]: value, lengthSeconds: weight }) => (value === undefined ? [] : [{ value, weight }])),
  );
}
