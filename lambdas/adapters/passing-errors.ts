/** AWS errors that may pass, so that the same call may succeed a little later. */
import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import { type AwsErrorName, isNamed, errorText } from '../errors/aws-errors';
import { PassingError } from '../../domain/workflow/error-names';

type SdkError = Parameters<typeof isTransientError>[0];

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

/** Decides for our own loops what the SDK decides for its retries. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const sdkError = error as SdkError;
  return isNamed(error, NOT_KNOWN_YET) || isThrottlingError(sdkError) || isTransientError(sdkError);
}

/**
 * A state machine can only compare error names, and passing errors have dozens of names. This gives a passing error
 * that outlasted the SDK's retries the one name on which the state machine invokes the handler again.
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
