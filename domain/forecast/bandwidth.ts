import type { NetworkPath } from '../model/conditions';
import { internetGatewayBitsPerSecond } from '../model/ec2-facts';
import type { InstanceTypeFacts } from '../model/instance-type';

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
