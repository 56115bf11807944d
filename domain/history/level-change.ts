/**
 * Whether the newest runs of a history are at another level than the runs before them. There are two reasons why they
 * may seem to be, and a test for each:
 *
 * 1. **Scatter.** Student's t of the difference of the levels, with an earlier level that one run in twenty far off does
 *    not move, and as much resemblance of neighbouring runs as the earlier ones leave possible.
 * 2. **Kinds of hosts.** Hosts come in kinds, and a rarer kind three times in a row is no change. The chance of that is
 *    counted without any assumption about the values (Fisher's exact test, 1935: the newest runs are the ones at the
 *    new level, whatever the order of all runs).
 *
 * Both are asked after every run, for many splits, so that each may err far more rarely than a single test would. The
 * change-point model of statistical process control is built in this way (Hawkins, Qiu and Kang 2003, DOI
 * 10.1080/00224065.2003.11980233). docs/decisions/0015-changes-over-runs.md has what it reaches, and what can't be reached.
 *
 * The same two tests with larger allowed chances say which changes are possible: those that a person would want to hear
 * of after few runs, and that no alarm could afford.
 */
import { clamp, mean, median, medianAbsoluteDeviation, studentQuantile, sum } from '../maths/statistics';

/** How sure a change is: only a certain one is an alarm. */
export type Certainty = 'certain' | 'possible';

/** One or two runs are no level: they may be far off. */
export const LEAST_AT_LEVEL = 3;

/** Logarithm of the smallest ratio that is called a change, 8 %: smaller ones come and go with days and weeks. */
export const LEAST_SIZE = Math.log(1.08);
/** No figure is known better than this from one run, however equal a few values are; a share of the value. */
export const LEAST_SCATTER = 0.005;
/** A run is at the new level if it has gone half of the way to it, and at another one if it has gone twice as far. */
const HALFWAY = 0.5;
const TWICE_AS_FAR = 2;
/** All of the newest three must be at the new level, and so many of all runs after the split: one in a few is far off. */
const LEAST_SHARE_AFTER = 0.75;
/** A run before the split that is less far from its level is there by scatter, however near it is to the new one. */
const MOST_SCATTERS = 3;
/**
 * How probable it may be that the newest runs are the ones at the new level. A level that no run was at before can be met
 * for the first time only once in a history's life; one that was met before can come back at any time. One earlier run
 * at the new level passes for one that was far off if there are 40 of them, and two do if there are 55. Three runs at a new
 * level after ten others are a certain change, one of 286 orders; after five others they are a possible one, one of 56.
 */
const MOST_CHANCE_OF_NEW_LEVEL: Readonly<Record<Certainty, number>> = { certain: 1 / 280, possible: 1 / 55 };
const MOST_CHANCE_OF_KNOWN_LEVEL = 1 / 3000;

/** Runs before a change after which a possible one is no more likely to be scatter than a certain one. */
const LONG_HISTORY = 50;

/**
 * The two-sided probability with which scatter may pass for a change, for one split. It falls with the runs before,
 * because a longer history is tested more often and its scatter is better known, and steeply with those after it: runs
 * that resemble each other drift, and the further the more of them there are, while a real change only becomes plainer.
 * `npm run bench:history` has the false alarms that follow from the factor.
 *
 * A possible change may err more often by the factor by which a long history is longer: ten times as often after five runs,
 * twice as often after 25, and no more often after 50, which find nearly everything with certainty.
 */
function mostChanceOfScatter(before: number, after: number, certainty: Certainty): number {
  const chance = 2.4 / (before ** 1.5 * after ** 5);
  return certainty === 'certain' ? chance : chance * Math.max(1, LONG_HISTORY / before);
}

export interface EarlierRuns {
  readonly runs: readonly number[];
  readonly median: number;
  readonly level: RobustLevel;
  /** The largest of neighbouring runs that agrees with these. */
  readonly correlation: number;
}

