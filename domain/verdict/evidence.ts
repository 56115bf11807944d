/** Everything that a verdict may be based on. An absent part is unknown; it does not mean that nothing happened. */
import type { RateInterval } from '../series/rate-series';
import type { CpuCredits } from '../model/conditions';
import type { DrivenDirection, DutyCycle } from '../model/settings';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { SingleFlowCap } from '../model/flow-cap';
import type { ScaledModel } from '../model/scaled-model';
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
export type Endpoint = 'sender' | 'receiver';

/** The CPU that the tool used while it measured, in percent of one core. */
export interface CpuUse {
  readonly senderPercent?: number;
  readonly receiverPercent?: number;
}

/** A part of a host's processor time, in percent of one processor. */
export interface ProcessorTime {
  readonly end: Endpoint;
  readonly startSeconds: number;
  readonly lengthSeconds: number;
  readonly percent: number;
}

export interface LostPackets {
  readonly startSeconds: number;
  readonly lostPackets: number;
  readonly sentPackets: number;
}

export interface ThroughputEvidence {
  readonly direction: DrivenDirection;
  readonly series: readonly RateInterval[];
  readonly allowance?: readonly AllowanceGrowth[];
  /** Published figures of the type that sends in this direction. */
  readonly sender?: InstanceTypeFacts;
  readonly receiver?: InstanceTypeFacts;
  readonly retransmits?: readonly { readonly startSeconds: number; readonly retransmits: number }[];
  /** UDP: datagrams that did not arrive, and all that were sent. */
  readonly lostPackets?: readonly LostPackets[];
  /** The longest TCP segment that the path carries. Absent where nobody knows it, as in most files. */
  readonly segmentBytes?: number;
  /** IP fragments that each UDP datagram is sent in; absent where it fits into one packet, and where that is unknown. */
  readonly fragmentsPerDatagram?: number;
  /** Flows that carried the series together. */
  readonly flowCount?: number;
  /** EC2's cap on one flow under the conditions of the pair; absent where they are unknown, as offline. */
  readonly singleFlowCap?: SingleFlowCap;
  /** The rate that the tool must not exceed; 0 or absent where it has no limit. */
  readonly targetBitsPerSecond?: number;
  /**
   * A tool offered its load all the time, but for the pauses of a duty cycle, so that seconds without traffic are an outage.
   * Absent for a series whose tool is not known.
   */
  readonly isLoadDriven?: boolean;
  /** The load had pauses; the series has no samples in them. */
  readonly dutyCycle?: DutyCycle;
  readonly cpu?: CpuUse;
  /** What the hypervisor withheld of all the processors of a host that had work for them. */
  readonly steal?: readonly ProcessorTime[];
  /** The tool's threads could run and waited for a processor. */
  readonly waiting?: readonly ProcessorTime[];
  /** Whose processors other work kept busy, in words; absent where it did not, and where that is unknown. */
  readonly cpuContention?: string;
  /** The CPU credits that the hosts were launched with; absent where they are unknown, as offline. */
  readonly cpuCredits?: Partial<Record<Endpoint, CpuCredits>>;
  /** How ENA Express, which was asked for, did not carry the traffic, in words; absent where it did, or was not asked for. */
  readonly enaExpressShortfall?: string;
  /** What EC2 publishes of every type, to name the types that a series without a known host would fit. */
  readonly publishedTypes?: readonly InstanceTypeFacts[];
  /** What the published figures are scaled by, but not `singleFlowCap`; absent where they are EC2's own, and for a file. */
  readonly scaledModel?: ScaledModel;
  /** In the tool's own form; it decides whether the tool's streams share one thread. */
  readonly toolVersion?: string;
  /** The measurement ended before its time. */
  readonly truncated: boolean;
}
