/** What else than credits may hold a rate where it is: one flow's cap, the tool's CPU, the other end, the requested rate. */
import type { SeriesShape } from '../changepoint/index';
import type { VerdictKind, Witness } from '../measurement/measurement';
import type { ThroughputEvidence } from './evidence';
import { formatRate } from './phrases';
import { isNear, lowestLimit, publishedLimits } from './published-limits';

/** EC2 caps a single flow at 5 Gbit/s, and at 10 Gbit/s within a cluster placement group. */
const FLOW_CAPS = { cluster: 10e9, elsewhere: 5e9 } as const;
/** Goodput under a cap, headers at any MTU. */
const CAP_SHARE = { least: 0.93, most: 1.02 } as const;
/** A core this busy has no more to give. */
const SATURATED_PERCENT = 95;

export interface Limit {
  readonly kind: VerdictKind;
  readonly reason: string;
  readonly witness: Witness;
}

/** The cap that explains a level rate; null where none does. */
export function findLimit(shape: SeriesShape, evidence: ThroughputEvidence): Limit | null {
  const rate = shape.typicalBitsPerSecond;
  if (rate === null || isRequestedRate(rate, evidence)) return null;
  return flowCap(rate, evidence) ?? cpuBound(rate, evidence) ?? peerLimit(rate, evidence);
}

export function isRequestedRate(rate: number, { targetBitsPerSecond }: ThroughputEvidence): boolean {
  return targetBitsPerSecond !== undefined && targetBitsPerSecond > 0 && rate >= 0.9 * targetBitsPerSecond;
}

export function flowCap(rate: number, evidence: ThroughputEvidence): Limit | null {
  if (evidence.flowCount !== 1) return null;
  const cap = evidence.placement === 'cluster' ? FLOW_CAPS.cluster : FLOW_CAPS.elsewhere;
  if (rate < CAP_SHARE.least * cap || rate > CAP_SHARE.most * cap) return null;
  const peak = lowestLimit(publishedLimits(evidence, 'peakBitsPerSecond'));
  // The pair's own peak explains the plateau as well, and needs no second reason.
  if (peak && peak.bitsPerSecond <= 1.1 * cap) return null;
  const where = evidence.placement === 'cluster' ? 'in' : 'outside';
  const reason = `a single flow is capped at ${formatRate(cap)} ${where} a cluster placement group`;
  return { kind: 'flow_capped', reason, witness: { name: 'flow_cap', agrees: true, detail: reason } };
}

function cpuBound(rate: number, evidence: ThroughputEvidence): Limit | null {
  const peak = lowestLimit(publishedLimits(evidence, 'peakBitsPerSecond'));
  const baseline = lowestLimit(publishedLimits(evidence, 'baselineBitsPerSecond'));
  // At a published figure the network is the limit, however busy the hosts are.
  if (peak && rate >= 0.85 * peak.bitsPerSecond) return null;
  if (baseline && isNear(rate, baseline.bitsPerSecond)) return null;
  for (const side of ['sender', 'receiver'] as const) {
    const percent = evidence.cpu?.[`${side}Percent`];
    const cores = Math.max(1, Math.min(evidence.flowCount ?? 1, evidence[side]?.vcpuCount ?? 1));
    if (percent === undefined || percent < SATURATED_PERCENT * cores) continue;
    const reason = `the tool used ${percent.toFixed(0)} % of a core on the ${side}`;
    return { kind: 'cpu_bound', reason, witness: { name: 'cpu', agrees: true, detail: reason } };
  }
  return null;
}

/** The receiver sustains less than the sender would: the rate is the receiver's. */
function peerLimit(rate: number, evidence: ThroughputEvidence): Limit | null {
  const own = evidence.sender?.baselineBitsPerSecond;
  const peers = evidence.receiver?.baselineBitsPerSecond;
  if (own === undefined || peers === undefined || peers >= 0.8 * own || !isNear(rate, peers)) return null;
  const reason = `the receiver (${evidence.receiver!.instanceType}) sustains ${formatRate(peers)}, the sender ${formatRate(own)}`;
  return { kind: 'peer_limited', reason, witness: { name: 'published_bandwidth', agrees: true, detail: reason } };
}

export function witnessCpu(evidence: ThroughputEvidence): Witness {
  const name = 'cpu';
  const { senderPercent, receiverPercent } = evidence.cpu ?? {};
  const parts = [
    senderPercent === undefined ? null : `sender ${senderPercent.toFixed(0)} %`,
    receiverPercent === undefined ? null : `receiver ${receiverPercent.toFixed(0)} %`,
  ].filter((part) => part !== null);
  return { name, agrees: null, detail: parts.length > 0 ? `${parts.join(', ')} of a core` : 'not reported' };
}
