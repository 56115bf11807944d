/** How AWS is called and how its responses are read: fields that are always present, expected errors, and lists. */
import { type AwsErrorName, errorCode } from '../errors/aws-errors';

/**
 * Exactly one layer retries a failed call (docs/decisions/0010-retries.md): the SDK, or one of our loops. When
 * throttled, the SDK waits for a random part of 0.5, 1, 2, 4 and 8 s, at most 15.5 s in total; after other passing
 * errors it waits a fifth of that.
 */
export const REPEATED_BY_SDK = { maxAttempts: 6 } as const;

/** For calls whose caller retries: launch-pair retries its own, and the state machine invokes connect-pair again. */
export const REPEATED_BY_CALLER = { maxAttempts: 1 } as const;

/** Reads a field that AWS always sends, although the SDK declares it as optional. @throws if it is missing after all */
export function answered<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw new Error(`${field}: must be in the answer of AWS, is not`);
  return value;
}

/** Treats an error whose code is a key of `results` as success with the result given there. */
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

export async function allOf<Page, Item>(
  pages: AsyncIterable<Page>,
  itemsOf: (page: Page) => readonly Item[] | undefined,
): Promise<Item[]> {
  const items: (readonly Item[])[] = [];
  for await (const page of pages) items.push(itemsOf(page) ?? []);
  return items.flat();
}

export function batches<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** The maximum number of values in an EC2 filter. */
const FILTER_VALUES = 200;

/** Finds what matches any of these values of an EC2 filter, in as many calls as needed. */
export async function foundByFilter<Item>(
  values: readonly string[],
  find: (batch: string[]) => Promise<readonly Item[]>,
): Promise<Item[]> {
  const found: (readonly Item[])[] = [];
  for (const batch of batches(values, FILTER_VALUES)) found.push(await find(batch));
  return found.flat();
}
