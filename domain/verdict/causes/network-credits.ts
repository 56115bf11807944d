/**
 * Network credits. Instances whose published baseline is below their peak burst on credits (EC2 user guide, "Amazon EC2
 * instance network bandwidth"); without them they run at that baseline: after 85 of 85 recorded throttles of C5, C6g and
 * C6gd instances the rate was within −1.6 to +0.8 % of a published one.
 *
 * The first row that applies decides:
 *
 * | evidence                                                                       | network credits are             |
 * | ------------------------------------------------------------------------------ | ------------------------------- |
 * | no type of the two ends has credits                                            | ruled out                       |
 * | the rate before the drop was not above the lowest published baseline           | ruled out                       |
 * | the packet-rate counter of an end grew more with the drop than its bandwidth   | ruled out                       |
 * | the bandwidth counter of an end that may have credits began to grow with it    | shown                           |
 * | an end was out of CPU credits                                                  | ruled out                       |
 * | the bandwidth counters of every end that may have credits stayed silent        | ruled out                       |
 * | more segments were sent again since the drop than a throttle makes TCP repeat  | ruled out                       |
 * | the rate after the drop is the published baseline of an end that is not silent | shown; possible where that rate |
 * |                                                                                | scatters as no limited one does |
 * | an end has no published baseline                                               | not read, or possible           |
 * | any other                                                                      | ruled out                       |
 */
import { endpointsThat } from '../allowance-counters';
import {
  canHaveCredits,
  creditBaselines,
  ENDPOINTS,
  isAtBaseline,
  lowestLimit,
  publishedInWords,
} from '../published-limits';
import { comparedRate } from '../../text/format';
import type { Endpoint, ThroughputEvidence } from '../evidence';
import {
  isHeld,
  matchingTypes,
  notRead,
  possible,
  ruledOut,
  shown,
  type CauseModule,
  type Finding,
  type Subject,
} from './cause';
import { heavyLoss } from './packet-loss';
import { packetRateOutgrows } from './allowances';

/** A rate that spends credits is above the baseline by more than the error of a level. */
const SPENDING_FACTOR = 1.05;

export const networkCredits: CauseModule = {
  cause: 'network_credits',
  ofDrop: (subject) => {
    const { shape, evidence } = subject;
    const burst = shape.throttle?.burstBitsPerSecond ?? 0;
    return neverSpent(burst, evidence) ?? ofCounters(subject) ?? otherwiseExplained(subject) ?? ofBaseline(subject);
  },
};

/** An end whose credits are unknown, because EC2 publishes nothing of its type or because the type is not known. */
function unpublishedEndpoint(evidence: ThroughputEvidence): Endpoint | undefined {
  return ENDPOINTS.find((end) => evidence[end]?.baselineBitsPerSecond === undefined);
}

function neverSpent(burst: number, evidence: ThroughputEvidence): Finding | null {
  if (unpublishedEndpoint(evidence) !== undefined) return null;
  const lowest = lowestLimit(creditBaselines(evidence));
  if (!lowest) return ruledOut('neither type has burst credits: its published baseline is its peak');
  if (burst > SPENDING_FACTOR * lowest.bitsPerSecond) return null;
  return ruledOut(
    `the ${comparedRate(burst)} before the fall were not above the published baseline of ${comparedRate(lowest.bitsPerSecond)}, so they spent no credits`,
  );
}

function ofCounters(subject: Subject): Finding | null {
  const { evidence, growth } = subject;
  const outgrown = ENDPOINTS.find((end) => packetRateOutgrows(end, subject));
  if (outgrown)
    return ruledOut(`the packet-rate counter of the ${outgrown} grew more with the fall than its bandwidth`);
  const begins = endpointsThat('begins', growth.bandwidth).find((end) => canHaveCredits(evidence[end]));
  return begins ? shown(`the bandwidth counter of the ${begins} began to grow with the fall`) : null;
}

function otherwiseExplained({ shape, evidence, growth, withheldCpu }: Subject): Finding | null {
  if (withheldCpu) return ruledOut(withheldCpu.witness.detail);
  const silent = endpointsThat('silent', growth.bandwidth);
  const mayHave = ENDPOINTS.filter((end) => canHaveCredits(evidence[end]));
  if (mayHave.every((end) => silent.includes(end))) {
    return ruledOut('the bandwidth counters were read and did not grow after the fall');
  }
  const loss = heavyLoss(shape, evidence);
  return loss === undefined ? null : ruledOut(`${loss}, and a throttle queues packets before it drops any`);
}

function ofBaseline(subject: Subject): Finding {
  const { shape, evidence, growth, baseline } = subject;
  const silent = endpointsThat('silent', growth.bandwidth);
  const candidates = creditBaselines(evidence).filter(({ side }) => !silent.includes(side));
  const level = baseline ?? { value: 0, low: 0, high: 0 };
  const match = candidates.find((limit) => isAtBaseline(level, limit.bitsPerSecond, evidence));
  const after = `the ${comparedRate(level.value)} after the fall`;
  if (match) {
    const isBaseline = `${after} are ${publishedInWords('baseline', match, evidence)}`;
    return isHeld(shape, evidence)
      ? shown(isBaseline)
      : possible(`${isBaseline}, but scatter more than a limited rate`);
  }
  const unpublished = unpublishedEndpoint(evidence);
  if (unpublished === undefined) return ruledOut(`${after} are no published baseline of either end`);
  const known = evidence.sender ?? evidence.receiver;
  if (known) return possible(`EC2 publishes no baseline for the ${unpublished}, so ${after} can't be compared with it`);
  return notRead(`no instance type is known to compare ${after} with${matchingTypes(level, evidence)}`);
}
