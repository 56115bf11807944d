/** What a throughput series shows, and the evidence for it. */
import type { Interval } from '../maths/interval';
import type { HostRole } from './host-role';
import type { DrivenDirection } from './settings';

/** What happened to a rate, judged by its numbers alone. Each kind is explained in `scripts/column-values.ts`. */
export const SERIES_KINDS = [
  'steady',
  'noisy',
  'dips',
  'ramp',
  'shift',
  'drop',
  'drops',
  'cycle',
  'insufficient',
] as const;
export type SeriesKind = (typeof SERIES_KINDS)[number];

/** An outage is traffic that stopped while the tool went on; the samples alone don't tell it from a load that ended. */
export const VERDICT_KINDS = [...SERIES_KINDS, 'outage'] as const;
export type VerdictKind = (typeof VERDICT_KINDS)[number];

/** The cause of a drop, of an outage, or of the limit at which a level is; explained in `scripts/column-values.ts`. */
export const CAUSES = [
  'network_credits',
  'packet_rate',
  'connection_tracking',
  'fragment_rate',
  'packet_loss',
  'path_limit',
  'cpu',
  'cpu_credits',
  'tool_target',
  'single_flow_cap',
  'published_bandwidth',
  'ena_express',
  'outage',
  'not_known',
] as const;
export type Cause = (typeof CAUSES)[number];

/** The evidence about a cause: it shows the cause, excludes it, allows it without showing it, or was not read. */
export type Standing = 'shown' | 'ruled_out' | 'possible' | 'not_read';

export interface ExaminedCause {
  readonly cause: Cause;
  readonly standing: Standing;
  /** A clause in lower case without a full stop. */
  readonly reason: string;
}

/** Returns kind and cause as tables show them: `drop, network_credits`; `steady` if there is no cause. */
export function verdictWord({ kind, cause }: { readonly kind: VerdictKind; readonly cause: Cause | null }): string {
  return cause === null || cause === kind ? kind : `${kind}, ${cause}`;
}

export const WITNESSES = [
  'series',
  'ena_allowance_counters',
  'published_bandwidth',
  'peer_bucket',
  'flow_cap',
  'retransmits',
  'cpu',
  'cpu_credits',
  'cpu_contention',
  'packet_allowance',
  'conntrack_allowance',
  'bandwidth_allowance',
  'arrival',
] as const;
/** A cause that no other witness speaks for is named as a witness itself. */
export type WitnessName = (typeof WITNESSES)[number] | Cause;

/** One independent source of evidence, and what it says about the verdict. */
export interface Witness {
  readonly name: WitnessName;
  /** Whether the witness supports the verdict; null if it is unavailable or neutral. */
  readonly agrees: boolean | null;
  readonly detail: string;
}

/**
 * How long a rate can be held from full credits if nothing else spends them; a lower bound if no drop was seen. The
 * interval is for another pair of the same types, whose full credits may differ.
 */
export type HoldTime =
  | { readonly bitsPerSecond: number; readonly seconds: Interval; readonly atLeastSeconds: null }
  | { readonly bitsPerSecond: number; readonly seconds: null; readonly atLeastSeconds: number };

/** What follows from a drop if network credits are its cause. */
export interface CreditFigures {
  readonly bucket: Interval | null;
  readonly refill: Interval | null;
  readonly holdTimes: readonly HoldTime[];
}

