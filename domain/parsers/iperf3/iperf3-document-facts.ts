/** What every figure of iperf3's document needs to be read: who printed it, and who sent. */
import type { DrivenDirection, Protocol } from '../../model/settings';

export interface DocumentFacts {
  readonly role: 'client' | 'server' | undefined;
  readonly protocol: Protocol | undefined;
  readonly reverse: boolean;
}

/** `sender` says of a stream whether this end sends it; versions before 3.7 leave it to the test's direction. */
export function directionOfStream(isSender: unknown, facts: DocumentFacts): DrivenDirection {
  if (typeof isSender !== 'boolean') return facts.reverse ? 'reverse' : 'forward';
  return isSender === (facts.role === 'server') ? 'reverse' : 'forward';
}
