/** In which interval a figure of another pair of the same types lies. */
import type { Bounds, Interval } from './interval';
import type { RepetitionStatistics } from './repetition-statistics';

/**
 * The prediction interval of one more pair: from the mean of the pairs that were measured, narrower than from a single
 * one by √((1 + 1/n) / 2), because the recorded factor is between two single pairs; and never narrower than the range of
 * what was measured.
 *
 * @returns undefined where the scatter between pairs is not recorded, or the values stand in several modes
 */
export function intervalOfAnotherPair(
  { mean, count, min, max }: Pick<RepetitionStatistics, 'mean' | 'count' | 'min' | 'max'>,
  { ofAnotherPair }: { readonly ofAnotherPair?: Interval },
): Bounds | undefined {
  if (mean === null || ofAnotherPair === undefined) return undefined;
  const narrower = Math.sqrt((1 + 1 / count) / 2);
  return {
    low: Math.min(min, mean * ofAnotherPair.low ** narrower),
    high: Math.max(max, mean * ofAnotherPair.high ** narrower),
  };
}
