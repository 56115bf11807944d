/**
 * Network credits. Instances whose published baseline is below their peak burst on credits (EC2 user guide, "Amazon EC2
 * instance network bandwidth"); without credits they run at that baseline.
 *
 * The first row that applies decides:
 *
 * | evidence                                                                       | network credits are             |
 * | ------------------------------------------------------------------------------ | ------------------------------- |
 * | neither host's type has credits                                                | ruled out                       |
 * | the rate before the drop was not above the lowest published baseline           | ruled out                       |
 * | the packet-rate counter of a host grew more with the drop than its bandwidth   | ruled out                       |
 * | the bandwidth counter of a host that may have credits began to grow with it    | shown                           |
 * | a host was out of CPU credits                                                  | ruled out                       |
 * | the bandwidth counters of every host that may have credits stayed silent       | ruled out                       |
 * | more segments were retransmitted after the drop than a throttle causes         | ruled out                       |
 * | the rate after the drop is the published baseline of a host that is not silent | shown; possible where that rate |
 * |                                                                                | scatters as no limited one does |
 * | a host has no published baseline                                               | not read, or possible           |
 * | any other                                                                      | ruled out                       |
 */
import type { Interval } from '../../maths/interval';
import type { Witness } from '../../model/verdict';
import { comparedRate, formatRate } from '../../text/format';
import {
  canHaveCredits,
  creditBaselines,
  ENDPOINTS,
  isAtBaseline,
  lowestLimit,
  publishedInWords,
  unpublishedEndpoint,
  type Endpoint,
  type ThroughputEvidence,
} from '../evidence';
import { endpointsThat, packetRateOutgrows } from './allowances';
import {
  isHeld,
  notRead,
  possible,
  ruledOut,
  shown,
  type CauseModule,
  type Finding,
  type GrowthAroundDrop,
  type Subject,
} from './cause';
import { heavyLoss } from './packet-loss';

/** A rate that spends credits is above the baseline by more than the error of a level. */
const SPENDING_FACTOR = 1.05;

export const networkCredits: CauseModule = {
  cause: 'network_credits',
  ofDrop: (subject) => neverSpent(subject) ?? ofCounters(subject) ?? otherwiseExplained(subject) ?? ofBaseline(subject),
};

function neverSpent({ shape, evidence }: Subject): Finding | null {
  if (unpublishedEndpoint(evidence) !== undefined) return null;
  const burst = shape.throttle?.burstBitsPerSecond ?? 0;
  const lowest = lowestLimit(creditBaselines(evidence));
  if (!lowest)
    return ruledOut('neither type has burst credits, because the published baseline of each is also its peak');
  if (burst > SPENDING_FACTOR * lowest.bitsPerSecond) return null;
  return ruledOut(
    `the ${comparedRate(burst)} before the fall is not above the published baseline of ${comparedRate(lowest.bitsPerSecond)}, so no credits were spent`,
  );
}

function ofCounters(subject: Subject): Finding | null {
  const { evidence, growth } = subject;
  const outgrown = ENDPOINTS.find((end) => packetRateOutgrows(end, subject));
  if (outgrown)
    return ruledOut(
      `when the rate fell, the packet-rate counter of the ${outgrown} grew more than its bandwidth counter`,
    );
  const begins = endpointsThat('begins', growth).find((end) => canHaveCredits(evidence[end]));
  return begins ? shown(`the bandwidth counter of the ${begins} began to grow when the rate fell`) : null;
}

function otherwiseExplained({ shape, evidence, growth, withheldCpu }: Subject): Finding | null {
  if (withheldCpu) return ruledOut(withheldCpu.witness.detail);
  const silent = endpointsThat('silent', growth);
  if (ENDPOINTS.every((end) => silent.includes(end) || !canHaveCredits(evidence[end]))) {
    return ruledOut('the bandwidth counters were read and did not grow after the fall');
  }
  const loss = heavyLoss(shape, evidence);
  return loss === undefined ? null : ruledOut(`${loss}, but a throttle would queue packets before it drops any`);
}

function ofBaseline(subject: Subject): Finding {
  const { evidence, growth, baseline } = subject;
  const silent = endpointsThat('silent', growth);
  const level = baseline ?? { value: 0, low: 0, high: 0 };
  const match = creditBaselines(evidence).find(
    ({ side, bitsPerSecond }) => !silent.includes(side) && isAtBaseline(level, bitsPerSecond, evidence),
  );
  const after = `the ${comparedRate(level.value)} after the fall`;
  if (match) {
    const isBaseline = `${after} is ${publishedInWords('baseline', match, evidence)}`;
    return isHeld(subject)
      ? shown(isBaseline)
      : possible(`${isBaseline}, but the rate scatters more than a limited rate does`);
  }
  const unpublished = unpublishedEndpoint(evidence);
  if (unpublished === undefined) return ruledOut(`${after} is not a published baseline of either host`);
  if (evidence.sender ?? evidence.receiver) {
    return possible(`EC2 publishes no baseline for the ${unpublished}, so ${after} can't be compared with it`);
  }
  return notRead(
    `the instance types are not known, so ${after} can't be compared with a baseline${matchingTypes(level, evidence)}`,
  );
}

