/**
 * Whether a figure of a type has changed over the runs that measured it: a change of level that lasted for three runs
 * or more.
 *
 * The history is read run by run, as it came to be, so that a change that was found once stays found. After each run,
 * every split of the present level into the runs before and the newest 3 to 12 runs is tried, and the split whose
 * difference is the most significant is a change if it passes three tests:
 *
 * 1. Student's t of the difference of the levels, at a level of significance that holds for the whole life of a history
 *    instead of for one test (the change-point model of statistical process control: Hawkins, Qiu and Kang 2003, DOI
 *    10.1080/00224065.2003.11980233; a limited window of splits: Lai 1995, DOI 10.1111/j.2517-6161.1995.tb02052.x).
 *    The earlier level and its scatter are robust, because one run in twenty may be far off (algorithm A of ISO
 *    13528:2015, C.3). Where neighbouring runs resemble each other, there are fewer independent ones.
 * 2. The newest runs are not at a level that runs before them were at. Hosts come in kinds, and a rarer kind three
 *    times in a row is no change. This is the exact permutation test of "the newest are all at the new level", so that it
 *    assumes no distribution (Fisher 1935; Vovk, Gammerman and Shafer 2005 call it conformal, DOI 10.1007/b106715).
 * 3. The change is at least 8 %. Smaller ones come and go with days and weeks, and nobody would act on them.
 *
 * What cannot be told from scatter is not called a change; `smallestDetectable` says how large a change would have to
 * be. Assumption that may fail: a slow wave of more than 8 % looks like changes. `npm run bench:history` has the figures.
 */
import { elementAt } from '../maths/elements';
import { mean, median, sum } from '../maths/statistics';
import { studentQuantile } from '../maths/student-t';
import { robustLevel, type RobustLevel } from './robust-level';

/** The value of one run, which is the median over its repetitions. Values must be above 0, because ratios are compared. */
export interface HistoryPoint {
  readonly runId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly value: number;
}

export interface HistoryLevel {
  readonly median: number;
  /** The ends of the level's 95 % interval. */
  readonly low: number;
  readonly high: number;
  readonly runCount: number;
}

export interface HistoryChange {
  /** The first run at the new level, and when it was. */
  readonly firstRunId: string;
  readonly at: string;
  /** The run that showed the change beyond doubt: the third at the new level, or a later one. */
  readonly foundRunId: string;
  /** The runs that the history has, those of earlier levels included. */
  readonly runCount: number;
  readonly before: HistoryLevel;
  readonly after: HistoryLevel;
  /** The new level over the old one, with the ends of its 95 % interval. */
  readonly ratio: number;
  readonly ratioLow: number;
  readonly ratioHigh: number;
  readonly direction: 'rise' | 'fall';
}

export interface WatchedHistory {
  /** The last change, where there is one. */
  readonly change?: HistoryChange;
  /**
   * The smallest change that would be found within three runs in 95 of 100 cases, as a share of the present level:
   * 0.12 is 12 %. Undefined where the present level has fewer runs than such a change needs before it, or where more
   * than one run in 40 is far off: the next three may be, and a change then takes longer to be found.
   */
  readonly smallestDetectable?: number;
}

/** Fewer runs than this are no history. */
export const LEAST_RUNS = 5;
/** A change must last this long, because one or two runs that are far off are no change. */
const LEAST_AFTER = 3;
/** Newest runs and runs before them that one test looks at. */
const MOST_AFTER = 12;
const MOST_BEFORE = 60;
const LEAST_BEFORE = 2;
/** Logarithm of the smallest ratio that is called a change: 8 %. */
const LEAST_SIZE = Math.log(1.08);
/** The same in standard deviations of a single run. */
const LEAST_SIZE_IN_SCATTER = 3;
/** No figure is known better than this from one run, however equal a few values are; a share of the value. */
const LEAST_SCATTER = 0.005;
/** The two-sided probability of a normal history's difference in a single test; a life has many tests. */
const SIGNIFICANCE = 2e-4;
/**
 * How probable it may be that the newest runs are all at the new level by chance. A level that no run was at before can
 * be met for the first time only once in a history's life; one that was met before can come back at any time.
 */
