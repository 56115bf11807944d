/**
 * Finds changes of the shares of modes over the history of runs: four of seven pairs at 9.69 Gbit/s and the others at
 * 5.02, and then none of seven. The medians of such runs jump between the modes, so that they show it late or never.
 *
 * The history is replayed as in `change-point.ts`, and a split must pass two tests:
 *
 * 1. **Pairs.** Fisher's exact test of the pairs before and after the split, at a limit that decreases with the number of
 * splits that are tested.
 * 2. **Runs.** The pairs of one run may resemble each other, because they were placed at the same time. So the newest
 * runs must also be further out than nearly all other choices of as many runs (an exact permutation test over runs).
 *
 * `npm run bench:history` measures how often it errs, and how often it finds what.
 */
import { elementAt } from '../maths/elements';
import {
  chanceOfShares,
  gapsOf,
  shareFrom,
  shareOf,
  type Gap,
  type ModeShares,
  type Share,
} from '../maths/mode-shares';
import { clamp, largest, sum } from '../maths/statistics';
import { MOST_BEFORE, replay, type FoundChange, type FoundSplits, type Split } from './change-point';
import { LEAST_AT_LEVEL, mostChanceOfNewLevel, type Certainty } from './level-change';

/** One run, with a value of each of its pairs. */
export interface RunOfPairs {
  readonly runId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly values: readonly number[];
}

export interface ShareChange extends FoundChange {
  readonly shares: ModeShares;
}

export interface WatchedShares {
  readonly gaps: readonly GapWithinRuns[];
  readonly change?: ShareChange;
  /** A possible change since then. */
  readonly possibleChange?: ShareChange;
}

/** The least change of a share; smaller ones come and go with the hosts that happen to be free. */
const LEAST_CHANGE = 0.25;

/** @param runs in the order in which they were made */
export function watchShares(runs: readonly RunOfPairs[], usualScatter?: number): WatchedShares {
  const gaps = gapsWithinRuns(runs, usualScatter);
  const found = gaps.map((gap) => {
    const shares = runs.map(({ values }) => shareFrom(values, gap.least));
    return { gap, shares, splits: [...shareSplits(shares, gaps.length)].at(-1) ?? {} };
  });
  const newest = (certainty: Certainty): ShareChange | undefined =>
    found
      .flatMap(({ gap, shares, splits }) => {
        const split = splits[certainty];
        return split === undefined ? [] : [{ gap, shares, split }];
      })
      .sort((left, right) => right.split.at - left.split.at)
      .map(({ gap, shares, split }) => describe(runs, gap, shares, split, certainty))[0];
  return { gaps, change: newest('certain'), possibleChange: newest('possible') };
}

/** A gap between modes that single runs have on both sides. */
export interface GapWithinRuns extends Gap {
  /** The share of runs that have values at both neighbours of the gap. */
  readonly shareOfRuns: number;
}

/** Where no run has both neighbours of a gap, the figure has one value at a time, and a change is one of its level. */
function gapsWithinRuns(runs: readonly RunOfPairs[], usualScatter: number | undefined): GapWithinRuns[] {
  if (runs.every(({ values }) => gapsOf(values, usualScatter).length === 0)) return [];
  const gaps = gapsOf(
    runs.flatMap(({ values }) => values),
    usualScatter,
  );
  return gaps.flatMap((gap, index) => {
    const [from, to] = [gaps[index - 1]?.least ?? 0, gaps[index + 1]?.least ?? Infinity];
    const hasBoth = ({ values }: RunOfPairs) =>
      values.some((value) => value >= from && value < gap.least) &&
      values.some((value) => value >= gap.least && value < to);
    const count = runs.filter(hasBoth).length;
    return count === 0 ? [] : [{ ...gap, shareOfRuns: count / runs.length }];
  });
}

/**
 * Yields after each run the last certain change of the shares, and a possible change since then.
 *
 * @param gapCount how many gaps are tested, by which each probability is multiplied
 */
