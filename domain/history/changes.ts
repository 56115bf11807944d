/** Which figures have changed over the history of runs: the same figure of measurements that are alike, run by run. */
import { elementAt, groupBy } from '../maths/elements';
import { median } from '../maths/statistics';
import { figureByKey, type Figure } from '../tables/figures';
import { watchHistory, type HistoryChange, type HistoryPoint, type WatchedHistory } from './change-point';
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
  /** One for each run that measured the figure on hosts which no other work kept busy, in the order of the runs. */
  readonly points: readonly MeasuredPoint[];
}

export type ChangedFigure = Pick<WatchedFigure, 'cell' | 'figure'> & { readonly change: HistoryChange };

interface MeasuredPoint extends HistoryPoint {
  readonly cell: CellDigest;
  readonly key: string;
}

/** Every watched figure of every cell, in the order in which the cells and their figures were first measured. */
export function watchedFigures(history: RunHistory): WatchedFigure[] {
  const measured = history.runs.flatMap(({ runId, createdAt, cells }) =>
    cells.flatMap((cell) =>
      cell.figures
        // A busy host is no change of the network, and an alarm has no mark that would say so.
        .filter(({ key, values }) => WATCHED_FIGURES.includes(key) && values.length > 0)
        .map(({ key, values }): MeasuredPoint => ({ cell, key, runId, at: createdAt, value: median(values) })),
    ),
  );
  // Changes are ratios, which a figure of 0 does not have: a dead link is its run's failure, and no level.
  const positive = measured.filter(({ value }) => value > 0);
  return [...groupBy(positive, ({ cell, key }) => `${key} ${cell.cell}`).values()].map(watched);
}

function watched(points: readonly MeasuredPoint[]): WatchedFigure {
  const { cell, key } = elementAt(points, -1);
  return { ...watchHistory(points), cell, figure: figureByKey(key), points };
}

export interface HistoryNews {
  /** For the run's message and its alarm. */
  readonly changes: readonly ChangedFigure[];
  /** For its message only. */
  readonly possibleChanges: readonly ChangedFigure[];
}

/**
 * What is new by this run: the changes of figures that it measured, as they were known when it was planned. A run that
 * was planned later may have ended earlier, and is ignored.
 */
export function newsOf(figures: readonly WatchedFigure[], runId: string): HistoryNews {
  const asOf = figures.flatMap((figure) => {
    const count = figure.points.findIndex((point) => point.runId === runId) + 1;
    if (count === 0) return [];
    return count === figure.points.length ? figure : watched(figure.points.slice(0, count));
  });
  const newOnes = (changeOf: (figure: WatchedFigure) => HistoryChange | undefined): ChangedFigure[] =>
    asOf.flatMap((figure) => {
      const change = changeOf(figure);
      const isNews = figure.points.slice(-NEWS_RUNS).some((point) => point.runId === change?.foundRunId);
      return change !== undefined && isNews ? [{ ...figure, change }] : [];
    });
  return {
    changes: newOnes(({ change }) => change),
    possibleChanges: newOnes(({ possibleChange }) => possibleChange),
  };
}
