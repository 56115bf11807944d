import { PassingError } from '../../domain/workflow/error-names';
import { isPassing } from '../adapters/retries';
import { errorText } from '../errors/error-text';

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
