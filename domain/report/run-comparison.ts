/**
 * This run against one earlier run, cell by cell: what changed, and whether by more than the noise. Repetitions on fresh
 * pairs tell the noise; single measurements know only their own uncertainty, and another pair may differ by more.
 */
import type { MeasurementResult } from '../model/result';
import { differenceOfIntervals, differenceOfMeans, isBeyondNoise } from '../maths/difference';
import type { Bounds, Interval } from '../maths/interval';
import type { RepetitionStatistics } from '../maths/repetitions';
import { cellsOf, sharesPairs, type Cell } from './cells';
import { FIGURES, type Figure } from './figures';
import { counted } from '../text/format';
import { repeatedFigure, type RepeatedFigure } from './repetitions';

/**
 * Where the interval of a difference comes from: `repetitions` of both runs, the measurements' `own_intervals`, or nowhere:
 * a `single_measurement` without one, or `several_modes`, whose mean nobody saw.
 */
export type ComparisonBasis = 'repetitions' | 'own_intervals' | 'single_measurement' | 'several_modes';

export interface FigureChange {
  /** Of `FIGURES`, e.g. `burstBitsPerSecond`. */
  readonly figure: string;
  readonly earlier: RepetitionStatistics;
  readonly now: RepetitionStatistics;
  readonly basis: ComparisonBasis;
  /** Now minus earlier; null with several modes. */
  readonly difference: number | null;
  /** 95 %; null where nothing tells it. */
  readonly interval: Bounds | null;
  /** null where there is no interval. */
  readonly isBeyondNoise: boolean | null;
}

export interface CellChange {
  readonly measurementIds: readonly string[];
  readonly earlierMeasurementIds: readonly string[];
  /** Either run repeated it on the same pair: other pairs may differ by more than the intervals say. */
  readonly sharesPairs: boolean;
  readonly figures: readonly FigureChange[];
}

export interface RunComparison {
  readonly earlierRunId: string;
  readonly cells: readonly CellChange[];
  /** First measurement of each cell that the other run did not measure in the same way, or not to its end. */
  readonly onlyNow: readonly string[];
  readonly onlyEarlier: readonly string[];
}

export interface ComparedCells {
  readonly comparison: RunComparison;
  /** In the order of `comparison.cells`. */
  readonly now: readonly Cell[];
  readonly onlyEarlier: readonly MeasurementResult[];
}

export function compareRuns(
  earlierRunId: string,
  earlier: readonly MeasurementResult[],
  now: readonly MeasurementResult[],
): ComparedCells {
  const before = new Map(cellsOf(earlier).map((cell) => [cell.key, cell]));
  const all = cellsOf(now);
  const shared = all.filter(({ key }) => before.has(key));
  const kept = new Set(all.map(({ key }) => key));
  const onlyEarlier = [...before.values()].filter(({ key }) => !kept.has(key)).map(({ results }) => results[0]!);
  return {
    comparison: {
      earlierRunId,
      cells: shared.map((cell) => cellChange(before.get(cell.key)!, cell)),
      onlyNow: all.filter(({ key }) => !before.has(key)).map(({ results }) => results[0]!.measurementId),
      onlyEarlier: onlyEarlier.map(({ measurementId }) => measurementId),
    },
    now: shared,
    onlyEarlier,
  };
}

function cellChange(earlier: Cell, now: Cell): CellChange {
  const ids = ({ results }: Cell) => results.map(({ measurementId }) => measurementId);
  return {
    measurementIds: ids(now),
    earlierMeasurementIds: ids(earlier),
    sharesPairs: sharesPairs(earlier) || sharesPairs(now),
    figures: FIGURES.flatMap((figure) => {
      const [first, second] = [repeatedFigure(earlier, figure), repeatedFigure(now, figure)];
      return first === undefined || second === undefined ? [] : [figureChange(first, second)];
    }),
  };
}

function figureChange(earlier: RepeatedFigure, now: RepeatedFigure): FigureChange {
  const common = { figure: now.figure.key, earlier: earlier.statistics, now: now.statistics };
  const [first, second] = [earlier.statistics.mean, now.statistics.mean];
  if (first === null || second === null) {
    return { ...common, basis: 'several_modes', difference: null, interval: null, isBeyondNoise: null };
  }
  const told = toldDifference(earlier, now);
  if (told === undefined) {
    return {
      ...common,
      basis: 'single_measurement',
      difference: second - first,
      interval: null,
      isBeyondNoise: null,
    };
  }
  const { basis, difference } = told;
  const { value, low, high } = difference;
  return { ...common, basis, difference: value, interval: { low, high }, isBeyondNoise: isBeyondNoise(difference) };
}

function toldDifference(
  earlier: RepeatedFigure,
  now: RepeatedFigure,
): { readonly basis: ComparisonBasis; readonly difference: Interval } | undefined {
  if (earlier.values.length > 1 && now.values.length > 1) {
    return { basis: 'repetitions', difference: differenceOfMeans(earlier.values, now.values) };
  }
  const [first, second] = [intervalOf(earlier), intervalOf(now)];
  return first === undefined || second === undefined
    ? undefined
    : { basis: 'own_intervals', difference: differenceOfIntervals(first, second) };
}

/** With the interval of its repetitions, or of the single measurement itself. */
function intervalOf({ cell, figure, statistics }: RepeatedFigure): Interval | undefined {
  const { mean, meanInterval, count } = statistics;
  if (mean === null) return undefined;
  if (meanInterval !== null) return { value: mean, ...meanInterval };
  const measured = cell.results.find((result) => figure.of(result) !== undefined);
  return count === 1 && measured !== undefined ? figure.intervalOf?.(measured) : undefined;
}

export function figureOf({ figure }: Pick<FigureChange, 'figure'>): Figure {
  return FIGURES.find(({ key }) => key === figure)!;
}

/** One line for the execution's output. ASCII only. */
export function comparisonLine({ earlierRunId, cells, onlyNow, onlyEarlier }: RunComparison): string {
  const figures = cells.flatMap((cell) => cell.figures);
  const told = figures.filter((change) => change.isBeyondNoise !== null);
  const changed = told.filter((change) => change.isBeyondNoise);
  const parts = [
    `${changed.length} of ${told.length} figures changed beyond the noise`,
    ...(figures.length > told.length ? [`${figures.length - told.length} without an interval`] : []),
    ...(onlyNow.length > 0 ? [`${counted(onlyNow.length, 'measurement')} only in this run`] : []),
    ...(onlyEarlier.length > 0 ? [`${counted(onlyEarlier.length, 'measurement')} only in the earlier one`] : []),
  ];
  return `compared with ${earlierRunId}: ${parts.join(', ')}`;
}
