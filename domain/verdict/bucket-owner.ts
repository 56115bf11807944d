/**
 * Whose credits ran out: each end has a bucket of its own, the sender for what goes out, the receiver for what comes
 * in.
 */
import { elementAt } from '../maths/elements';
import type { SeriesShape } from '../detection/series-shape';
import type { Witness } from '../model/verdict';
import { shapingEnds } from './allowance-counters';
import type { End, ThroughputEvidence } from './evidence';
import { creditBaselines, isNear } from './published-limits';

export interface BucketOwner {
  /** null where the evidence does not show whose bucket it was, or contradicts itself. */
  readonly end: End | null;
  readonly witness: Witness;
}

/**
 * The ends whose published baseline is the measured one, and the ends whose counters began to grow with the fall (or at
 * least did not stay silent): the one that is left is the owner.
 */
export function findOwner(shape: SeriesShape, evidence: ThroughputEvidence): BucketOwner | null {
  if (!shape.throttle) return null;
  const { baselineBitsPerSecond } = shape.throttle;
  const { begins, silent } = shapingEnds(shape, evidence);
  const published = creditBaselines(evidence)
    .filter(({ bitsPerSecond }) => isNear(baselineBitsPerSecond, bitsPerSecond))
    .map(({ side }) => side);
  if (begins.length === 0) return withoutCounters(published, silent, evidence);
  if (published.length === 0) return ownerOf(begins, null, 'counters', evidence);
  const both = begins.filter((end) => published.includes(end));
  if (both.length > 0)
    return ownerOf(
      both,
      begins.length === 1 && published.length === 1 ? true : null,
      'counters and baseline',
      evidence,
    );
  const detail = `the counters name the ${elementAt(begins, 0)}, the measured baseline is the one published for the ${elementAt(published, 0)}`;
  return { end: null, witness: { name: 'peer_bucket', agrees: false, detail } };
}

function withoutCounters(published: readonly End[], silent: readonly End[], evidence: ThroughputEvidence): BucketOwner {
  const left = published.filter((end) => !silent.includes(end));
  return ownerOf(left, null, left.length < published.length ? "the other end's silent counters" : 'baseline', evidence);
}

function ownerOf(
  ends: readonly End[],
  agrees: boolean | null,
  source: string,
  evidence: ThroughputEvidence,
): BucketOwner {
  const [end] = ends;
  if (end === undefined || ends.length > 1) {
    const detail = end === undefined ? 'nothing says whose credits ran out' : "either end's credits would explain it";
    return { end: null, witness: { name: 'peer_bucket', agrees: null, detail } };
  }
  const type = evidence[end]?.instanceType;
  const whose = type === undefined ? `the ${end}'s credits` : `the ${end}'s (${type}) credits`;
  return { end, witness: { name: 'peer_bucket', agrees, detail: `${whose}, as ${source} say` } };
}
