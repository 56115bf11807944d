/** How the answers of AWS are read: fields that it always sends, errors that are expected, and lists in pages. */
import type { AwsErrorName } from '../errors/aws-error-names';
import { errorCode } from '../errors/error-text';

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
export const FILTER_VALUES = 200;
