import { elementAt } from './elements';

/** The smallest value that at least `percent` of the values do not exceed, so that it is always a measured one. */
export function nearestRank(sorted: readonly number[], percent: number): number {
  if (sorted.length === 0) throw new Error('values: must hold at least one, got none');
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return elementAt(sorted, Math.min(rank, sorted.length) - 1);
}

export function ascending(values: Float64Array): Float64Array;
export function ascending(values: readonly number[]): number[];
export function ascending(values: readonly number[] | Float64Array): number[] | Float64Array {
  // Without a comparison function a typed array sorts by number, and several times faster.
  return values instanceof Float64Array ? values.slice().sort() : [...values].sort((left, right) => left - right);
}
