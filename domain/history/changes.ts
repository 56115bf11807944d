/** Which figures have changed over the history of runs: the same figure of measurements that are alike, run by run. */
import { groupBy } from '../maths/group-by';
import { elementAt } from '../maths/elements';
import { median } from '../maths/statistics';
import { figureByKey, type Figure } from '../tables/figures';
import { watchHistory, type HistoryChange, type WatchedHistory } from './change-point';
import type { RunHistory } from './history';
import type { CellDigest } from './run-digest';

/** Keys of the figures that are watched. The others follow from these, or are no property of a type. */
const WATCHED_FIGURES: readonly string[] = [
  'baselineBitsPerSecond',
  'burstBitsPerSecond',
  'onsetSeconds',
  'bucketBits',
  'rttP50Micros',
  'rttP99Micros',
];

/** A change is news for this many runs of the same cell, the one that showed it included. */
const NEWS_RUNS = 3;

export interface WatchedFigure extends WatchedHistory {
  /** As the newest run that has the figure describes it. */
  readonly cell: CellDigest;
  readonly figure: Figure;
  /** Runs that have the figure, and the newest of them. */
  readonly runCount: number;
  readonly newestRunId: string;
  /** Whether one of the newest `NEWS_RUNS` runs of the cell showed the change. */
  readonly isNews: boolean;
}

export type ChangedFigure = WatchedFigure & { readonly change: HistoryChange };

/** Every watched figure of every cell, in the order in which the cells and their figures were first measured. */
export function watchedFigures(history: RunHistory): WatchedFigure[] {
  const measured = history.runs.flatMap(({ runId, createdAt, cells }) =>
    cells.flatMap((cell) =>
      cell.figures
        .filter(({ key }) => WATCHED_FIGURES.includes(key))
        .map(({ key, values }) => ({ cell, key, runId, at: createdAt, value: median(values) })),
    ),
  );
  // Changes are ratios, which a figure of 0 does not have: a dead link is its run's failure, and no level.
  const positive = measured.filter(({ value }) => value > 0);
  return [...groupBy(positive, ({ cell, key }) => `${key} ${cell.cell}`).values()].map((points) => {
    const newest = elementAt(points, -1);
    const watched = watchHistory(points);
    const news = points.slice(-NEWS_RUNS).map(({ runId }) => runId);
    return {
      ...watched,
      cell: newest.cell,
      figure: figureByKey(newest.key),
      runCount: points.length,
      newestRunId: newest.runId,
      isNews: watched.change !== undefined && news.includes(watched.change.foundRunId),
    };
  });
}

/**
 * The last change of each figure that ever changed.
 *
 * @param runId only figures that this run has measured, and only changes that are news, as of this run: what its
 *   message says and what is alarmed
 */
export function changesOf(history: RunHistory, runId?: string): ChangedFigure[] {
  if (runId === undefined) return watchedFigures(history).filter(hasChanged);
  const until = history.runs.findIndex((run) => run.runId === runId) + 1;
  const known = watchedFigures({ ...history, runs: history.runs.slice(0, until) });
  return known.filter(hasChanged).filter(({ isNews, newestRunId }) => isNews && newestRunId === runId);
}

function hasChanged(watched: WatchedFigure): watched is ChangedFigure {
  return watched.change !== undefined;
}
