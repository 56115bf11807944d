/**
 * Tests whether the newest runs of a history are at another level than the runs before them. A false change can have
 * two causes, and there is a test against each:
 *
 * 1. **Scatter.** Student's t of the difference of the levels. The earlier level is estimated robustly against outliers
 * (one run in twenty), and neighbouring runs are assumed to be as correlated as the earlier runs allow. 2. **Kinds of
 * hosts.** Hosts differ in kind, and three runs in a row on a rarer kind are not a change. The probability of that is
 * counted without any assumption about the values (Fisher's exact test, 1935: by chance, the newest runs would be those
 * at the new level).
 *
 * Both tests are repeated after every run for many splits, so their error rates must be far lower than that of a single
 * test. The change-point model of statistical process control works in this way (Hawkins, Qiu and Kang 2003, DOI
 * 10.1080/00224065.2003.11980233). docs/decisions/0015-changes-over-runs.md describes what it can and can't detect.
 *
 * Possible changes pass the same tests with higher error rates. They are worth a note after few runs, but not an alarm.
 */
import { clamp, mean, median, medianAbsoluteDeviation, studentQuantile, sum } from '../maths/statistics';

/** Only a certain change raises an alarm. */
export type Certainty = 'certain' | 'possible';

/** The least number of runs at a level, because one or two runs may be outliers. */
export const LEAST_AT_LEVEL = 3;

/** The logarithm of the smallest ratio that is a change: 8 %, because smaller differences come and go within weeks. */
export const LEAST_SIZE = Math.log(1.08);
/** The least scatter of a run, as a share of the value, because a few equal values do not prove that there is none. */
export const LEAST_SCATTER = 0.005;
/** A run is at the new level if it is at least halfway to it, and less than twice as far away. */
const HALFWAY = 0.5;
const TWICE_AS_FAR = 2;
/** The least share of runs after the split at the new level, which allows outliers; the newest three must be at it. */
const LEAST_SHARE_AFTER = 0.75;
/** An earlier run within this many standard deviations of its level does not count as being at the new level. */
const MOST_SCATTERS = 3;
/**
 * The highest probability at which the newest runs may be at the new level by chance. The limit is stricter for a level
 * that earlier runs were at, because it can return at any time: one such run is tolerated among 40, two among 55. Three
 * runs at a new level are a certain change after ten others (1 of 286 orders), and a possible one after five (1 of 56).
 */
const MOST_CHANCE_OF_NEW_LEVEL: Readonly<Record<Certainty, number>> = { certain: 1 / 280, possible: 1 / 55 };
const MOST_CHANCE_OF_KNOWN_LEVEL = 1 / 3000;

export const mostChanceOfNewLevel = (certainty: Certainty) => MOST_CHANCE_OF_NEW_LEVEL[certainty];

/** From this many earlier runs on, a possible change has the same error rate as a certain one. */
const LONG_HISTORY = 50;

/**
 * Returns the two-sided probability with which scatter may pass for a change at one split. It decreases with the runs
 * before the split, because a longer history is tested more often, and steeply with the runs after it, because
 * correlated runs drift the further the more there are, while a real change only becomes clearer. `npm run
 * bench:history` measures the resulting false alarms.
 *
 * A possible change may err ten times as often after five runs, twice as often after 25, and no more often from 50 on.
 */
function mostChanceOfScatter(before: number, after: number, certainty: Certainty): number {
  const chance = 2.4 / (before ** 1.5 * after ** 5);
  return certainty === 'certain' ? chance : chance * Math.max(1, LONG_HISTORY / before);
}

export interface EarlierRuns {
  readonly runs: readonly number[];
  readonly median: number;
  readonly level: RobustLevel;
  /** The largest correlation of neighbouring runs that is compatible with these runs. */
  readonly correlation: number;
}

export function earlierRuns(runs: readonly number[]): EarlierRuns {
  const level = robustLevel(runs);
  return { runs, median: median(runs), level, correlation: mostCorrelation(runs, level) };
}

