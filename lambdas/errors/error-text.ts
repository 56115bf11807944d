/** Errors as people read them, and as the code compares them. */
import type { DecidedErrorName } from './aws-error-names';

/**
 * The SDK gives the error code of the service as the name of the error. Whoever decides on it takes `isNamed` or
 * `withExpectedErrors`, which accept known names only; a lint rule finds other comparisons.
 */
export function errorCode(error: unknown): string {
  return error instanceof Error ? error.name : 'UnknownError';
}

export function isNamed(error: unknown, names: ReadonlySet<DecidedErrorName>): boolean {
  return (names as ReadonlySet<string>).has(errorCode(error));
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** `RequestLimitExceeded: Request limit exceeded.` */
export function errorText(error: unknown): string {
  return `${errorCode(error)}: ${errorMessage(error)}`;
}
