/** The limits that EC2 puts on flows and hosts, by the route between them. */
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
 * Without a placement group a flow's plateau is bimodal, about 5 or about 9.5 Gbit/s for the same type and zone (A. Uta
 * et al., NSDI 2020, recordings of C5): at the higher one the hosts are near each other by chance.
 */
export const NEARBY_FLOW_CAP: SingleFlowCap = {
  bitsPerSecond: SINGLE_FLOW_BITS_PER_SECOND.cluster,
  where: 'where hosts are near by chance',
};

/** The one rule for the cap of a flow: the forecast multiplies it, and the verdict explains a plateau by it. */
export function singleFlowCap(protocol: Protocol, route: FlowRoute): SingleFlowCap {
  if (route === 'object_store') return { ...ORDINARY_FLOW_CAP, where: 'to the object store' };
  // A load balancer or a gateway between the hosts takes the higher caps of neighbours away.
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

/** The published peaks of the hosts and the limits of the path between them; undefined for a host without a peak. */
export function peakLimits(
  types: readonly (Pick<InstanceTypeFacts, 'vcpuCount' | 'peakBitsPerSecond'> | undefined)[],
  path: NetworkPath | undefined,
): (number | undefined)[] {
  return types.flatMap((type) => {
    const peak = type?.peakBitsPerSecond;
    return path === 'public' && type !== undefined ? [peak, internetGatewayBitsPerSecond(type)] : [peak];
  });
}
