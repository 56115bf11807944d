/**
 * Compares how two samples are distributed over several modes: 4 of 7 pairs at 9.69 Gbit/s and the others at 5.02, and
 * then none of 7. There is no mean to compare, but the shares of the modes can be, by Fisher's exact test.
 *
 * The modes are those of both samples together, so that they don't depend on which value belongs to which sample; the
 * test needs this. With more than two modes, the samples are cut at each gap between two modes, and the smallest
 * probability counts as many times as there are gaps (Bonferroni).
 *
 * Assumption that may fail: the values are independent, so each must be of a pair of its own.
 */
import { elementAt } from './elements';
import { sum } from './statistics';
import { modesOf } from './modes';

/** So many of so many values are at the upper modes. */
export interface Share {
  readonly count: number;
  readonly of: number;
}

export interface ModeShares {
  /** The centres of the modes above the gap, in ascending order. */
  readonly above: readonly number[];
  /** The centres of the modes below the gap, in ascending order. */
  readonly below: readonly number[];
  /** The share of the earlier values that are above the gap. */
  readonly earlier: Share;
  readonly now: Share;
}

export const shareOf = ({ count, of }: Share) => count / of;

/** How far apart the modes beside the gap are, as a logarithm. */
export function stepOf({ above, below }: Pick<ModeShares, 'above' | 'below'>): number {
  return Math.log(elementAt(above, 0) / elementAt(below, -1));
}

/** How much the logarithms change on average: the step between the modes times the share that took it. */
export function sizeOfShares(shares: ModeShares): number {
  return stepOf(shares) * Math.abs(shareOf(shares.now) - shareOf(shares.earlier));
}

/** @returns the gap at which the shares differ most; undefined where all values are at one mode */
export function comparedShares(
  earlier: readonly number[],
  now: readonly number[],
  usualScatter?: number,
): { readonly shares: ModeShares; readonly chance: number } | undefined {
  const gaps = gapsOf([...earlier, ...now], usualScatter);
  const [first, ...others] = gaps.map(({ least, above, below }) => {
    const shares = { above, below, earlier: shareFrom(earlier, least), now: shareFrom(now, least) };
    return { shares, chance: Math.min(1, gaps.length * chanceOfShares(shares.earlier, shares.now)) };
  });
  return first && others.reduce((best, other) => (other.chance < best.chance ? other : best), first);
}

export interface Gap extends Pick<ModeShares, 'above' | 'below'> {
  /** The smallest value above the gap. */
  readonly least: number;
  /** The largest value below the gap. */
  readonly most: number;
}

/** Returns the gaps between the modes; none where all values are at one mode. */
export function gapsOf(values: readonly number[], usualScatter?: number): Gap[] {
  const modes = modesOf(values, usualScatter);
  const centres = modes.map(({ centre }) => centre);
  return modes.slice(1).map(({ min }, index) => ({
    least: min,
    most: elementAt(modes, index).max,
    below: centres.slice(0, index + 1),
    above: centres.slice(index + 1),
  }));
}

export const shareFrom = (values: readonly number[], least: number): Share => ({
  count: values.filter((value) => value >= least).length,
  of: values.length,
});

/** Tables that are less probable than the observed one only by rounding count as equally probable. */
const ROUNDING = 1 + 1e-7;

/**
 * Fisher's exact test (1935), two-sided: the probability of a table that is at most as probable as the observed one, if
 * the samples differ by chance alone. It is 0.07 for 4 of 7 and 0 of 7.
 */
export function chanceOfShares(one: Share, other: Share): number {
  const all = one.count + other.count;
  const logOf = (count: number) => logWays(one.of, count) + logWays(other.of, all - count);
  const logOfAll = logWays(one.of + other.of, all);
  const most = logOf(one.count) + Math.log(ROUNDING);
  const [from, to] = [Math.max(0, all - other.of), Math.min(one.of, all)];
  const logs = Array.from({ length: to - from + 1 }, (_, index) => logOf(from + index));
  return Math.min(1, sum(logs.filter((log) => log <= most).map((log) => Math.exp(log - logOfAll))));
}

const logFactorials = [0];

function logFactorial(count: number): number {
  for (let next = logFactorials.length; next <= count; next += 1) {
    logFactorials.push((logFactorials[next - 1] ?? 0) + Math.log(next));
  }
  return logFactorials[count] ?? NaN;
}

/** The logarithm of the binomial coefficient. */
const logWays = (all: number, count: number) => logFactorial(all) - logFactorial(count) - logFactorial(all - count);
