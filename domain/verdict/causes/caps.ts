/** Limits that are known before the measurement: what the tool was asked for, a flow's cap, a published bandwidth. */
import { formatRate } from '../../text/format';
import { flowCap, peerLimit, type Limit } from '../limits';
import { notRead, possible, ruledOut, shown, type CauseModule, type Finding } from './cause';

/** A tool that paces its load sends a little less than its target. */
const REACHED_SHARE = 0.9;

export const toolTarget: CauseModule = {
  cause: 'tool_target',
  ofLevel: ({ shape, evidence }) => {
    const { targetBitsPerSecond: target = 0 } = evidence;
    if (target === 0) return ruledOut('the tool sent as fast as it could');
    const asked = `the tool was asked for ${formatRate(target)}`;
    return (shape.typicalBitsPerSecond ?? 0) >= REACHED_SHARE * target
      ? shown(asked)
      : ruledOut(`${asked}, which it did not reach`);
  },
};

export const singleFlowCap: CauseModule = {
  cause: 'single_flow_cap',
  ofLevel: ({ shape, evidence }) => {
    const { flowCount } = evidence;
    if (flowCount === undefined) return notRead('how many flows carried the load is not known');
    if (flowCount > 1) return ruledOut(`${flowCount} flows carried the load`);
    return ofLimit(flowCap(shape.typicalBitsPerSecond ?? 0, evidence), 'the rate is not the cap of a single flow');
  },
};

export const publishedBandwidth: CauseModule = {
  cause: 'published_bandwidth',
  ofLevel: ({ shape, evidence }) =>
    ofLimit(
      peerLimit(shape.typicalBitsPerSecond ?? 0, evidence),
      'neither end is published to sustain less than the other and this rate',
    ),
};

/** Amazon's guide, "ENA Express": being on does not mean being used. */
export const enaExpress: CauseModule = {
  cause: 'ena_express',
  ofLevel: ({ evidence }) => {
    const { enaExpressShortfall: shortfall } = evidence;
    if (shortfall === undefined) return ruledOut('ENA Express carried what it was asked to, or was not asked for');
    // It raises what a single flow carries, and nothing else.
    return evidence.flowCount === 1 ? shown(shortfall) : possible(shortfall);
  },
};

function ofLimit(limit: Limit | null, otherwise: string): Finding {
  return limit ? shown(limit.reason, limit) : ruledOut(otherwise);
}
