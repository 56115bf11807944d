/** Limits that a level may be at besides credits: the cap on a single flow, the CPU, the other end. */
import { NEARBY_FLOW_CAP, ORDINARY_FLOW_CAP, type SingleFlowCap } from '../model/flow-cap';
import type { Cause, Witness } from '../model/verdict';
import type { End, ThroughputEvidence } from './evidence';
import { formatRate } from '../text/format';
import { ENDS, isNear, lowestLimit, publishedLimits } from './published-limits';

/** The goodput under a cap, with headers at any MTU, as a share of the cap. */
const CAP_SHARE = { least: 0.93, most: 1.02 } as const;
/** A core that is this busy limits the rate. */
const SATURATED_PERCENT = 95;
/** iperf3's streams share one thread before this version. */
const FIRST_THREADED = { major: 3, minor: 16 } as const;

/** A limit that a level is at. */
export interface Limit {
  readonly cause: Cause;
  readonly reason: string;
  readonly end?: End;
  readonly witness: Witness;
}

export function flowCap(rate: number, evidence: ThroughputEvidence): Limit | null {
  if (evidence.flowCount !== 1) return null;
  // Published limits come at the scale of the model, and EC2's cap of a flow does not.
  const { rateDivisor } = evidence.scaledModel ?? { rateDivisor: 1 };
  const cap = flowCapsToConsider(evidence).find(({ bitsPerSecond }) => {
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
  return { cause: 'single_flow_cap', reason, witness: { name: 'flow_cap', agrees: true, detail: reason } };
}

/** Under the ordinary cap, or where the conditions are unknown, the hosts may be near each other by chance. */
function flowCapsToConsider({ singleFlowCap = ORDINARY_FLOW_CAP }: ThroughputEvidence): SingleFlowCap[] {
  return singleFlowCap.bitsPerSecond === ORDINARY_FLOW_CAP.bitsPerSecond
    ? [singleFlowCap, NEARBY_FLOW_CAP]
    : [singleFlowCap];
}

/** Whether every core that the tool's flows can use at that end is busy. */
export function isSaturated(
  end: End,
  evidence: Pick<ThroughputEvidence, End | 'cpu' | 'flowCount' | 'toolVersion'>,
): boolean {
  const percent = evidence.cpu?.[`${end}Percent`];
  const threads = isSingleThreaded(evidence.toolVersion) ? 1 : (evidence.flowCount ?? 1);
  const cores = Math.max(1, Math.min(threads, evidence[end]?.vcpuCount ?? 1));
  return percent !== undefined && percent >= SATURATED_PERCENT * cores;
}

export const NO_CPU_USE = 'the tool reports no use of the CPU';

/** `the tool used 40 % of a core at the sender and 55 % at the receiver`; undefined where it reports neither. */
export function cpuInWords({ cpu }: Pick<ThroughputEvidence, 'cpu'>): string | undefined {
  const parts = ENDS.flatMap((end) => {
    const percent = cpu?.[`${end}Percent`];
    return percent === undefined ? [] : [{ end, percent: `${percent.toFixed(0)} %` }];
  });
  if (parts.length === 0) return undefined;
  const words = parts.map(({ end, percent }, index) => `${percent}${index === 0 ? ' of a core' : ''} at the ${end}`);
  return `the tool used ${words.join(' and ')}`;
}

function isSingleThreaded(toolVersion: string | undefined): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(toolVersion ?? '')?.map(Number) ?? [];
  if (major === undefined || minor === undefined) return false;
  return major < FIRST_THREADED.major || (major === FIRST_THREADED.major && minor < FIRST_THREADED.minor);
}

export function cpuBound(rate: number, evidence: ThroughputEvidence): Limit | null {
  const peak = lowestLimit(publishedLimits(evidence, 'peakBitsPerSecond'));
  const baseline = lowestLimit(publishedLimits(evidence, 'baselineBitsPerSecond'));
  // At a published figure the network is the limit, however busy the hosts are.
  if (peak && rate >= 0.85 * peak.bitsPerSecond) return null;
  if (baseline && isNear(rate, baseline.bitsPerSecond)) return null;
  const end = ENDS.find((each) => isSaturated(each, evidence));
  const percent = end && evidence.cpu?.[`${end}Percent`];
  if (end === undefined || percent === undefined) return null;
  const reason = `the tool used ${percent.toFixed(0)} % of a core on the ${end}`;
  return { cause: 'cpu', reason, end, witness: { name: 'cpu', agrees: true, detail: reason } };
}

/** The receiver sustains less than the sender, and the rate is near the receiver's baseline. */
export function peerLimit(rate: number, { sender, receiver }: ThroughputEvidence): Limit | null {
  const [own, peers] = [sender?.baselineBitsPerSecond, receiver?.baselineBitsPerSecond];
  if (receiver === undefined || peers === undefined || own === undefined) return null;
  if (peers >= 0.8 * own || !isNear(rate, peers)) return null;
  const received = formatRate(peers);
  const reason = `the receiver (${receiver.instanceType}) sustains ${received}, the sender ${formatRate(own)}`;
  const witness = { name: 'published_bandwidth', agrees: true, detail: reason };
  return { cause: 'published_bandwidth', reason, end: 'receiver', witness };
}
