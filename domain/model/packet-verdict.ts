/** What a series of packets per second shows, and what limited it. */
import type { Interval } from '../maths/interval';
import type { DrivenDirection } from './settings';
import type { SeriesClass, Witness } from './verdict';

/**
 * What limited the packets. Only with `packet_limited` is the rate the limit of a type; with the others the types carry
 * at least that much.
 */
export const PACKET_VERDICT_KINDS = [
  'packet_limited', // the packet-rate allowance of an end
  'conntrack_limited', // its allowance of tracked connections
  'bandwidth_limited', // its bandwidth allowance: the packets were too long to show the packet rate
  'cpu_bound', // every core that the tool can use at one end
  'offered_load', // all that the plan offered has arrived
  'limit_unknown', // no counter and no processor shows what it was
  'insufficient', // too few samples
] as const;
export type PacketVerdictKind = (typeof PACKET_VERDICT_KINDS)[number];

/** Every figure is null where the series does not give it. */
export interface PacketVerdict {
  readonly kind: PacketVerdictKind;
  /** What the numbers alone show. */
  readonly seriesClass: SeriesClass;
  readonly direction: DrivenDirection;
  /** Seconds from the start of the load to the first sample of the lower level. */
  readonly onset: Interval | null;
  /** The level before the onset, in packets per second. */
  readonly burst: Interval | null;
  /** The level after the onset, or the only one: packets per second that were carried to the end. */
  readonly baseline: Interval | null;
  /** The end whose allowance or processor was the limit. */
  readonly limitedBy: 'sender' | 'receiver' | null;
  /** 0 to 1; null for `insufficient`. */
  readonly confidence: number | null;
  readonly witnesses: readonly Witness[];
  /** One plain sentence. */
  readonly explanation: string;
}
