/**
 * Percentiles are nearest-rank, here and everywhere: the smallest value that at least p percent of the values do not
 * exceed, so always one that was measured.
 */
import { elementAt } from './elements';

export function nearestRank(sorted: readonly number[], percent: number): number {
  if (sorted.length === 0) throw new Error('values: must hold at least one, got none');
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
  return elementAt(sorted, Math.min(rank, sorted.length) - 1);
}

export function ascending(values: readonly number[]): number[] {
  return [...values].sort((left, right) => left - right);
}
