/** The errors of AWS after which the same call may succeed a little later. */
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

/** The caller's counterpart of what the SDK decides by itself. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const sdkError = error as SdkError;
  return isNamed(error, NOT_KNOWN_YET) || isThrottlingError(sdkError) || isTransientError(sdkError);
}

/**
 * A state machine can only compare names of errors, and those that pass have dozens. So an error of AWS that passes, but
 * outlasted the SDK's own attempts, gets the one name on which the handler is invoked again.
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
