/** Limits other than an instance's allowances: the tool's target, a flow's cap, a published bandwidth and the path. */
import { NEARBY_FLOW_CAP, ORDINARY_FLOW_CAP } from '../../model/flow-cap';
import { formatRate } from '../../text/format';
import { ENDPOINTS, isNear, lowestLimit, publishedLimits, type ThroughputEvidence } from '../evidence';
import { endpointsThat } from './allowances';
import { isHeld, notRead, possible, ruledOut, shown, type CauseModule, type Finding, type Subject } from './cause';
import { isSaturated } from './cpu';
import { heavyLoss } from './packet-loss';

/** The goodput of a flow at its cap, as a share of the cap, for headers at any MTU. */
const CAP_SHARE = { least: 0.93, most: 1.02 } as const;

/** A tool reached its target at this share of it, because a tool that paces its load sends a little less. */
const REACHED_SHARE = 0.9;

export const toolTarget: CauseModule = {
  cause: 'tool_target',
  ofLevel: ({ shape, evidence }) => {
    const { targetBitsPerSecond: target = 0 } = evidence;
    if (target === 0) return ruledOut('the tool sent as fast as it could');
    const asked = `the tool's target was ${formatRate(target)}`;
    return (shape.typicalBitsPerSecond ?? 0) >= REACHED_SHARE * target
      ? shown(asked)
      : ruledOut(`${asked}, which it did not reach`);
  },
};

export const singleFlowCap: CauseModule = {
  cause: 'single_flow_cap',
  ofLevel: ({ shape, evidence }) => {
    const { flowCount } = evidence;
    if (flowCount === undefined) return notRead('it is not known how many flows carried the load');
    if (flowCount > 1) return ruledOut(`${flowCount} flows carried the load`);
    return flowCap(shape.typicalBitsPerSecond ?? 0, evidence) ?? ruledOut('the rate is not the cap of a single flow');
  },
};

/** The receiver sustains less than the sender, and the rate is near the receiver's baseline. */
export const publishedBandwidth: CauseModule = {
  cause: 'published_bandwidth',
  ofLevel: ({ shape, evidence: { sender, receiver } }) => {
    const [own, peers] = [sender?.baselineBitsPerSecond, receiver?.baselineBitsPerSecond];
    const isOfReceiver = own !== undefined && peers !== undefined && peers < 0.8 * own;
    if (!isOfReceiver || !isNear(shape.typicalBitsPerSecond ?? 0, peers)) {
      return ruledOut('no published bandwidth of the receiver explains this rate');
    }
    const reason = `the receiver (${receiver?.instanceType}) sustains ${formatRate(peers)}, the sender ${formatRate(own)}`;
    return shown(reason, { name: 'published_bandwidth', detail: reason });
  },
};

/** ENA Express can be on without being used (EC2 user guide, "ENA Express"). */
export const enaExpress: CauseModule = {
  cause: 'ena_express',
  ofLevel: ({ evidence }) => {
    const { enaExpressShortfall: shortfall } = evidence;
    if (shortfall === undefined) return ruledOut('ENA Express carried the traffic, or was not requested');
    // ENA Express raises only the cap of a single flow, so several flows may have had another limit.
    return evidence.flowCount === 1 ? shown(shortfall) : possible(shortfall);
  },
};

export function flowCap(rate: number, evidence: ThroughputEvidence): Finding | null {
  if (evidence.flowCount !== 1) return null;
  // The published limits are at the scale of the model, but EC2's cap of a flow is not.
  const { rateDivisor } = evidence.scaledModel ?? { rateDivisor: 1 };
  const { singleFlowCap: ownCap = ORDINARY_FLOW_CAP } = evidence;
  // With the ordinary cap or unknown conditions, the hosts may be near each other by chance, so that cap is tried too.
  const isOrdinary = ownCap.bitsPerSecond === ORDINARY_FLOW_CAP.bitsPerSecond;
  const cap = [ownCap, ...(isOrdinary ? [NEARBY_FLOW_CAP] : [])].find(({ bitsPerSecond }) => {
    const share = (rate * rateDivisor) / bitsPerSecond;
    return share >= CAP_SHARE.least && share <= CAP_SHARE.most;
  });
  if (cap === undefined) return null;
  const capBitsPerSecond = cap.bitsPerSecond / rateDivisor;
  const publishedPeaks = publishedLimits(evidence, 'peakBitsPerSecond');
  const peak = lowestLimit(publishedPeaks);
  // A published peak that is not well above the cap explains the plateau already.
  if (peak && peak.bitsPerSecond <= 1.1 * capBitsPerSecond) return null;
  // Many old types peak at 10 Gbit/s themselves; it is the flow's cap only where both peaks are published and higher.
  if (cap === NEARBY_FLOW_CAP && publishedPeaks.length < 2) return null;
  const onEc2 = evidence.scaledModel ? ` (${formatRate(cap.bitsPerSecond)} at the scale of EC2)` : '';
  const reason = `a single flow is capped at ${formatRate(capBitsPerSecond)} ${cap.where}${onEc2}`;
  return shown(reason, { name: 'flow_cap', detail: reason });
}

/**
 * A limit between the hosts that nobody publishes, such as a policer of a gateway or of another network. Nothing
 * measures it, so it is shown by elimination, when both hosts were read and are not the cause.
 *
 * | evidence                                                                         | a limit on the way is |
 * | -------------------------------------------------------------------------------- | --------------------- |
 * | another cause is shown                                                           | not examined          |
 * | the lower rate scatters as no limited rate does                                  | ruled out             |
 * | the counters of both hosts stayed silent, and both have processors left          | shown                 |
 * | network credits are ruled out, and 5 % of the segments or more are retransmitted | shown                 |
 * | any other                                                                        | possible              |
 */
export const pathLimit: CauseModule = {
  cause: 'path_limit',
  ofDrop: (subject, earlier) => {
    if ([...earlier.values()].some(({ standing }) => standing === 'shown')) return undefined;
    if (!isHeld(subject)) return ruledOut('the rate after the drop scatters more than a limited rate does');
    const { shape, evidence } = subject;
    const held = `the rate is held at ${formatRate(shape.throttle?.baselineBitsPerSecond ?? 0)} to the end`;
    if (areHostsExcluded(subject)) {
      return shown(`${held}, and counters and processors show no limit on either host`);
    }
    if (earlier.get('network_credits')?.standing === 'ruled_out' && heavyLoss(shape, evidence) !== undefined) {
      return shown(`${held} by dropping packets, and network credits are ruled out`);
    }
    return possible('a limit between the hosts is not ruled out');
  },
};

function areHostsExcluded({ evidence, growth }: Subject): boolean {
  const areSilent = endpointsThat('silent', growth).length === ENDPOINTS.length;
  const areFree = evidence.cpu !== undefined && ENDPOINTS.every((end) => !isSaturated(end, evidence));
  return areSilent && areFree;
}