/** Returns the change as a multiple of the difference that scatter may make; 0 where the tests reject it. */
export function significanceOf(before: EarlierRuns, after: readonly number[], certainty: Certainty): number {
  const middle = median(after);
  // Most splits are far from a change, so they are rejected before the expensive part.
  if (Math.abs(middle - before.median) < LEAST_SIZE / 2) return 0;
  const { level: earlier, runs } = before;
  const reach = REACH * Math.max(earlier.scatter, LEAST_SCATTER);
  // The newest runs may have an outlier too, which is moved closer to the others.
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
 * Whether it is improbable that `atNewLevel` or more runs after the split are at the new level, of which there are also
 * `known` before it, if all orders of the runs were equally probable (hypergeometric distribution). The limit is
 * stricter with more runs after the split, because more splits were tested before it.
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

/** Whether this many runs suffice for a new level in the best case: all runs after the split are at it, none before. */
export function canBeNewLevel(before: number, after: number, certainty: Certainty): boolean {
  return isNewLevel({ before, after, known: 0, atNewLevel: after }, certainty);
}

/** The binomial coefficient; 0 where `count` exceeds `all`. */
function choose(all: number, count: number): number {
  let ways = 1;
  for (let each = 1; each <= count; each += 1) ways *= (all - count + each) / each;
  return count > all ? 0 : ways;
}

/** Returns the difference that scatter exceeds with the probability `mostChanceOfScatter`. */
export function differenceByScatter(
  before: EarlierRuns,
  after: number,
  squaresAfter: number,
  certainty: Certainty,
): number {
  return mostByScatter(before.runs.length, after, certainty) * errorOf(before, after, squaresAfter);
}

/** Returns the standard error of the difference between the level of the earlier runs and that of `after` new ones. */
export function errorOf({ runs, level, correlation }: EarlierRuns, after: number, squaresAfter: number): number {
  const before = runs.length;
  const variance = ((before - 1) * level.scatter ** 2 + squaresAfter) / (before + after - 2);
  const scatter = Math.max(Math.sqrt(variance), LEAST_SCATTER);
  return scatter * Math.sqrt(varianceOfMean(before, correlation) + varianceOfMean(after, correlation));
}

const quantiles = new Map<string, number>();

/** Returns Student's t that scatter exceeds with the probability `mostChanceOfScatter`. */
function mostByScatter(before: number, after: number, certainty: Certainty): number {
  const key = `${before} ${after} ${certainty}`;
  const known = quantiles.get(key);
  if (known !== undefined) return known;
  const quantile = studentQuantile(before + after - 2, 1 - mostChanceOfScatter(before, after, certainty));
  quantiles.set(key, quantile);
  return quantile;
}

/** The two-sided 99 % quantile of the normal distribution. */
const NORMAL_99 = 2.576;
/** The largest correlation that is assumed; runs that are more correlated drift as if the level changed. */
const MOST_CORRELATION = 0.55;

/**
 * Returns the upper end of the 99 % interval of the correlation of neighbouring runs, with the standard error of
 * independent runs (Bartlett 1946, DOI 10.2307/2983611). Ten runs can't show that they are independent, so the largest
 * correlation is assumed; forty can, and smaller changes are found in them. Outliers are moved closer first, because a
 * single one would hide the correlation of the others.
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
 * Returns the variance of the mean of `count` neighbouring runs, relative to that of one run.
 *
 * Assumption that may fail: the correlation decays from run to run by the same factor (first-order autoregression).
 */
export function varianceOfMean(count: number, correlation: number): number {
  const rest = 1 - correlation;
  return ((1 + correlation) / rest - (2 * correlation * (1 - correlation ** count)) / (count * rest ** 2)) / count;
}

/** The level and the scatter of values, estimated robustly against outliers. */
export interface RobustLevel {
  readonly level: number;
  /** The standard deviation of the values without outliers. */
  readonly scatter: number;
}

/** Values that are more than this many standard deviations from the level are moved to that distance. */
const REACH = 1.5;
/** Corrects for the smaller standard deviation of normal values after they are moved. */
const CONSISTENCY = 1.134;
const ITERATIONS = 30;
const PRECISION = 1e-9;

/**
 * Algorithm A of ISO 13528:2015, C.3: outliers are moved to 1.5 standard deviations from the level, until level and
 * scatter no longer change. It is nearly as efficient as the mean for normal values, and an outlier moves the level by
 * only a fraction of the scatter.
 *
 * @param values at least two
 */
export function robustLevel(values: readonly number[]): RobustLevel {
  let level = median(values);
  let scatter = medianAbsoluteDeviation(values, level);
  // Where more than half of the values are equal, the median deviation is 0 and ignores the others.
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
