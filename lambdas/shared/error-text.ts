/** Errors as people read them. */

/** The SDK gives the error code of the service as the name of the error. */
export function errorCode(error: unknown): string {
  return error instanceof Error ? error.name : 'UnknownError';
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** `RequestLimitExceeded: Request limit exceeded.` */
export function errorText(error: unknown): string {
  return `${errorCode(error)}: ${errorMessage(error)}`;
}
