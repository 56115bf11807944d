/** What holds a rate down, apart from credits: the hosts' peaks, the cap of a flow, the way the traffic takes, the plan. */
import { internetGatewayBitsPerSecond } from '../model/ec2-facts';
import { singleFlowCap } from '../model/flow-cap';
import type { ForecastInstanceType, ForecastPair } from './inputs';
import type { BulkTraffic } from './traffic';

/** @param pair undefined for traffic that leaves the pair, to the object store */
export function flowCap({ protocol }: Pick<BulkTraffic, 'protocol'>, pair: ForecastPair | undefined): number {
  return singleFlowCap(protocol, pair ?? 'object_store').bitsPerSecond;
}

/** The published peaks of the hosts and of the way between them; undefined where one of the hosts has none. */
export function peakLimits(
  types: readonly (ForecastInstanceType | undefined)[],
  path: ForecastPair['path'] | undefined,
): (number | undefined)[] {
  return types.flatMap((type) => [
    type?.peakBitsPerSecond,
    ...(path === 'public' && type !== undefined ? [internetGatewayBitsPerSecond(type)] : []),
  ]);
}

/** The caps that don't depend on the hosts. */
export function trafficCap(traffic: BulkTraffic, pair: ForecastPair | undefined): number {
  return Math.min(traffic.flowCount * flowCap(traffic, pair), traffic.targetBitsPerSecond ?? Infinity);
}
