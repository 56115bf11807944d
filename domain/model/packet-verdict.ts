/** What a series of packets per second shows, and what limited it. */
import type { Interval } from '../maths/interval';
import type { DrivenDirection } from './settings';
import type { Cause, VerdictKind, Witness } from './verdict';

/** Every figure is null where the series does not give it. */
export interface PacketVerdict {
  readonly kind: VerdictKind;
  /**
   * What limited the packets; null for `insufficient`. Only with `packet_rate` is the rate the limit of a type; with any
   * other the types carry at least that much.
   */
  readonly cause: Cause | null;
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