export function earlierRuns(runs: readonly number[]): EarlierRuns {
  const level = robustLevel(runs);
  return { runs, median: median(runs), level, correlation: mostCorrelation(runs, level) };
}

/** How sure the change is, as a multiple of the difference that scatter may make; 0 where there is none. */
export function significanceOf(before: EarlierRuns, after: readonly number[], certainty: Certainty): number {
  const middle = median(after);
  // Most splits are nowhere near a change.
  if (Math.abs(middle - before.median) < LEAST_SIZE / 2) return 0;
  const { level: earlier, runs } = before;
  const reach = REACH * Math.max(earlier.scatter, LEAST_SCATTER);
  // One of the newest runs may be far off, too; it counts as one that is a little off.
  const newest = after.map((log) => clamp(log, middle - reach, middle + reach));
  const later = mean(newest);
  const change = later - earlier.level;
  if (Math.abs(change) < LEAST_SIZE) return 0;
  const wayOf = (log: number) => (log - earlier.level) / change;
  const atNewLevel = after.filter((log) => wayOf(log) > HALFWAY).length;
  if (atNewLevel < LEAST_SHARE_AFTER * after.length) return 0;
  if (after.slice(-LEAST_AT_LEVEL).some((log) => wayOf(log) < HALFWAY)) return 0;
  const known = runs.filter(
    (log) =>
      Math.abs(log - earlier.level) > MOST_SCATTERS * earlier.scatter &&
      wayOf(log) > HALFWAY &&
      wayOf(log) < TWICE_AS_FAR,
  ).length;
  if (!isNewLevel({ before: runs.length, after: after.length, known, atNewLevel }, certainty)) return 0;
  const squares = sum(newest.map((log) => (log - later) ** 2));
  return Math.abs(change) / differenceByScatter(before, after.length, squares, certainty);
}

/**
 * Whether chance is excluded for a level at which `known` of the runs before and `atNewLevel` of those after the split
 * are: the probability that so many or more are among the newest, if the order of all runs says nothing (hypergeometric
 * distribution). The more runs a split has after it, the more splits were tried before it, so that it may err less.
 */
function isNewLevel({ before, after, known, atNewLevel }: SplitCounts, certainty: Certainty): boolean {
  const all = known + atNewLevel;
  let ways = 0;
  for (let among = atNewLevel; among <= Math.min(after, all); among += 1) {
    ways += choose(after, among) * choose(before, all - among);
  }
  const chance = (ways / choose(before + after, all)) * (after / LEAST_AT_LEVEL);
  return chance <= (known === 0 ? MOST_CHANCE_OF_NEW_LEVEL[certainty] : MOST_CHANCE_OF_KNOWN_LEVEL);
}

interface SplitCounts {
  readonly before: number;
  readonly after: number;
  readonly known: number;
  readonly atNewLevel: number;
}

/** Whether so many runs after so many others can be a new level at all, if no earlier run was at it and each new one is. */
export function canBeNewLevel(before: number, after: number, certainty: Certainty): boolean {
  return isNewLevel({ before, after, known: 0, atNewLevel: after }, certainty);
}

/** Ways to choose `count` of `all`; 0 where there are not as many. */
function choose(all: number, count: number): number {
  let ways = 1;
  for (let each = 1; each <= count; each += 1) ways *= (all - count + each) / each;
  return count > all ? 0 : ways;
}

/** The difference that scatter makes with the probability `mostChanceOfScatter`. */
export function differenceByScatter(
  before: EarlierRuns,
  after: number,
  squaresAfter: number,
  certainty: Certainty,
): number {
  return mostByScatter(before.runs.length, after, certainty) * errorOf(before, after, squaresAfter);
}

/** Standard error of the difference between the level of the earlier runs and that of `after` new ones. */
export function errorOf({ runs, level, correlation }: EarlierRuns, after: number, squaresAfter: number): number {
  const before = runs.length;
  const variance = ((before - 1) * level.scatter ** 2 + squaresAfter) / (before + after - 2);
  const scatter = Math.max(Math.sqrt(variance), LEAST_SCATTER);
  return scatter * Math.sqrt(varianceOfMean(before, correlation) + varianceOfMean(after, correlation));
}