const MOST_CHANCE_OF_NEW_LEVEL = 1 / 280;
const MOST_CHANCE_OF_KNOWN_LEVEL = 1 / 20_000;
/**
 * An earlier run was at the new level if it is this near to it, as a share of the change; or if it is this many standard
 * deviations off and has gone a similar way.
 */
const NEAR = 0.25;
const FAR_OFF = 5;
const KNOWN_WAY = { least: 0.5, most: 2.5 };
/** Each of the newest three must have gone this share of the way, and so many of the runs after the split half of it. */
const LEAST_WAY = 0.25;
const LEAST_SHARE_AFTER = 0.75;
/** Where more of the runs are far off, one of the next three is too often for a promise about them. */
const MOST_FAR_OFF = 1 / 40;
/** One-sided 95 % point of the normal distribution. */
const FOUND_IN_95 = 1.645;

/** @throws RangeError for a value that is not above 0 */
export function findChange(points: readonly HistoryPoint[]): HistoryChange | undefined {
  return watchHistory(points).change;
}

/**
 * @param points in the order in which the runs were made
 * @throws RangeError for a value that is not above 0
 */
export function watchHistory(points: readonly HistoryPoint[]): WatchedHistory {
  const logs = points.map(({ runId, value }) => {
    if (value > 0 && value < Infinity) return Math.log(value);
    throw new RangeError(`history: ${runId}: value must be above 0, got ${value}`);
  });
  let start = 0;
  let last: { readonly before: number; readonly at: number; readonly found: number } | undefined;
  for (let end = LEAST_RUNS; end <= logs.length; end += 1) {
    const at = splitOf(logs, start, end);
    if (at === undefined) continue;
    last = { before: start, at, found: end - 1 };
    start = at;
  }
  return {
    change: last && describe(points, logs, last),
    smallestDetectable: smallestDetectable(logs.slice(start)),
  };
}

/** The index of the first run of the new level, if the runs from `start` to `end` have changed their level. */
function splitOf(logs: readonly number[], start: number, end: number): number | undefined {
  let [found, most] = [undefined as number | undefined, 1];
  if (end - start < LEAST_RUNS) return undefined;
  const earliest = Math.max(start + LEAST_BEFORE, end - MOST_AFTER);
  for (let at = end - LEAST_AFTER; at >= earliest; at -= 1) {
    const significance = significanceOf(logs.slice(Math.max(start, at - MOST_BEFORE), at), logs.slice(at, end));
    if (significance > most) [found, most] = [at, significance];
  }
  return found;
}

/** Student's t over the value that it must exceed; 0 where another test forbids the change. */
function significanceOf(before: readonly number[], after: readonly number[]): number {
  // A mean says most of three values that agree; one of more values may be far off.
  const later = after.length > LEAST_AFTER ? median(after) : mean(after);
  // The median is quickly found, and most splits are nowhere near a change.
  if (Math.abs(later - median(before)) < LEAST_SIZE / 2) return 0;
  const earlier = robustLevel(before);
  const change = later - earlier.level;
  if (Math.abs(change) < leastSize(earlier)) return 0;
  const wayOf = (log: number) => (log - earlier.level) / change;
  if (after.slice(-LEAST_AFTER).some((log) => wayOf(log) < LEAST_WAY)) return 0;
  const atNewLevel = after.filter((log) => wayOf(log) > 0.5).length;
  if (atNewLevel < LEAST_SHARE_AFTER * after.length) return 0;
  const isKnown = (log: number) => {
    const way = wayOf(log);
    const isFarOff = Math.abs(log - earlier.level) > FAR_OFF * earlier.scatter;
    return Math.abs(way - 1) < NEAR || (isFarOff && way > KNOWN_WAY.least && way < KNOWN_WAY.most);
  };
  const known = before.filter(isKnown).length;
  const most = known === 0 ? MOST_CHANCE_OF_NEW_LEVEL : MOST_CHANCE_OF_KNOWN_LEVEL;
  if (chanceOfLevel(before.length, after.length, known, atNewLevel) > most) return 0;
  const error = errorOf(earlier, before.length, after.length, sum(after.map((log) => (log - later) ** 2)));
  return Math.abs(change) / (error * mostByChance(before.length + after.length - 2));
}

