/**
 * The smallest and the largest of any number of values. `Math.min(...values)` throws "Maximum call stack size exceeded"
 * from about 120,000 values on, because every argument of a call takes a place on the stack.
 */

/**
 * @returns NaN if one of the values is NaN, as `Math.min` does
 * @throws RangeError for no values; a caller that may have none adds a bound of its own to them
 */
export function smallest(values: Iterable<number>): number {
  let least: number | undefined;
  for (const value of values) least = least === undefined ? value : Math.min(least, value);
  return least ?? withoutValues();
}

/**
 * @returns NaN if one of the values is NaN, as `Math.max` does
 * @throws RangeError for no values; a caller that may have none adds a bound of its own to them
 */
export function largest(values: Iterable<number>): number {
  let most: number | undefined;
  for (const value of values) most = most === undefined ? value : Math.max(most, value);
  return most ?? withoutValues();
}

function withoutValues(): never {
  throw new RangeError('values: must be at least one, got none');
}
