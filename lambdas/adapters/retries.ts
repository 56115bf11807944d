/**
 * Who repeats an AWS call that failed: exactly one layer each (docs/decisions/0010-retries.md). The SDK repeats a call
 * unless one of our loops repeats it anyway; then the SDK sends one request.
 */
import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import type { AwsErrorName } from '../errors/aws-error-names';
import { isNamed } from '../errors/error-text';

type SdkError = Parameters<typeof isTransientError>[0];

/**
 * For calls that nobody else repeats. The SDK pauses for a random part of 0.5, 1, 2, 4 and 8 s when it is throttled,
 * which is at most 15.5 s, and of a fifth of that after other passing errors.
 */
export const REPEATED_BY_SDK = { maxAttempts: 6 } as const;

/** For calls of launch-pair, which repeats them itself, and of connect-pair, which the state machine asks again. */
export const REPEATED_BY_CALLER = { maxAttempts: 1 } as const;

/** AWS does not make a new resource known everywhere at once, nor to all of its services at the same time. */
const NOT_KNOWN_YET = new Set<AwsErrorName>([
  'InvalidGroup.NotFound',
  'InvalidSecurityGroupID.NotFound',
  'InvalidSecurityGroupException',
  'InvalidPlacementGroup.Unknown',
  'LoadBalancerNotFoundException',
  'ListenerNotFoundException',
  'TargetGroupNotFoundException',
]);

/** Whether the same call may succeed a little later: the caller's counterpart of what the SDK decides by itself. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const sdkError = error as SdkError;
  return isNamed(error, NOT_KNOWN_YET) || isThrottlingError(sdkError) || isTransientError(sdkError);
}