/** The smallest change that is called one: a slow wave of a level that scatters is smaller. */
function leastSize({ scatter }: RobustLevel): number {
  return Math.max(LEAST_SIZE, LEAST_SIZE_IN_SCATTER * scatter);
}

/** Standard error of the difference of both levels. */
function errorOf(earlier: RobustLevel, before: number, after: number, squaresAfter: number): number {
  const degrees = before + after - 2;
  const scatter = Math.sqrt(((before - 1) * earlier.scatter ** 2 + squaresAfter) / degrees);
  const alike = (1 + earlier.correlation) / (1 - earlier.correlation);
  return Math.max(scatter, LEAST_SCATTER) * Math.sqrt(alike * (1 / before + 1 / after));
}

/**
 * The probability that of the runs at the new level, `known` of `before` and `atNewLevel` of `after`, so many or more
 * are among the newest `after`, if the order of all runs says nothing (hypergeometric distribution).
 */
function chanceOfLevel(before: number, after: number, known: number, atNewLevel: number): number {
  const all = known + atNewLevel;
  let ways = 0;
  for (let among = atNewLevel; among <= Math.min(after, all); among += 1) {
    ways += choose(after, among) * choose(before, all - among);
  }
  return ways / choose(before + after, all);
}

/** Ways to choose `count` of `all`; 0 where there are not as many. */
function choose(all: number, count: number): number {
  let ways = 1;
  for (let each = 1; each <= count; each += 1) ways *= (all - count + each) / each;
  return count > all ? 0 : ways;
}

/** Of three more runs after these, at the same scatter. */
function smallestDetectable(logs: readonly number[]): number | undefined {
  const level = logs.slice(-MOST_BEFORE);
  const count = level.length;
  if (count < LEAST_BEFORE || chanceOfLevel(count, LEAST_AFTER, 0, LEAST_AFTER) > MOST_CHANCE_OF_NEW_LEVEL)
    return undefined;
  const earlier = robustLevel(level);
  const farOff = level.filter((log) => Math.abs(log - earlier.level) > FAR_OFF * earlier.scatter).length;
  if (farOff > MOST_FAR_OFF * count) return undefined;
  const error = errorOf(earlier, count, LEAST_AFTER, (LEAST_AFTER - 1) * earlier.scatter ** 2);
  const threshold = Math.max(leastSize(earlier), error * mostByChance(count + LEAST_AFTER - 2));
  return Math.expm1(threshold + FOUND_IN_95 * error);
}

/** Student's t that a difference by chance exceeds with the probability `SIGNIFICANCE`, by degrees of freedom. */
const mostByChance = (() => {
  const known = new Map<number, number>();
  return (degrees: number) => {
    const value = known.get(degrees) ?? studentQuantile(degrees, 1 - SIGNIFICANCE);
    known.set(degrees, value);
    return value;
  };
})();

function describe(
  points: readonly HistoryPoint[],
  logs: readonly number[],
  { before: start, at, found }: { readonly before: number; readonly at: number; readonly found: number },
): HistoryChange {
  const first = elementAt(points, at);
  const [earlier, later] = [logs.slice(start, at), logs.slice(at)];
  const [before, after] = [robustLevel(earlier), robustLevel(later)];
  const squaresAfter = (later.length - 1) * after.scatter ** 2;
  const error = errorOf(before, earlier.length, later.length, squaresAfter);
  const quantile = studentQuantile(earlier.length + later.length - 2);
  const levelOf = (level: readonly number[], other: readonly number[]) => {
    // The error of the difference consists of those of both levels, which have the same scatter.
    const half = quantile * error * Math.sqrt(other.length / (earlier.length + later.length));
    const log = median(level);
    return { median: Math.exp(log), low: Math.exp(log - half), high: Math.exp(log + half), runCount: level.length };
  };
  const size = median(later) - median(earlier);
  return {
    firstRunId: first.runId,
    at: first.at,
    foundRunId: elementAt(points, found).runId,
    runCount: points.length,
    before: levelOf(earlier, later),
    after: levelOf(later, earlier),
    ratio: Math.exp(size),
    ratioLow: Math.exp(size - quantile * error),
    ratioHigh: Math.exp(size + quantile * error),
    direction: size > 0 ? 'rise' : 'fall',
  };
}
