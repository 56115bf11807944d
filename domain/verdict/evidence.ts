/** Everything that a verdict may be based on. An absent part is unknown; it does not mean that nothing happened. */
import type { RateInterval } from '../series/rate-series';
import type { CpuCredits } from '../model/conditions';
import type { DrivenDirection, DutyCycle } from '../model/settings';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { SingleFlowCap } from '../model/flow-cap';
import type { Sample } from '../model/sample';

/** Growth of the ENA allowance counters of both hosts within each second. */
export type AllowanceGrowth = Pick<
  Sample,
  | 'hostRole'
  | 'startSeconds'
  | 'bwInAllowanceExceeded'
  | 'bwOutAllowanceExceeded'
  | 'ppsAllowanceExceeded'
  | 'conntrackAllowanceExceeded'
>;

/** The hosts by their part in the driven direction. */
export type End = 'sender' | 'receiver';

/** The CPU that the tool used while it measured, in percent of one core. */
export interface CpuUse {
  readonly senderPercent?: number;
  readonly receiverPercent?: number;
}

/** Time in which a host had work to do and got no processor, of all its processors, in percent of one. */
export interface Steal {
  readonly end: End;
  readonly startSeconds: number;
  readonly lengthSeconds: number;
  readonly percent: number;
}

export interface ThroughputEvidence {
  readonly direction: DrivenDirection;
  readonly series: readonly RateInterval[];
  readonly allowance?: readonly AllowanceGrowth[];
  /** Published figures of the type that sends in this direction. */
  readonly sender?: InstanceTypeFacts;
  readonly receiver?: InstanceTypeFacts;
  readonly retransmits?: readonly { readonly startSeconds: number; readonly retransmits: number }[];
  /** Flows that carried the series together. */
  readonly flowCount?: number;
  /** EC2's cap on one flow under the conditions of the pair; absent where they are unknown, as offline. */
  readonly singleFlowCap?: SingleFlowCap;
  /** The rate that the tool must not exceed; 0 or absent where it has no limit. */
  readonly targetBitsPerSecond?: number;
  /** The load had pauses; the series has no samples in them. */
  readonly dutyCycle?: DutyCycle;
  readonly cpu?: CpuUse;
  readonly steal?: readonly Steal[];
  /** Whose processors other work kept busy, in words; absent where it did not, and where that is unknown. */
  readonly cpuContention?: string;
  /** The CPU credits that the hosts were launched with; absent where they are unknown, as offline. */
  readonly cpuCredits?: Partial<Record<End, CpuCredits>>;
  /** In the tool's own form; it decides whether the tool's streams share one thread. */
  readonly toolVersion?: string;
  /** The measurement ended before its time. */
  readonly truncated: boolean;
}
