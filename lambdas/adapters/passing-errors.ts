/** AWS errors that may pass, so that the same call may succeed a little later. */
import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import { type AwsErrorName, isNamed, errorText } from '../errors/aws-errors';
import { PassingError } from '../../domain/workflow/error-names';

type SdkError = Parameters<typeof isTransientError>[0];

/** AWS returns these errors for a new resource that is not yet known everywhere, or not to all of its services. */
const NOT_KNOWN_YET = new Set<AwsErrorName>([
  'InvalidGroup.NotFound',
  'InvalidSecurityGroupID.NotFound',
  'InvalidSecurityGroupException',
  'InvalidPlacementGroup.Unknown',
  'LoadBalancerNotFoundException',
  'ListenerNotFoundException',
  'TargetGroupNotFoundException',
]);

/** Whether an error may pass. The SDK makes the same decision for its own retries, and this one is for our loops. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const sdkError = error as SdkError;
  return isNamed(error, NOT_KNOWN_YET) || isThrottlingError(sdkError) || isTransientError(sdkError);
}

/**
 * Gives each passing error that outlasted the SDK's retries one common name, because a state machine can retry a
 * handler only by the names of errors, and passing errors have dozens of names.
 */
export function namingPassingErrors<Request, Response>(
  handle: (request: Request) => Promise<Response>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      return await handle(request);
    } catch (thrown) {
      if (isPassing(thrown)) throw new PassingError(errorText(thrown), { cause: thrown });
      throw thrown;
    }
  };
}