const quantiles = new Map<string, number>();

/** Student's t that scatter exceeds with the probability `mostChanceOfScatter`. */
function mostByScatter(before: number, after: number, certainty: Certainty): number {
  const key = `${before} ${after} ${certainty}`;
  const known = quantiles.get(key);
  if (known !== undefined) return known;
  const quantile = studentQuantile(before + after - 2, 1 - mostChanceOfScatter(before, after, certainty));
  quantiles.set(key, quantile);
  return quantile;
}

/** Two-sided 99 % point of the normal distribution. */
const NORMAL_99 = 2.576;
/** The largest correlation that is allowed for: neighbours that are more alike than this drift as if the level changed. */
const MOST_CORRELATION = 0.55;

/**
 * The largest correlation of neighbours that agrees with the runs: the upper end of its 99 % interval, with the standard
 * error of independent runs (Bartlett 1946, DOI 10.2307/2983611). Ten runs can't show that they are independent, so they
 * get the largest; forty can, and smaller changes are found in them. Runs that are far off are moved near, because one
 * of them would hide any resemblance of the others.
 */
function mostCorrelation(runs: readonly number[], { level, scatter }: RobustLevel): number {
  const reach = REACH * scatter;
  const residuals = runs.map((log) => clamp(log - level, -reach, reach));
  const squares = sum(residuals.map((residual) => residual ** 2));
  if (squares === 0) return MOST_CORRELATION;
  let products = 0;
  residuals.reduce((previous, next) => {
    products += previous * next;
    return next;
  });
  return clamp(products / squares + NORMAL_99 / Math.sqrt(runs.length), 0, MOST_CORRELATION);
}

/**
 * Variance of the mean of so many neighbours, relative to that of one run.
 *
 * Assumption that may fail: the resemblance of neighbours fades from run to run by the same factor (autoregression of the
 * first order).
 */
export function varianceOfMean(count: number, correlation: number): number {
  const rest = 1 - correlation;
  return ((1 + correlation) / rest - (2 * correlation * (1 - correlation ** count)) / (count * rest ** 2)) / count;
}

/** The level of values among which some may be far off, and how much they scatter around it. */
export interface RobustLevel {
  readonly level: number;
  /** Standard deviation of the values that are not far off. */
  readonly scatter: number;
}

/** Values farther from the level than this many standard deviations are moved to that distance. */
const REACH = 1.5;
/** The standard deviation of normal values relative to the one after they are moved. */
const CONSISTENCY = 1.134;
const ITERATIONS = 30;
const PRECISION = 1e-9;

/**
 * Algorithm A of ISO 13528:2015, C.3: far values are moved to 1.5 standard deviations from the level, until level and
 * scatter no longer change. It uses nearly all that normal values have to say, and a value that is far off moves the
 * level by a fraction of the scatter.
 *
 * @param values at least two
 */
export function robustLevel(values: readonly number[]): RobustLevel {
  let level = median(values);
  let scatter = medianAbsoluteDeviation(values, level);
  // Where more than half of the values are equal, their median deviation is 0 and says nothing of the others.
  if (scatter === 0) scatter = Math.sqrt(sum(values.map((value) => (value - level) ** 2)) / (values.length - 1));
  for (let iteration = 0; iteration < ITERATIONS && scatter > 0; iteration += 1) {
    const [low, high] = [level - REACH * scatter, level + REACH * scatter];
    const moved = values.map((value) => clamp(value, low, high));
    const center = mean(moved);
    const next = CONSISTENCY * Math.sqrt(sum(moved.map((value) => (value - center) ** 2)) / (values.length - 1));
    const isSettled = Math.abs(center - level) + Math.abs(next - scatter) < PRECISION * scatter;
    [level, scatter] = [center, next];
    if (isSettled) break;
  }
  return { level, scatter };
}
