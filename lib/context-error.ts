/** What is wrong with the settings of the deployment, and how all of it is found at once. */

/** Says what is wrong with settings, to whoever has set them: its message, a line or more for each, is all that they need. */
export class ContextError extends Error {
  override readonly name = 'ContextError';
}

export function refusal(key: string, allowed: string, got: unknown): ContextError {
  return new ContextError(`context ${key}: must be ${allowed}, got ${JSON.stringify(got)}`);
}

/**
 * Runs all of the readers, even when some refuse their settings.
 * @throws ContextError with what each of them refuses
 */
export function readAll<Read extends object>(readers: { readonly [Key in keyof Read]: () => Read[Key] }): Read {
  const refusals: string[] = [];
  const entries = Object.entries<() => unknown>(readers).map(([key, read]) => {
    try {
      return [key, read()] as const;
    } catch (error) {
      refusals.push(refusalOf(error));
      return [key, undefined] as const;
    }
  });
  if (refusals.length > 0) throw new ContextError(refusals.join('\n'));
  return Object.fromEntries(entries) as Read;
}

/**
 * For whatever depends on another setting, which is refused by its own reader.
 * @returns undefined where the reader refuses its setting
 */
export function unlessRefused<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    refusalOf(error);
    return undefined;
  }
}

/** @throws the error itself if it is about anything but a setting */
function refusalOf(error: unknown): string {
  if (!(error instanceof ContextError)) throw error;
  return error.message;
}
