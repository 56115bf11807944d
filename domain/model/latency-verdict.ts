/** Whether something besides the path held the round trips of a latency measurement back. */
import type { HostRole } from './host-role';
import type { Cause, ExaminedCause } from './verdict';

export interface LatencyVerdict {
  /** null where nothing is shown to have held messages back. */
  readonly cause: Cause | null;
  /** The host whose allowance or processor it was; null where there is no cause, and where it is of both hosts. */
  readonly limitedBy: HostRole | null;
  /** Every cause that was examined, the one that is shown among them. */
  readonly causes: readonly ExaminedCause[];
  /** One plain sentence. */
  readonly explanation: string;
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
