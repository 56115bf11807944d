/** What limits a rate apart from credits: the peaks of the hosts, the cap of a single flow, the path, and the plan. */
import type { NetworkPath } from '../model/conditions';
import { internetGatewayBitsPerSecond } from '../model/ec2-facts';
import { singleFlowCap } from '../model/flow-cap';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { PlannedPair } from '../model/planned-run';
import type { BulkTraffic } from './traffic';

/** @param pair undefined for traffic to the object store */
export function flowCap({ protocol }: Pick<BulkTraffic, 'protocol'>, pair: PlannedPair | undefined): number {
  return singleFlowCap(protocol, pair ?? 'object_store').bitsPerSecond;
}

/** The published peaks of the hosts and the limits of the path between them; undefined for a host without a peak. */
export function peakLimits(
  types: readonly (InstanceTypeFacts | undefined)[],
  path: NetworkPath | undefined,
): (number | undefined)[] {
  return types.flatMap((type) => {
    const peak = type?.peakBitsPerSecond;
    return path === 'public' && type !== undefined ? [peak, internetGatewayBitsPerSecond(type)] : [peak];
  });
}

/** The limits that do not depend on the instance types. */
export function trafficCap(traffic: BulkTraffic, pair: PlannedPair | undefined): number {
  return Math.min(traffic.flowCount * flowCap(traffic, pair), traffic.targetBitsPerSecond ?? Infinity);
}
