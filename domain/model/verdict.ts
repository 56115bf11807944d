/** What a throughput series shows, and the evidence for it. */
import type { Interval } from '../maths/interval';
import type { HostRole } from './host-role';
import type { DrivenDirection } from './settings';

/** What happened to a rate, as its numbers alone show it. */
export const SERIES_KINDS = [
  'steady', // one level until the end
  'noisy', // one level with strong scatter
  'dips', // one level, left for a few seconds at a time
  'ramp', // a slope
  'shift', // a lasting change that is upwards, too small for a throttle, or not as plain as one
  'drop', // a fall to a lower level that stays
  'drops', // several such drops
  'cycle', // a drop, and bursts again from time to time
  'insufficient', // too few samples to judge
] as const;
export type SeriesKind = (typeof SERIES_KINDS)[number];

/** An outage is traffic that stopped while the tool went on; the samples alone can't tell it from a load that ended. */
export const VERDICT_KINDS = [...SERIES_KINDS, 'outage'] as const;
export type VerdictKind = (typeof VERDICT_KINDS)[number];

/** Why it happened: the cause of a drop, of an outage, or of the limit that a level is at. */
export const CAUSES = [
  'network_credits', // the burst credits of an end ran out
  'packet_rate', // the packet-rate allowance of an end
  'connection_tracking', // the allowance of tracked connections of an end
  'fragment_rate', // the limit of outbound IP fragments of the sender
  'packet_loss', // packets are lost between the hosts
  'path_limit', // a limit between the hosts that nobody publishes
  'cpu', // the processors of an end
  'cpu_credits', // the CPU credits of an end
  'tool_target', // the rate that the tool was told not to exceed
  'single_flow_cap', // EC2's cap of a single flow
  'published_bandwidth', // the bandwidth that is published for an end, without credits running out
  'ena_express', // ENA Express was asked for and did not carry the traffic
  'outage', // nothing arrived any more
  'not_known', // none of these is shown by the evidence
] as const;
export type Cause = (typeof CAUSES)[number];

/**
 * How a cause stands after its evidence was examined: the evidence shows it, excludes it, allows it without showing it, or
 * was not read.
 */
export type Standing = 'shown' | 'ruled_out' | 'possible' | 'not_read';

export interface ExaminedCause {
  readonly cause: Cause;
  readonly standing: Standing;
  /** A clause that begins small and has no full stop. */
  readonly reason: string;
}

/** `drop, network_credits`: what happened and why, as tables name it; `steady` where nothing needs a cause. */
export function verdictWord({ kind, cause }: { readonly kind: VerdictKind; readonly cause: Cause | null }): string {
  return cause === null || cause === kind ? kind : `${kind}, ${cause}`;
}

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

/** What follows from a drop if network credits are its cause. */
export interface CreditFigures {
  readonly bucket: Interval | null;
  readonly refill: Interval | null;
  readonly holdTimes: readonly HoldTime[];
}

/** Every figure is null where the series does not give it. In JSON the intervals are flat: see `verdict-json.ts`. */
export interface Verdict {
  readonly kind: VerdictKind;
  /** null where nothing needs a cause: a level without a limit that was found, a slope, too few samples. */
  readonly cause: Cause | null;
  /** Every cause that was examined; the first that is `shown` is `cause`. Empty where `cause` is null. */
  readonly causes: readonly ExaminedCause[];
  /** The driven direction that was judged. */
  readonly direction: DrivenDirection;
  /** Seconds from the start of the load (a duty cycle's pauses included) to the first sample of the lower level. */
  readonly onset: Interval | null;
  /** The level right before the onset, in bits per second. */
  readonly burst: Interval | null;
  /** The level after the onset, in bits per second. */
  readonly baseline: Interval | null;
  /**
   * Traffic above the baseline that the credits allowed, in bits; null where the cause is not network credits, and where
   * rests before the drop hide it.
   */
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
  /** What the credits were if a drop of unknown cause was theirs; null in any other case. */
  readonly ifNetworkCredits: CreditFigures | null;
  /** 0 to 1; null for `insufficient`, which claims nothing that could be right or wrong. */
  readonly confidence: number | null;
  readonly witnesses: readonly Witness[];
  /** One plain sentence. */
  readonly explanation: string;
}

/**
 * What a series of packets per second shows, and what limited it: rates are in packets per second, and the baseline is
 * what was carried to the end, also where it is the only level. Only with the cause `packet_rate` is a rate the limit of a
 * type; with any other the types carry at least that much.
 */
type PacketFigures = 'direction' | 'onset' | 'burst' | 'baseline' | 'confidence' | 'witnesses' | 'explanation';
export interface PacketVerdict extends Pick<Verdict, 'kind' | 'cause' | PacketFigures> {
  /** The host whose allowance or processor was the limit. */
  readonly limitedBy: Verdict['throttledBy'];
}

/** Whether something besides the path held the round trips of a latency measurement back; `cause` is null where nothing did. */
export interface LatencyVerdict extends Pick<Verdict, 'cause' | 'causes' | 'explanation'> {
  /** The host whose allowance or processor it was; null where there is no cause, and where it is of both hosts. */
  readonly limitedBy: HostRole | null;
}

interface Judged {
  readonly latencyVerdict?: Pick<LatencyVerdict, 'cause'>;
}

/** The allowances of a host; busy processors are none, and `contended.ts` says what becomes of their figures. */
export const HELD_BACK_BY: readonly Cause[] = [
  'network_credits',
  'published_bandwidth',
  'fragment_rate',
  'packet_rate',
  'connection_tracking',
];

/**
 * The allowance that held round trips back, so that they are not the path's: they are no repetition of others, and are
 * compared with nothing. undefined where none did.
 */
export function heldBackBy({ latencyVerdict }: Judged): Cause | undefined {
  const cause = latencyVerdict?.cause ?? null;
  return cause !== null && HELD_BACK_BY.includes(cause) ? cause : undefined;
}

export function isHeldBack(judged: Judged): boolean {
  return heldBackBy(judged) !== undefined;
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
