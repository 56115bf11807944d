/** What a throughput series shows, and the evidence for it. */
import type { Interval } from '../maths/interval';
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

export const VERDICT_KINDS = [
  ...SERIES_CLASSES,
  'lasting_drop',
  'flow_capped',
  'not_observed_within_window',
  'cpu_bound',
  'peer_limited',
] as const;
export type VerdictKind = (typeof VERDICT_KINDS)[number];

/** One independent source of evidence, and what it says about the verdict. */
export interface Witness {
  /**
   * `series`, `cpu_credits`, `cpu_contention`, `ena_allowance_counters`, `published_bandwidth`, `peer_bucket`,
   * `flow_cap`, `retransmits`, `cpu`.
   */
  readonly name: string;
  /** null where the witness is unavailable or neutral. */
  readonly agrees: boolean | null;
  readonly detail: string;
}

/**
 * How long a rate can be held from full credits that nothing else spends. The interval is for another pair of the same
 * types, whose full credits may differ. A lower bound where no drop was seen.
 */
export type HoldTime =
  | { readonly bitsPerSecond: number; readonly seconds: Interval; readonly atLeastSeconds: null }
  | { readonly bitsPerSecond: number; readonly seconds: null; readonly atLeastSeconds: number };

/** Every figure is null where the series does not give it. In JSON the intervals are flat: see `verdict-json.ts`. */
export interface Verdict {
  readonly kind: VerdictKind;
  readonly seriesClass: SeriesClass;
  /** The driven direction that was judged. */
  readonly direction: DrivenDirection;
  /** Seconds from the start of the load (a duty cycle's pauses included) to the first sample of the lower level. */
  readonly onset: Interval | null;
  /** The level right before the onset, in bits per second. */
  readonly burst: Interval | null;
  /** The level after the onset, in bits per second. */
  readonly baseline: Interval | null;
  /** Traffic above the baseline that the credits allowed, in bits; null where rests before the fall hide it. */
  readonly bucket: Interval | null;
  /** A lower bound of the bucket, where no drop was seen although the rate was above the published baseline. */
  readonly bucketBitsAtLeast: number | null;
  /**
   * Seconds from empty credits to full ones while nothing is sent; null where no single bucket explains the series. The
   * value is for credits that come back at the baseline, the interval also for the fastest refill that was measured.
   */
  readonly refill: Interval | null;
  /** The fastest refill of `bucketBitsAtLeast`, and therefore a lower bound as well. */
  readonly refillSecondsAtLeast: number | null;
  /** In ascending order of the rate, ending with the burst itself; empty where the model has no answer. */
  readonly holdTimes: readonly HoldTime[];
  /** The end whose credits ran out; null where no credits did, or where the evidence does not show whose. */
  readonly throttledBy: 'sender' | 'receiver' | null;
  /** Which of that host's two buckets: the sender's outbound one, or the receiver's inbound one. */
  readonly throttledBucket: 'outbound' | 'inbound' | null;
  /** 0 to 1; null for `insufficient`, which claims nothing that could be right or wrong. */
  readonly confidence: number | null;
  readonly witnesses: readonly Witness[];
  /** One plain sentence. */
  readonly explanation: string;
}

/** The name of the witness that other work kept the processors of a host busy; it is there only where it did. */
export const CPU_CONTENTION_WITNESS = 'cpu_contention';

/** The name of the witness that a host was out of CPU credits; it is there only where one was. */
export const CPU_CREDITS_WITNESS = 'cpu_credits';

/**
 * Which host was out of CPU credits and from when on, in words. A verdict says it first, because its rates are otherwise
 * taken for those of the network.
 *
 * @returns undefined where no host was, as far as is known
 */
export function withheldCpuOf(verdict: Pick<Verdict, 'witnesses'> | null): string | undefined {
  return verdict?.witnesses.find(({ name }) => name === CPU_CREDITS_WITNESS)?.detail;
}
