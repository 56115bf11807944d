/** Which of many tests show something, when some of them look as if they did by chance alone. */
import { ascending } from './quantiles';
import { smallest } from './extremes';

/**
 * The chance of one finding that several tests of the same thing have together (Simes 1986, DOI
 * 10.1093/biomet/73.3.751). It is right for independent tests and for those that err alike, such as the mean and the
 * median of the same round trips; adding a test that agrees with the others costs nothing.
 */
export function combinedChance(chances: readonly number[]): number {
  const { length } = chances;
  return smallest([1, ...ascending(chances).map((chance, index) => (chance * length) / (index + 1))]);
}

/**
 * The largest chance that still counts as a finding, so that in the mean no more than `share` of the findings are false
 * (Benjamini and Hochberg 1995, DOI 10.1111/j.2517-6161.1995.tb02031.x); where there is nothing to find, that is the
 * probability of finding anything. Below 0 where nothing counts.
 */
export function findingsUpTo(chances: readonly number[], share: number): number {
  const sorted = ascending(chances);
  const last = sorted.findLastIndex((chance, index) => chance <= (share * (index + 1)) / sorted.length);
  return sorted[last] ?? -1;
}