export function shareSplits(runs: readonly Share[], gapCount: number): Generator<FoundSplits> {
  return replay(runs.length, ({ from, at, end }, certainty) => {
    const [before, after] = [runs.slice(Math.max(from, at - MOST_BEFORE), at), runs.slice(at, end)];
    const [earlier, now] = [joined(before), joined(after)];
    if (Math.abs(shareOf(now) - shareOf(earlier)) < LEAST_CHANGE) return 0;
    const alike = likeness([before, after]);
    const chance = gapCount * chanceOfShares(shrunk(earlier, alike), shrunk(now, alike));
    const most = mostChanceOfPairs(before.length, after.length, certainty);
    if (chance > most) return 0;
    const ofRuns = (gapCount * chanceOfRuns(before, after) * after.length) / LEAST_AT_LEVEL;
    return ofRuns > mostChanceOfNewLevel(certainty) ? 0 : most / chance;
  });
}

/**
 * The probability with which scatter between pairs may pass for a change at one split. It decreases with the runs on
 * both sides, because a longer history is tested more often.
 */
function mostChanceOfPairs(before: number, after: number, certainty: Certainty): number {
  return (certainty === 'certain' ? 0.12 : 0.6) / (before ** 1.5 * after ** 2);
}

/**
 * How many pairs of a run count as one, because they resemble each other: by how much the runs scatter more than
 * independent pairs would, which is Pearson's statistic with its standard error added (Rao and Scott 1992, DOI
 * 10.2307/2532311). No fewer than one pair, and no more than a run has.
 */
function likeness(sides: readonly (readonly Share[])[]): number {
  const mixed = sides
    .map((runs) => ({ runs, share: shareOf(joined(runs)) }))
    .filter(({ share }) => share > 0 && share < 1);
  const squares = mixed.flatMap(({ runs, share }) =>
    runs.map(({ count, of }) => (count - of * share) ** 2 / (of * share * (1 - share))),
  );
  const degrees = squares.length - mixed.length;
  const effect = (sum(squares) / degrees) * (1 + Math.sqrt(2 / degrees));
  return clamp(effect, 1, largest(sides.flat().map(({ of }) => of)));
}

const shrunk = ({ count, of }: Share, alike: number): Share => ({
  count: Math.round(count / alike),
  of: Math.round(of / alike),
});

const joined = (shares: readonly Share[]): Share => ({
  count: sum(shares.map(({ count }) => count)),
  of: sum(shares.map(({ of }) => of)),
});

/**
 * The share of all choices of so many runs that are at least as far out, in the same direction, as the newest ones. A run
 * counts by how many pairs more than the average of all runs it has above the gap.
 */
function chanceOfRuns(before: readonly Share[], after: readonly Share[]): number {
  const runs = [...before, ...after];
  const all = joined(runs);
  // Whole numbers, so that equal sums are equal.
  const excessOf = ({ count, of }: Share) => count * all.of - of * all.count;
  const excess = sum(after.map(excessOf));
  // By the number of chosen runs: how many choices have each sum.
  const choices: Map<number, number>[] = [new Map([[0, 1]]), ...after.map(() => new Map<number, number>())];
  for (const run of runs) {
    for (let chosen = after.length; chosen > 0; chosen -= 1) {
      const target = elementAt(choices, chosen);
      for (const [total, ways] of elementAt(choices, chosen - 1)) {
        const next = total + excessOf(run);
        target.set(next, (target.get(next) ?? 0) + ways);
      }
    }
  }
  const found = [...elementAt(choices, after.length)];
  const isAsFar = (total: number) => (excess > 0 ? total >= excess : total <= excess);
  return sum(found.filter(([total]) => isAsFar(total)).map(([, ways]) => ways)) / sum(found.map(([, ways]) => ways));
}

function describe(
  runs: readonly RunOfPairs[],
  { above, below }: Gap,
  shares: readonly Share[],
  { before: from, at, found }: Split,
  certainty: Certainty,
): ShareChange {
  const [earlier, now] = [joined(shares.slice(from, at)), joined(shares.slice(at))];
  const { runId, at: time } = elementAt(runs, at);
  return {
    certainty,
    firstRunId: runId,
    at: time,
    foundRunId: elementAt(runs, found).runId,
    runCount: runs.length,
    direction: shareOf(now) > shareOf(earlier) ? 'rise' : 'fall',
    before: { runCount: at - from },
    after: { runCount: runs.length - at },
    shares: { above, below, earlier, now },
  };
}
