/** Errors of EC2 and Elastic Load Balancing that say nothing against a call: the same one succeeds a little later. */
import { errorCode } from './error-text';

const PASSING = new Set([
  'RequestLimitExceeded',
  'Throttling',
  'ThrottlingException',
  'RequestThrottled',
  // What was made a moment ago is not known everywhere at once, nor by one service to the other.
  'InvalidGroup.NotFound',
  'InvalidSecurityGroupID.NotFound',
  'InvalidSecurityGroupException',
  'InvalidPlacementGroup.Unknown',
  'LoadBalancerNotFoundException',
  'ListenerNotFoundException',
  'TargetGroupNotFoundException',
]);

export function isPassing(error: unknown): boolean {
  return PASSING.has(errorCode(error));
}
