/** Finds the figures that have changed over the history. Each figure of each cell is a series with a point per run. */
import { elementAt, groupBy } from '../maths/elements';
import { sizeOfShares } from '../maths/mode-shares';
import { median } from '../maths/statistics';
import { figureByKey, type Figure } from '../tables/figures';
import { watchHistory, type HistoryChange, type HistoryPoint } from './change-point';
import type { RunHistory } from './history';
import type { CellDigest } from './run-digest';
import { watchShares, type GapWithinRuns, type ShareChange } from './share-change';

/** The other figures follow from these, or are not a property of an instance type. */
const WATCHED_FIGURES: readonly string[] = [
  'baselineBitsPerSecond',
  'burstBitsPerSecond',
  'onsetSeconds',
  'bucketBits',
  'rttP50Micros',
  'rttP99Micros',
];

/** A change is reported for this many runs of the same cell, counted from the run after which it was found. */
const NEWS_RUNS = 3;

/** A new level, or other shares of pairs at the same modes. */
export type FigureChange = HistoryChange | ShareChange;

/** The size as a logarithm: of the ratio or, with shares, of the step between the modes times the share that took it. */
export function sizeOfChange(change: FigureChange): number {
  return 'shares' in change ? sizeOfShares(change.shares) : Math.abs(Math.log(change.ratio));
}

export interface WatchedFigure {
  readonly change?: FigureChange;
  /** A possible change since then, as of the newest run. It raises no alarm. */
  readonly possibleChange?: FigureChange;
  /** The description of the cell by the newest run that has the figure. */
  readonly cell: CellDigest;
  readonly figure: Figure;
  /** A point for each run that measured the figure while no other work kept the hosts busy, in run order. */
  readonly points: readonly MeasuredPoint[];
}

export type ChangedFigure = Pick<WatchedFigure, 'cell' | 'figure'> & { readonly change: FigureChange };

interface MeasuredPoint extends HistoryPoint {
  readonly cell: CellDigest;
  readonly key: string;
  /** The values of the repetitions, of which `value` is the median. */
  readonly values: readonly number[];
}

/** Returns every watched figure of every cell, in the order of their first measurement. */
export function watchedFigures(history: RunHistory): WatchedFigure[] {
  const measured = history.runs.flatMap(({ runId, createdAt, cells }) =>
    cells.flatMap((cell) =>
      cell.figures
        // Figures of busy hosts are left out, because they may change without the network, and an alarm can't say so.
        .filter(({ key, values }) => WATCHED_FIGURES.includes(key) && values.length > 0)
        .map(({ key, values }): MeasuredPoint => ({ cell, key, runId, at: createdAt, value: median(values), values })),
    ),
  );
  // Changes are ratios, so a figure of 0 is left out. It comes from a dead link, which already made its run fail.
  const positive = measured.filter(({ value }) => value > 0);
  return [...groupBy(positive, ({ cell, key }) => `${key} ${cell.cell}`).values()].map(watched);
}

function watched(points: readonly MeasuredPoint[]): WatchedFigure {
  const { cell, key } = elementAt(points, -1);
  const figure = figureByKey(key);
  // Repetitions on the same pair say nothing of the shares of pairs.
  const isOfPairs = points.every((point) => point.cell.sharesPairs !== true);
  const shares = isOfPairs ? watchShares(points, figure.usualScatter) : { gaps: [] };
  const level = watchHistory(points);
  const ofLevel = (change: HistoryChange | undefined) =>
    change && isOverGap(change, shares.gaps) ? undefined : change;
  const place = (change: FigureChange | undefined) => points.findIndex(({ runId }) => runId === change?.firstRunId);
  const later = (one: FigureChange | undefined, other: FigureChange | undefined) =>
    place(one) < place(other) ? other : one;
  const change = later(shares.change, ofLevel(level.change));
  const possibleChange = later(shares.possibleChange, ofLevel(level.possibleChange));
  const isSince = place(possibleChange) > place(change);
  return { change, possibleChange: isSince ? possibleChange : undefined, cell, figure, points };
}

/** A median goes from mode to mode without a change of level where so many runs, or more, have both modes. */
const LEAST_SHARE_OF_MIXED_RUNS = 0.25;

/** Gaps are 5 % wide or more, so this is within; the medians of logarithms are rounded. */
const WITHIN_GAP = 1.02;

/** The median of two pairs may also lie between the modes. */
function isOverGap({ before, after }: HistoryChange, gaps: readonly GapWithinRuns[]): boolean {
  const [lower, upper] = [Math.min(before.median, after.median), Math.max(before.median, after.median)];
  return gaps.some(
    ({ most, least, shareOfRuns }) =>
      shareOfRuns >= LEAST_SHARE_OF_MIXED_RUNS && lower < least / WITHIN_GAP && upper > most * WITHIN_GAP,
  );
}

export interface HistoryNews {
  /** Certain changes are in the message about the run, and raise the alarm. */
  readonly changes: readonly ChangedFigure[];
  /** Possible changes are only in the message. */
  readonly possibleChanges: readonly ChangedFigure[];
}

/**
 * Returns the news of a run: recent changes of the figures that it measured. Runs that were planned later are ignored,
 * even if they ended earlier.
 */
export function newsOf(figures: readonly WatchedFigure[], runId: string): HistoryNews {
  const asOf = figures.flatMap((figure) => {
    const count = figure.points.findIndex((point) => point.runId === runId) + 1;
    if (count === 0) return [];
    return count === figure.points.length ? figure : watched(figure.points.slice(0, count));
  });
  const newOnes = (changeOf: (figure: WatchedFigure) => FigureChange | undefined): ChangedFigure[] =>
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
