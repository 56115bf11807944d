/**
 * Finds changes of a figure over the history of runs: a change of level that lasts for three runs or more.
 *
 * The history is replayed run by run, so that a change stays found once it was found. After each run, every split into
 * the newest 3 to 12 runs and the earlier runs of the present level is tested (a limited window: Lai 1995, DOI
 * 10.1111/j.2517-6161.1995.tb02052.x), and the most significant split that `level-change.ts` accepts is the change.
 *
 * Where no change is certain, the newest run is tested again with less certainty. Such a possible change disappears
 * when it becomes certain, when the runs return to the old level, or after 12 runs at the new level.
 *
 * `domain/history/smallest-detectable.ts` says how large a change must be to be found. Assumption that may fail: a slow wave
 * of more than 8 % looks like changes. `npm run bench:history` measures the error rates.
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

/** One run, whose value is the median over its repetitions. Values must be above 0, because ratios are compared. */
export interface HistoryPoint {
  readonly runId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly value: number;
}

export interface HistoryLevel {
  readonly median: number;
  /** The lower end of the 95 % interval of the median; `high` is the upper end. */
  readonly low: number;
  readonly high: number;
  readonly runCount: number;
}

/** What is known of a change, whether of the level or of the shares of modes. */
export interface FoundChange {
  readonly certainty: Certainty;
  /** The first run at the new level; `at` is its time. */
  readonly firstRunId: string;
  readonly at: string;
  /** The run after which the change was found: the third run at the new level, or a later one. */
  readonly foundRunId: string;
  /** The number of runs in the history, including those of earlier levels. */
  readonly runCount: number;
  readonly direction: 'rise' | 'fall';
  readonly before: { readonly runCount: number };
  readonly after: { readonly runCount: number };
}

export interface HistoryChange extends FoundChange {
  readonly before: HistoryLevel;
  readonly after: HistoryLevel;
  /** The new level divided by the old one. */
  readonly ratio: number;
}

export interface WatchedHistory {
  readonly change?: HistoryChange;
  /** A possible change since then, as of the newest run. It raises no alarm. */
  readonly possibleChange?: HistoryChange;
}

/** The most runs after and before a split that one test uses, which bounds the time that a long history takes. */
const MOST_AFTER = 12;
export const MOST_BEFORE = 60;
/** Fewer runs than this can't show a certain change, however large it is. */
export const LEAST_RUNS = leastRuns('certain');
/** Fewer runs than this can't show a possible change. */
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

/** A change between two runs; all fields are indices of runs. */
export interface Split {
  /** The first run of the earlier level. */
  readonly before: number;
  readonly at: number;
  readonly found: number;
}

export interface FoundSplits {
  readonly certain?: Split;
  /** Since then. */
  readonly possible?: Split;
}

/**
 * Yields after each run the last certain change, and a possible change since then.
 *
 * @param logs natural logarithms of the values, in the order of the runs
 */
export function splitsByRun(logs: readonly number[]): Generator<FoundSplits> {
  let levelsFrom = 0;
  const levels = new Map<number, EarlierRuns>();
  const levelBefore = (from: number, at: number) => {
    if (from !== levelsFrom) levels.clear();
    levelsFrom = from;
    const level = levels.get(at) ?? earlierRuns(logs.slice(Math.max(from, at - MOST_BEFORE), at));
    levels.set(at, level);
    return level;
  };
  return replay(logs.length, ({ from, at, end }, certainty) =>
    significanceOf(levelBefore(from, at), logs.slice(at, end), certainty),
  );
}

/** A possible change at the run `at`, tested with the runs from `from` to before `end`. */
export interface TestedSplit {
  readonly from: number;
  readonly at: number;
  readonly end: number;
}

/** @param significance above 1 for a split that is a change; the most significant one counts */
export function* replay(
  runCount: number,
  significance: (split: TestedSplit, certainty: Certainty) => number,
): Generator<FoundSplits> {
  let from = 0;
  let certain: Split | undefined;
  let possible: Split | undefined;
  const mostSignificant = (end: number, certainty: Certainty) => {
    let most = 1;
    let found: number | undefined;
    for (let at = end - LEAST_AT_LEVEL; at >= Math.max(from + LEAST_AT_LEVEL, end - MOST_AFTER); at -= 1) {
      const ofSplit = significance({ from, at, end }, certainty);
      if (ofSplit > most) [found, most] = [at, ofSplit];
    }
    return found;
  };
  for (let end = LEAST_RUNS_OF_POSSIBLE; end <= runCount; end += 1) {
    const found = end - 1;
    const at = mostSignificant(end, 'certain');
    if (at === undefined) {
      const possiblyAt = mostSignificant(end, 'possible');
      possible =
        possiblyAt === undefined ? undefined : { before: from, at: possiblyAt, found: possible?.found ?? found };
    } else {
      certain = { before: from, at, found };
      possible = undefined;
      from = at;
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
    // The variance of the difference is the sum of the variances of both levels, which have the same scatter.
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
