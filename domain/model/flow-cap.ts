/** EC2's limits on flows and hosts, by the route between the hosts. */
import type { NetworkPath, PairConditions } from './conditions';
import { internetGatewayBitsPerSecond, SINGLE_FLOW_BITS_PER_SECOND } from './ec2-facts';
import type { InstanceTypeFacts } from './instance-type';
import type { Protocol } from './settings';

/** The cap of one flow, and the words that complete "a single flow is capped at 5 Gbit/s …". */
export interface SingleFlowCap {
  readonly bitsPerSecond: number;
  readonly where: string;
}

/** Where a flow runs: between the hosts of a pair under these conditions, or from a host to the object store. */
export type FlowRoute = Pick<PairConditions, 'placement' | 'path' | 'enaExpress' | 'enaExpressUdp'> | 'object_store';

export const ORDINARY_FLOW_CAP: SingleFlowCap = {
  bitsPerSecond: SINGLE_FLOW_BITS_PER_SECOND.ordinary,
  where: 'outside a cluster placement group',
};

/**
 * Outside a placement group, a flow's rate is bimodal: about 5 or about 9.5 Gbit/s for the same type and zone (A. Uta
 * et al., NSDI 2020, recordings of C5). At the higher rate, the hosts happen to be near each other.
 */
export const NEARBY_FLOW_CAP: SingleFlowCap = {
  bitsPerSecond: SINGLE_FLOW_BITS_PER_SECOND.cluster,
  where: 'where hosts are near by chance',
};

/** Returns the cap of one flow: the forecast multiplies it by the flows, and the verdict explains a level by it. */
export function singleFlowCap(protocol: Protocol, route: FlowRoute): SingleFlowCap {
  if (route === 'object_store') return { ...ORDINARY_FLOW_CAP, where: 'to the object store' };
  // Through a load balancer or a gateway, the higher caps of nearby hosts don't apply.
  if (route.path === 'nlb') return { ...ORDINARY_FLOW_CAP, where: 'through a load balancer' };
  if (route.path === 'public') return { ...ORDINARY_FLOW_CAP, where: 'by public address' };
  if (route.enaExpress === 'both' && (protocol === 'tcp' || route.enaExpressUdp)) {
    return { bitsPerSecond: SINGLE_FLOW_BITS_PER_SECOND.enaExpress, where: 'over ENA Express' };
  }
  if (route.placement === 'cluster') {
    return { bitsPerSecond: SINGLE_FLOW_BITS_PER_SECOND.cluster, where: 'in a cluster placement group' };
  }
  return ORDINARY_FLOW_CAP;
}

/** Returns the hosts' published peaks and the limits of the path; undefined for a host without a published peak. */
export function peakLimits(
  types: readonly (Pick<InstanceTypeFacts, 'vcpuCount' | 'peakBitsPerSecond'> | undefined)[],
  path: NetworkPath | undefined,
): (number | undefined)[] {
  return types.flatMap((type) => {
    const peak = type?.peakBitsPerSecond;
    return path === 'public' && type !== undefined ? [peak, internetGatewayBitsPerSecond(type)] : [peak];
  });
}