const MOST_NAMED = 3;

/**
 * Names the instance types whose baseline a level fits, if the types of the hosts are unknown: a hint, no proof.
 *
 * `; 0.75 Gbit/s is the published baseline of c5.large, c5d.large, m5.large and 7 other types`, with the types whose
 * peak is nearest to the burst first; empty if no table was given or none fits.
 */
function matchingTypes(level: Interval, evidence: ThroughputEvidence): string {
  const fitting = (evidence.publishedTypes ?? []).filter(
    (type) =>
      type.baselineBitsPerSecond !== undefined &&
      canHaveCredits(type) &&
      isAtBaseline(level, type.baselineBitsPerSecond, evidence),
  );
  const [first] = fitting;
  if (!first) return evidence.publishedTypes === undefined ? '' : '; no type has a published baseline near that rate';
  const named = fitting.slice(0, MOST_NAMED).map(({ instanceType }) => instanceType);
  const others = fitting.length - named.length;
  const types = others === 0 ? named.join(', ') : `${named.join(', ')} and ${others} other types`;
  return `; ${formatRate(first.baselineBitsPerSecond ?? 0)} is the published baseline of ${types}`;
}

/** Whose credits ran out: the sender's for outbound traffic, or the receiver's for inbound traffic. */
export interface BucketOwner {
  /** null if the evidence does not show whose bucket it was, or contradicts itself. */
  readonly end: Endpoint | null;
  readonly witness: Witness;
}

/** The host that shapes holds back nearly every packet, and the other host only those of a burst now and then. */
const FAR_MORE = 10;

/**
 * The owner is the only host whose published baseline is the measured one and whose counters began to grow at the drop.
 * If no baseline matches, the counters decide alone. If no counter began to grow, the baselines decide among the hosts
 * whose counters were not silent.
 */
export function findOwner({ evidence, growth, baseline }: Subject): BucketOwner | null {
  if (!baseline) return null;
  const begins = endpointsThat('begins', growth);
  const published = creditBaselines(evidence)
    .filter(({ bitsPerSecond }) => isAtBaseline(baseline, bitsPerSecond, evidence))
    .map(({ side }) => side);
  const [[counted], [matching]] = [begins, published];
  const isBaseline = 'the measured baseline is the one published for this host';
  if (counted === undefined) {
    const silent = endpointsThat('silent', growth);
    const left = published.filter((end) => !silent.includes(end));
    const busiest = left.length > 1 ? busiestEndpoint(growth.bandwidth) : undefined;
    const more =
      busiest !== undefined
        ? ", and its counters grew far more than the other host's"
        : left.length < published.length
          ? ", and the other host's counters did not grow"
          : '';
    return ownerOf(busiest === undefined ? left : [busiest], null, `because ${isBaseline}${more}`, evidence);
  }
  const counters = 'because its counters began to grow when the rate fell';
  if (matching === undefined) return ownerOf(begins, null, counters, evidence);
  const both = begins.filter((end) => published.includes(end));
  const isOnlyOne = begins.length === 1 && published.length === 1;
  if (both.length > 0) return ownerOf(both, isOnlyOne || null, `${counters}, and ${isBaseline}`, evidence);
  const detail = `the counters point to the ${counted}, but the measured baseline is the one published for the ${matching}`;
  return { end: null, witness: { name: 'peer_bucket', agrees: false, detail } };
}

/** The host whose counter grew far more after the drop than that of the other one; undefined if neither did. */
function busiestEndpoint(read: readonly GrowthAroundDrop[]): Endpoint | undefined {
  const [most, least] = read.toSorted((one, other) => other.after - one.after);
  return most && least && most.after > 0 && most.after >= FAR_MORE * least.after ? most.end : undefined;
}

function ownerOf(
  [end, other]: readonly Endpoint[],
  agrees: boolean | null,
  reason: string,
  evidence: ThroughputEvidence,
): BucketOwner {
  const owner = other === undefined ? end : undefined;
  const type = owner && evidence[owner]?.instanceType;
  const ranOut = `the ${owner}'s${type === undefined ? '' : ` (${type})`} credits ran out, ${reason}`;
  const unnamed =
    end === undefined
      ? "neither counters nor published baselines show which host's credits ran out"
      : "either host's credits could explain the fall";
  const witness: Witness = { name: 'peer_bucket', agrees: owner ? agrees : null, detail: owner ? ranOut : unnamed };
  return { end: owner ?? null, witness };
}
