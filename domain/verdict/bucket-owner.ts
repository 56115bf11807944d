/** Whose credits ran out: the sender has a bucket for what goes out, and the receiver one for what comes in. */
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
 * The owner is the only end whose published baseline is the measured one and whose counters began to grow at the fall.
 * Counters decide alone where no baseline matches, and baselines where no counter began to grow, less the silent ends.
 */
export function findOwner(shape: SeriesShape, evidence: ThroughputEvidence): BucketOwner | null {
  if (!shape.throttle) return null;
  const { baselineBitsPerSecond } = shape.throttle;
  const { begins, silent } = shapingEnds(shape, evidence);
  const published = creditBaselines(evidence)
    .filter(({ bitsPerSecond }) => isNear(baselineBitsPerSecond, bitsPerSecond))
    .map(({ side }) => side);
  const [[counted], [matching]] = [begins, published];
  if (counted === undefined) {
    const left = published.filter((end) => !silent.includes(end));
    const source = left.length < published.length ? "the other end's silent counters" : 'baseline';
    return ownerOf(left, null, source, evidence);
  }
  if (matching === undefined) return ownerOf(begins, null, 'counters', evidence);
  const both = begins.filter((end) => published.includes(end));
  const isOnlyOne = begins.length === 1 && published.length === 1;
  if (both.length > 0) return ownerOf(both, isOnlyOne || null, 'counters and baseline', evidence);
  const detail = `the counters name the ${counted}, the measured baseline is the one published for the ${matching}`;
  return { end: null, witness: { name: 'peer_bucket', agrees: false, detail } };
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
