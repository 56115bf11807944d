/** What a throughput series shows, with its evidence. Every number is null where the data does not give it. */
import type { DrivenDirection } from './settings';

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
