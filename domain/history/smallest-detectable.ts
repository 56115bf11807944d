/** The smallest change of a level that the detector would find in the next three runs. */
import { MOST_BEFORE, watchHistory, type FoundChange, type HistoryPoint } from './change-point';
import {
  canBeNewLevel,
  differenceByScatter,
  earlierRuns,
  LEAST_AT_LEVEL,
  LEAST_SCATTER,
  LEAST_SIZE,
  varianceOfMean,
} from './level-change';
import { largest } from '../maths/statistics';

/** An earlier run this many standard deviations off is far off. */
const FAR_OFF = 5;
/** One-sided 95 % point of the normal distribution. */
const NORMAL_95 = 1.645;
/** A change that would have to double the figure is no promise to anybody. */
const MOST_SIZE = Math.LN2;
/** A change of so many times the distance of the farthest earlier run leaves that one well short of half of the way. */
const LEAST_SIZE_IN_REACH = 2.5;
/** A change of so many standard deviations of a single run has all three runs past half of the way, and no earlier run near. */
const LEAST_SIZE_IN_SCATTER = 5;

/**
 * The smallest change of level that the next three runs would show in 95 of 100 cases, as a share of the level: 0.12 is
 * 12 %. It takes the largest scatter that agrees with the runs so far, because a few runs often look more alike than they
 * are; and it assumes that none of the three is far off.
 *
 * @param last what is already known of their last certain change
 * @returns undefined where there are too few runs for a change to be found in three, or where one of them is far off: one
 *   of the next three may be as well, more often than in one case of 20
 */
export function smallestDetectable(
  points: readonly HistoryPoint[],
  { change }: { readonly change?: Pick<FoundChange, 'firstRunId'> } = watchHistory(points),
): number | undefined {
  const presentLevel = points.slice(
    Math.max(
      points.findIndex(({ runId }) => runId === change?.firstRunId),
      0,
    ),
  );
  const runs = presentLevel.slice(-MOST_BEFORE).map(({ value }) => Math.log(value));
  const count = runs.length;
  if (count < LEAST_AT_LEVEL || !canBeNewLevel(count, LEAST_AT_LEVEL, 'certain')) return undefined;
  const before = earlierRuns(runs);
  const { level: earlier, correlation } = before;
  const scatter = Math.max(earlier.scatter, LEAST_SCATTER);
  const farthest = largest(runs.map((log) => Math.abs(log - earlier.level)));
  if (farthest > FAR_OFF * scatter) return undefined;
  const most = scatter / Math.sqrt(leastVarianceRatio(count - 1));
  const squares = (LEAST_AT_LEVEL - 1) * most ** 2;
  const threshold = Math.max(LEAST_SIZE, differenceByScatter(before, LEAST_AT_LEVEL, squares, 'certain'));
  const error = most * Math.sqrt(varianceOfMean(count, correlation) + varianceOfMean(LEAST_AT_LEVEL, correlation));
  const size = Math.max(threshold + NORMAL_95 * error, LEAST_SIZE_IN_SCATTER * most, LEAST_SIZE_IN_REACH * farthest);
  return size > MOST_SIZE ? undefined : Math.expm1(size);
}

/** The 5 % point of a variance estimate relative to the true one: chi-squared by Wilson and Hilferty (1931), DOI 10.1073/pnas.17.12.684. */
function leastVarianceRatio(degrees: number): number {
  const spread = 2 / (9 * degrees);
  return (1 - spread - NORMAL_95 * Math.sqrt(spread)) ** 3;
}
