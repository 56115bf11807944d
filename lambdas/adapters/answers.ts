/** How AWS is called, and how its answers are read: fields that it always sends, errors that are expected, and lists. */
import { type AwsErrorName, errorCode } from '../errors/aws-errors';

/**
 * Exactly one layer repeats a call that failed (docs/decisions/0010-retries.md): the SDK, unless one of our loops does.
 * The SDK pauses for a random part of 0.5, 1, 2, 4 and 8 s when it is throttled, which is at most 15.5 s, and of a fifth
 * of that after other passing errors.
 */
export const REPEATED_BY_SDK = { maxAttempts: 6 } as const;

/** For calls of launch-pair, which repeats them itself, and of connect-pair, which the state machine asks again. */
export const REPEATED_BY_CALLER = { maxAttempts: 1 } as const;

/**
 * The SDK declares every field of an answer as optional. This is for the fields that AWS always sends.
 * @throws when the field is missing after all
 */
export function answered<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw new Error(`${field}: must be in the answer of AWS, is not`);
  return value;
}

/** An error whose code is a key of `results` is no error: the call then has the result beside the code. */
export async function withExpectedErrors<T, Results extends Partial<Record<AwsErrorName, unknown>>>(
  call: Promise<T>,
  results: Results & Readonly<Record<Exclude<keyof Results, AwsErrorName>, never>>,
): Promise<T | Results[keyof Results]> {
  try {
    return await call;
  } catch (error) {
    const code = errorCode(error);
    if (!Object.hasOwn(results, code)) throw error;
    return results[code as keyof Results];
  }
}

/** @returns what all pages list together */
export async function allOf<Page, Item>(
  pages: AsyncIterable<Page>,
  itemsOf: (page: Page) => readonly Item[] | undefined,
): Promise<Item[]> {
  const items: (readonly Item[])[] = [];
  for await (const page of pages) items.push(itemsOf(page) ?? []);
  return items.flat();
}

/** For calls that take a limited number of values. */
export function batches<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** What a filter of EC2 takes at most. */
const FILTER_VALUES = 200;

/** What EC2 finds for all of these values of a filter, in as many calls as they need. */
export async function foundByFilter<Item>(
  values: readonly string[],
  find: (batch: string[]) => Promise<readonly Item[]>,
): Promise<Item[]> {
  const found: (readonly Item[])[] = [];
  for (const batch of batches(values, FILTER_VALUES)) found.push(await find(batch));
  return found.flat();
}
