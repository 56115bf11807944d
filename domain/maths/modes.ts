/**
 * Whether repetitions of one measurement gave one value or several. The plateau of a single flow on EC2 is at about 9.5
 * or at about 5 Gbit/s, depending on the hosts, and the mean of the two was never measured.
 *
 * The sorted values are cut at their widest gaps on a logarithmic scale: at as many gaps as exceed both 5 % and 4.5
 * standard deviations of the scatter that remains between the cuts. A few values say little about their own scatter, so
 * the usual scatter counts like two more degrees of freedom; its default of 5 % is that of throughput on fresh pairs.
 *
 * Assumption that may fail: the usual scatter, which alone decides about two values. One normal mode is wrongly cut in
 * 0.3 % of all sets of 2 to 100 values that scatter by 5 %; at 10 %, in 11 % of the sets of two or three and in 1 % of
 * the sets of ten; at 20 %, in 43 %, 38 % and 4 %. Modes at 5 and 9.5 that scatter by 5 % are separated in 99 % of all
 * sets, even with a single value in each (test/domain/maths/modes.test.ts).
 */
import { elementAt } from './elements';
import { ascending, quantileOfSorted, squaredDeviations, sum } from './statistics';

export interface Mode {
  readonly count: number;
  /** The median of the mode's values. */
  readonly centre: number;
  readonly min: number;
  readonly max: number;
}

const USUAL_DEGREES = 2;
const DEVIATIONS_APART = 4.5;
const LEAST_GAP = Math.log(1.05);
const MOST_MODES = 4;
const LEAST_COUNT = 2;

/**
 * @param usualScatter the standard deviation of such values within a mode, as a share of the values
 * @returns in ascending order; a mode may consist of a single value that stands alone
 */
export function modesOf(values: readonly number[], usualScatter = 0.05): readonly Mode[] {
  const sorted = ascending(values);
  if (sorted.length === 0) return [];
  // The values are compared by their ratio, which is undefined for a 0.
  if (elementAt(sorted, 0) <= 0) return [modeOf(sorted)];
  return parts(sorted, usualScatter).map(modeOf);
}

/** Cuts the values at as many of their widest gaps as stand out against the scatter that remains. */
function parts(sorted: readonly number[], usualScatter: number): (readonly number[])[] {
  if (sorted.length < LEAST_COUNT) return [sorted];
  const logs = sorted.map(Math.log);
  const gaps = logs
    .slice(1)
    .map((log, index) => ({ cut: index + 1, width: log - elementAt(logs, index) }))
    .sort((left, right) => right.width - left.width || left.cut - right.cut);
  for (let count = Math.min(MOST_MODES, Math.max(2, Math.ceil(sorted.length / 2))) - 1; count > 0; count -= 1) {
    const cuts = ascending(gaps.slice(0, count).map(({ cut }) => cut));
    const narrowest = elementAt(gaps, count - 1).width;
    if (narrowest >= LEAST_GAP && narrowest > DEVIATIONS_APART * scatterWithin(slices(logs, cuts), usualScatter)) {
      return slices(sorted, cuts);
    }
  }
  return [sorted];
}

function slices(values: readonly number[], cuts: readonly number[]): (readonly number[])[] {
  return [0, ...cuts].map((from, index) => values.slice(from, cuts[index]));
}

function scatterWithin(groups: readonly (readonly number[])[], usualScatter: number): number {
  const squares = sum(groups.map(squaredDeviations));
  const degrees = sum(groups.map((group) => group.length - 1));
  return Math.sqrt((squares + USUAL_DEGREES * usualScatter ** 2) / (degrees + USUAL_DEGREES));
}

function modeOf(sorted: readonly number[]): Mode {
  const [min, max] = [elementAt(sorted, 0), elementAt(sorted, -1)];
  return { count: sorted.length, centre: quantileOfSorted(sorted, 0.5), min, max };
}
