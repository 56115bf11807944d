/**
 * Whether a figure of a type has changed over the runs that measured it: a change of level that lasted for three runs
 * or more.
 *
 * The history is read run by run, as it came to be, so that a change that was found once stays found. After each run,
 * every split of the present level into the runs before and the newest 3 to 12 runs is tried (a limited window: Lai 1995,
 * DOI 10.1111/j.2517-6161.1995.tb02052.x), and the most significant of those that `level-change.ts` calls a change is it.
 *
 * Where nothing is beyond doubt, the same is asked with less certainty, as of the newest run only: a possible change stands
 * as long as the runs show it, and ends where it becomes certain, where they return, or after 12 runs at the new level.
 *
 * What cannot be told from scatter is not called a change; `research/smallest-detectable.ts` says how large a change would
 * have to be. Assumption that may fail: a slow wave of more than 8 % looks like changes. `npm run bench:history` has the figures.
 */
import { elementAt } from '../maths/elements';
import { median, studentQuantile } from '../maths/statistics';
import {
  canBeNewLevel,
  earlierRuns,
  errorOf,
  LEAST_AT_LEVEL,
  robustLevel,
  significanceOf,
  type Certainty,
  type EarlierRuns,
} from './level-change';

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
  readonly certainty: Certainty;
  /** The first run at the new level, and when it was. */
  readonly firstRunId: string;
  readonly at: string;
  /**
   * The run that showed the change beyond doubt: the third at the new level, or a later one. Of a possible change the first
   * of the runs since which there has been one.
   */
  readonly foundRunId: string;
  /** The runs that the history has, those of earlier levels included. */
  readonly runCount: number;
  readonly before: HistoryLevel;
  readonly after: HistoryLevel;
  /** The new level over the old one. */
  readonly ratio: number;
  readonly direction: 'rise' | 'fall';
}

export interface WatchedHistory {
  /** The last change that is certain, where there is one. */
  readonly change?: HistoryChange;
  /** A possible change of the level since then, as of the newest run. It is no alarm. */
  readonly possibleChange?: HistoryChange;
}

/** Newest runs and runs before them that one test looks at: enough, and their number bounds the time of a long history. */
const MOST_AFTER = 12;
export const MOST_BEFORE = 60;
/** In fewer runs than this no change can be found, however large it is. */
export const LEAST_RUNS = leastRuns('certain');
/** In fewer runs than this none is possible. */
export const LEAST_RUNS_OF_POSSIBLE = leastRuns('possible');

function leastRuns(certainty: Certainty): number {
  for (let runCount = 2 * LEAST_AT_LEVEL; ; runCount += 1) {
    for (let after = LEAST_AT_LEVEL; after <= Math.min(MOST_AFTER, runCount - LEAST_AT_LEVEL); after += 1) {
      if (canBeNewLevel(runCount - after, after, certainty)) return runCount;
    }
  }
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
  const { certain, possible } = [...splitsByRun(logs)].at(-1) ?? {};
  return {
    change: certain && describe(points, logs, certain, 'certain'),
    possibleChange: possible && describe(points, logs, possible, 'possible'),
  };
}

/** A change between two runs, as their indices. */
interface Split {
  /** The first run of the level before. */
  readonly before: number;
  readonly at: number;
  readonly found: number;
}

/**
 * What each run shows together with those before it: the last change that is certain, and a possible one since.
 *
 * @param logs natural logarithms of the values, in the order of the runs
 */
export function* splitsByRun(logs: readonly number[]): Generator<{
  readonly certain?: Split;
  readonly possible?: Split;
}> {
  let start = 0;
  let certain: Split | undefined;
  let possible: Split | undefined;
  const levels = new Map<number, EarlierRuns>();
  const levelBefore = (at: number) => {
    const level = levels.get(at) ?? earlierRuns(logs.slice(Math.max(start, at - MOST_BEFORE), at));
    levels.set(at, level);
    return level;
  };
  const mostSignificant = (end: number, certainty: Certainty) => {
    let most = 1;
    let found: number | undefined;
    for (let at = end - LEAST_AT_LEVEL; at >= Math.max(start + LEAST_AT_LEVEL, end - MOST_AFTER); at -= 1) {
      const significance = significanceOf(levelBefore(at), logs.slice(at, end), certainty);
      if (significance > most) [found, most] = [at, significance];
    }
    return found;
  };
  for (let end = LEAST_RUNS_OF_POSSIBLE; end <= logs.length; end += 1) {
    const found = end - 1;
    const at = mostSignificant(end, 'certain');
    if (at === undefined) {
      const possiblyAt = mostSignificant(end, 'possible');
      possible =
        possiblyAt === undefined ? undefined : { before: start, at: possiblyAt, found: possible?.found ?? found };
    } else {
      certain = { before: start, at, found };
      possible = undefined;
      start = at;
      levels.clear();
    }
    yield { certain, possible };
  }
}

function describe(
  points: readonly HistoryPoint[],
  logs: readonly number[],
  { before: start, at, found }: Split,
  certainty: Certainty,
): HistoryChange {
  const first = elementAt(points, at);
  const [earlier, later] = [logs.slice(start, at), logs.slice(at)];
  const squaresAfter = (later.length - 1) * robustLevel(later).scatter ** 2;
  const error = errorOf(earlierRuns(earlier), later.length, squaresAfter);
  const runCount = earlier.length + later.length;
  const levelOf = (level: readonly number[], other: readonly number[]) => {
    // The error of the difference consists of those of both levels, which have the same scatter.
    const half = studentQuantile(runCount - 2) * error * Math.sqrt(other.length / runCount);
    const log = median(level);
    return { median: Math.exp(log), low: Math.exp(log - half), high: Math.exp(log + half), runCount: level.length };
  };
  const size = median(later) - median(earlier);
  return {
    certainty,
    firstRunId: first.runId,
    at: first.at,
    foundRunId: elementAt(points, found).runId,
    runCount: points.length,
    before: levelOf(earlier, later),
    after: levelOf(later, earlier),
    ratio: Math.exp(size),
    direction: size > 0 ? 'rise' : 'fall',
  };
}
