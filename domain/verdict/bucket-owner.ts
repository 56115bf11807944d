/** Whose credits ran out: the sender has a bucket for what goes out, and the receiver one for what comes in. */
import type { Witness } from '../model/verdict';
import { endsThat } from './allowance-growth';
import type { Subject } from './causes/cause';
import type { End, ThroughputEvidence } from './evidence';
import { creditBaselines, isAtBaseline } from './published-limits';

export interface BucketOwner {
  /** null where the evidence does not show whose bucket it was, or contradicts itself. */
  readonly end: End | null;
  readonly witness: Witness;
}

/**
 * The owner is the only end whose published baseline is the measured one and whose counters began to grow at the fall.
 * Counters decide alone where no baseline matches, and baselines where no counter began to grow, less the silent ends.
 */
export function findOwner({ shape, evidence, baseline }: Subject): BucketOwner | null {
  if (!shape.throttle || !baseline) return null;
  const begins = endsThat('begins', shape, evidence);
  const silent = endsThat('silent', shape, evidence);
  const published = creditBaselines(evidence)
    .filter(({ bitsPerSecond }) => isAtBaseline(baseline, bitsPerSecond, evidence))
    .map(({ side }) => side);
  const [[counted], [matching]] = [begins, published];
  if (counted === undefined) {
    const left = published.filter((end) => !silent.includes(end));
    const source =
      left.length < published.length
        ? 'because the measured baseline is its published one, and the counters of the other end stayed silent'
        : 'because the measured baseline is its published one';
    return ownerOf(left, null, source, evidence);
  }
  if (matching === undefined)
    return ownerOf(begins, null, 'because its counters began to grow with the fall', evidence);
  const both = begins.filter((end) => published.includes(end));
  const isOnlyOne = begins.length === 1 && published.length === 1;
  if (both.length > 0) return ownerOf(both, isOnlyOne || null, COUNTERS_AND_BASELINE, evidence);
  const detail = `the counters name the ${counted}, and the measured baseline is the one published for the ${matching}`;
  return { end: null, witness: { name: 'peer_bucket', agrees: false, detail } };
}

const COUNTERS_AND_BASELINE =
  'because its counters began to grow with the fall, and the measured baseline is its published one';

function ownerOf(
  ends: readonly End[],
  agrees: boolean | null,
  reason: string,
  evidence: ThroughputEvidence,
): BucketOwner {
  const [end] = ends;
  if (end === undefined || ends.length > 1) {
    const detail =
      end === undefined
        ? 'neither counters nor published baselines say whose credits ran out'
        : 'the credits of either end would explain the fall, so neither is named';
    return { end: null, witness: { name: 'peer_bucket', agrees: null, detail } };
  }
  const type = evidence[end]?.instanceType;
  const whose = type === undefined ? `the ${end}'s credits` : `the ${end}'s (${type}) credits`;
  return { end, witness: { name: 'peer_bucket', agrees, detail: `${whose} ran out, ${reason}` } };
}
