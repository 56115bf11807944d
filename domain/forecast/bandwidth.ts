/** What holds a rate down, apart from credits: the hosts' peaks, the cap of a flow, the way the traffic takes, the plan. */
import type { ForecastInstanceType, ForecastPair } from './inputs';
import type { BulkTraffic } from './traffic';

/** EC2 user guide, "Instance network bandwidth": single-flow traffic. */
const FLOW_CAP_BITS_PER_SECOND = { ordinary: 5e9, cluster: 10e9, enaExpress: 25e9 } as const;

/** The same page, multi-flow traffic through an internet gateway. */
const GATEWAY = { fullShareFromVcpus: 32, share: 0.5, otherwiseBitsPerSecond: 5e9 } as const;

/** @param pair undefined for traffic that leaves the pair, to the object store */
export function flowCap(traffic: Pick<BulkTraffic, 'protocol'>, pair: ForecastPair | undefined): number {
  // A load balancer or a gateway between the hosts ends what holds between neighbours.
  if (pair === undefined || !['private', 'peering'].includes(pair.path)) return FLOW_CAP_BITS_PER_SECOND.ordinary;
  const carriesProtocol = traffic.protocol === 'tcp' || pair.enaExpressUdp;
  if (pair.enaExpress === 'both' && carriesProtocol) return FLOW_CAP_BITS_PER_SECOND.enaExpress;
  return pair.placement === 'cluster' ? FLOW_CAP_BITS_PER_SECOND.cluster : FLOW_CAP_BITS_PER_SECOND.ordinary;
}

/** What goes through an internet gateway, as far as the host's end tells; undefined where the peak is not published. */
function gatewayLimit(type: ForecastInstanceType): number | undefined {
  if (type.vcpuCount < GATEWAY.fullShareFromVcpus) return GATEWAY.otherwiseBitsPerSecond;
  if (type.peakBitsPerSecond === undefined) return undefined;
  return Math.max(GATEWAY.share * type.peakBitsPerSecond, GATEWAY.otherwiseBitsPerSecond);
}

/** The published peaks of the hosts and of the way between them; undefined where one of the hosts has none. */
export function peakLimits(
  types: readonly (ForecastInstanceType | undefined)[],
  path: ForecastPair['path'] | undefined,
): (number | undefined)[] {
  return types.flatMap((type) => [
    type?.peakBitsPerSecond,
    ...(path === 'public' && type !== undefined ? [gatewayLimit(type)] : []),
  ]);
}

/** The caps that don't depend on the hosts. */
export function trafficCap(traffic: BulkTraffic, pair: ForecastPair | undefined): number {
  return Math.min(traffic.flowCount * flowCap(traffic, pair), traffic.targetBitsPerSecond ?? Infinity);
}
