/** Whose credits ran out: the sender has a bucket for what goes out, and the receiver one for what comes in. */
import type { Witness } from '../model/verdict';
import type { SeriesShape } from '../detection/series-shape';
import { endsThat, growthAroundFall } from './allowance-growth';
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
    const busiest = left.length > 1 ? busiestEnd(shape, evidence) : undefined;
    if (busiest !== undefined) return ownerOf([busiest], null, `${BASELINE}, and its counters grew far more`, evidence);
    const source =
      left.length < published.length ? `${BASELINE}, and the counters of the other end stayed silent` : BASELINE;
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

const BASELINE = 'because the measured baseline is its published one';

/** An end that shapes holds back nearly every packet, and the other end only those of a burst now and then. */
const FAR_MORE = 10;

/** The end whose counter grew far more after the fall than that of the other one; undefined where neither did. */
function busiestEnd(shape: SeriesShape, evidence: ThroughputEvidence): End | undefined {
  const read = growthAroundFall(shape, evidence);
  const [most, least] = read.toSorted((one, other) => other.after - one.after);
  return most && least && most.after > 0 && most.after >= FAR_MORE * least.after ? most.end : undefined;
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