/** A figure is null if the series does not show it. In JSON the intervals are flat: see `verdict-json.ts`. */
export interface Verdict {
  readonly kind: VerdictKind;
  /** The cause, or null if none is needed: a level without a known limit, a slope, too few samples. */
  readonly cause: Cause | null;
  /** Every examined cause; the first that is `shown` is `cause`. Empty if `cause` is null. */
  readonly causes: readonly ExaminedCause[];
  /** The driven direction that was judged. */
  readonly direction: DrivenDirection;
  /** Seconds from the start of the load (a duty cycle's pauses included) to the first sample of the lower level. */
  readonly onset: Interval | null;
  /** The level right before the onset, in bits per second. */
  readonly burst: Interval | null;
  /** The level after the onset, in bits per second. */
  readonly baseline: Interval | null;
  /** Traffic in bits above the baseline that the credits allowed; null for other causes, or if pauses hide it. */
  readonly bucket: Interval | null;
  /** A lower bound of the bucket, if no drop was seen although the rate was above the published baseline. */
  readonly bucketBitsAtLeast: number | null;
  /**
   * Seconds until empty credits are refilled while nothing is sent; null if no single bucket explains the series. The
   * value assumes that they are earned at the baseline; the interval includes the fastest refill that was measured.
   */
  readonly refill: Interval | null;
  /** A lower bound: the fastest refill of `bucketBitsAtLeast`. */
  readonly refillSecondsAtLeast: number | null;
  /** Hold times in ascending order of the rate, up to the burst itself; empty if the model has no answer. */
  readonly holdTimes: readonly HoldTime[];
  /** The host whose credits ran out; null if none did, or if the evidence does not show whose. */
  readonly throttledBy: 'sender' | 'receiver' | null;
  /** Which of that host's two buckets: the sender's outbound one, or the receiver's inbound one. */
  readonly throttledBucket: 'outbound' | 'inbound' | null;
  /** The credit figures that would follow if a drop of unknown cause were one of network credits; otherwise null. */
  readonly ifNetworkCredits: CreditFigures | null;
  /** From 0 to 1; null for `insufficient`, which makes no claim. */
  readonly confidence: number | null;
  readonly witnesses: readonly Witness[];
  /** The verdict in one plain sentence. */
  readonly explanation: string;
}

/**
 * What a series of packets per second shows, and what limited it. Rates are in packets per second, and the baseline is
 * the rate carried to the end, even if it is the only level. Only with the cause `packet_rate` is a rate a type's
 * limit; otherwise the types carry at least that rate.
 */
type PacketFigures = 'direction' | 'onset' | 'burst' | 'baseline' | 'confidence' | 'witnesses' | 'explanation';
export interface PacketVerdict extends Pick<Verdict, 'kind' | 'cause' | PacketFigures> {
  /** The host whose allowance or processor was the limit. */
  readonly limitedBy: Verdict['throttledBy'];
}

/** Whether something besides the path held back the round trips of a measurement; `cause` is null if nothing did. */
export interface LatencyVerdict extends Pick<Verdict, 'cause' | 'causes' | 'explanation'> {
  /** The host whose allowance or processor it was; null without a cause, or if it was both hosts'. */
  readonly limitedBy: HostRole | null;
}

interface Judged {
  readonly latencyVerdict?: Pick<LatencyVerdict, 'cause'>;
}

/** The allowances of a host. Busy processors are not among them: `contended.ts` covers those. */
export const HELD_BACK_BY: readonly Cause[] = [
  'network_credits',
  'published_bandwidth',
  'fragment_rate',
  'packet_rate',
  'connection_tracking',
];

/**
 * The allowance that held back round trips, or undefined. Such round trips do not show the path, so they are not
 * repetitions of others and are compared with nothing.
 */
export function heldBackBy({ latencyVerdict }: Judged): Cause | undefined {
  const cause = latencyVerdict?.cause ?? null;
  return cause !== null && HELD_BACK_BY.includes(cause) ? cause : undefined;
}

export function isHeldBack(judged: Judged): boolean {
  return heldBackBy(judged) !== undefined;
}

/** The witness that other work kept a host's processors busy; present only if it did. */
export const CPU_CONTENTION_WITNESS = 'cpu_contention' satisfies WitnessName;

/** The witness that a host was out of CPU credits; present only if one was. */
export const CPU_CREDITS_WITNESS = 'cpu_credits' satisfies WitnessName;

/**
 * Says which host was out of CPU credits, and since when. A verdict begins with it, because its rates would otherwise
 * be taken for those of the network.
 * @returns undefined if no host is known to have been
 */
export function withheldCpuOf(verdict: Pick<Verdict, 'witnesses'> | null): string | undefined {
  return verdict?.witnesses.find(({ name }) => name === CPU_CREDITS_WITNESS)?.detail;
}
