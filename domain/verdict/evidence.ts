/**
 * Everything a verdict may rest on besides the series; each part may be absent, and absent is not "nothing happened".
 */
import type { RateInterval } from '../series/rate-series';
import type { DrivenDirection, DutyCycle } from '../model/settings';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { SingleFlowCap } from '../model/flow-cap';
import type { Sample } from '../model/sample';

/** Growth of the ENA allowance counters within each second, of either host. */
export type AllowanceGrowth = Pick<
  Sample,
  'hostRole' | 'startSeconds' | 'bwInAllowanceExceeded' | 'bwOutAllowanceExceeded' | 'ppsAllowanceExceeded'
>;

/** Who sends in the driven direction, and who receives. */
export type End = 'sender' | 'receiver';

/** CPU the tool used while it measured, in percent of one core. */
export interface CpuUse {
  readonly senderPercent?: number;
  readonly receiverPercent?: number;
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
  /**
   * EC2's cap on one flow under the conditions of the pair; absent where they are unknown, as of a file analysed
   * offline.
   */
  readonly singleFlowCap?: SingleFlowCap;
  /** The rate that the tool was told not to exceed; 0 or absent where it had no limit. */
  readonly targetBitsPerSecond?: number;
  /** The load had pauses; the series has no samples in them. */
  readonly dutyCycle?: DutyCycle;
  readonly cpu?: CpuUse;
  /** As the tool names it; says whether its streams share one thread. */
  readonly toolVersion?: string;
  /** The measurement ended before its time. */
  readonly truncated: boolean;
}
