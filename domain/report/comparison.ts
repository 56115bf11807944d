/**
 * The one comparison between measurements of different runs. What is compared is always the same cell
 * (`model/cell.ts`): the same types, conditions, tool and settings. The earlier side is one named run, or all earlier
 * runs (`earlier-runs.ts`).
 *
 * Whether a figure changed is decided against the noise. Repetitions on fresh pairs show how large the noise is; a
 * single measurement knows only its own uncertainty, and another pair may differ by more.
 */
import { differenceOfIntervals, differenceOfMeans, isBeyondNoise } from '../maths/difference';
import type { Bounds, Interval } from '../maths/interval';
import { repetitionStatistics, type RepetitionStatistics } from '../maths/repetition-statistics';
import type { MeasurementResult } from '../model/result';
import { counted } from '../text/format';
import { cellsOf, sharesPairs, type Cell } from './cells';
import { FIGURES, type Figure } from './figures';
import { repeatedFigure, type RepeatedFigure } from './repeated-figures';

/**
 * Where the interval of a difference comes from:
 *
 * | basis                | the interval is from                                                        |
 * | -------------------- | --------------------------------------------------------------------------- |
 * | `repetitions`        | the scatter of several values on both sides                                 |
 * | `own_intervals`      | the measurements' own intervals, or one side's repetitions and the other's own |
 * | `single_measurement` | nowhere: a side has one value without an interval of its own                |
 * | `several_modes`      | nowhere: the values of a side stand in groups, so that it has no mean       |
 */
export type ComparisonBasis = 'repetitions' | 'own_intervals' | 'single_measurement' | 'several_modes';

export interface FigureChange {
  /** Key of one of `FIGURES`, e.g. `burstBitsPerSecond`. */
  readonly figure: string;
  readonly earlier: RepetitionStatistics;
  readonly now: RepetitionStatistics;
  readonly basis: ComparisonBasis;
  /** Now minus earlier; null with several modes. */
  readonly difference: number | null;
  /** The 95 % interval of the difference; null where there is none. */
  readonly interval: Bounds | null;
  /** null where there is no interval. */
  readonly isBeyondNoise: boolean | null;
}

/** The values that one side has of a figure. */
export interface FigureValues {
  /** At least one. */
  readonly values: readonly number[];
  /** The 95 % interval of a value that stands alone, from its own measurement. */
  readonly ownInterval?: Interval;
}

/** What was measured of one cell before, wherever its figures were read from. */
export interface EarlierCell {
  readonly key: string;
  /** Whether the same pair was measured several times: other pairs may differ by more than the intervals say. */
  readonly sharesPairs: boolean;
  readonly valuesOf: (figure: Figure) => FigureValues | undefined;
}

export interface ComparedCell<Earlier extends EarlierCell = EarlierCell> {
  readonly now: Cell;
  readonly earlier: Earlier;
  readonly sharesPairs: boolean;
  readonly figures: readonly FigureChange[];
}

export interface CellComparison<Earlier extends EarlierCell> {
  readonly compared: readonly ComparedCell<Earlier>[];
  /** Cells that the other side did not measure, or not to the end. */
  readonly onlyNow: readonly Cell[];
  readonly onlyEarlier: readonly Earlier[];
}

export function compareCells<Earlier extends EarlierCell>(
  earlierCells: readonly Earlier[],
  now: readonly MeasurementResult[],
): CellComparison<Earlier> {
  const earlierByKey = new Map(earlierCells.map((cell) => [cell.key, cell]));
  const cells = cellsOf(now);
  const keys = new Set(cells.map(({ key }) => key));
  return {
    compared: cells.flatMap((cell) => {
      const earlier = earlierByKey.get(cell.key);
      return earlier === undefined ? [] : [comparedCell(earlier, cell)];
    }),
    onlyNow: cells.filter(({ key }) => !earlierByKey.has(key)),
    onlyEarlier: earlierCells.filter(({ key }) => !keys.has(key)),
  };
}

function comparedCell<Earlier extends EarlierCell>(earlier: Earlier, now: Cell): ComparedCell<Earlier> {
  return {
    now,
    earlier,
    sharesPairs: earlier.sharesPairs || sharesPairs(now),
    figures: FIGURES.flatMap((figure) => {
      const [before, repeated] = [earlier.valuesOf(figure), repeatedFigure(now, figure)];
      return before === undefined || repeated === undefined
        ? []
        : (figureChange(figure, before, { values: repeated.values, ownInterval: ownInterval(repeated) }) ?? []);
    }),
  };
}

interface Side {
  readonly values: readonly number[];
  readonly statistics: RepetitionStatistics;
  /** Around the mean: from the repetitions, or of the single measurement itself. */
  readonly interval: Interval | undefined;
}

function sideOf({ values, ownInterval: own }: FigureValues, figure: Figure): Side | undefined {
  const statistics = repetitionStatistics(values, figure.usualScatter);
  if (statistics === undefined) return undefined;
  const { mean, meanInterval, count } = statistics;
  const interval = mean !== null && meanInterval !== null ? { value: mean, ...meanInterval } : undefined;
  return { values, statistics, interval: interval ?? (count === 1 ? own : undefined) };
}

function figureChange(figure: Figure, earlierValues: FigureValues, nowValues: FigureValues): FigureChange | undefined {
  const [earlier, now] = [sideOf(earlierValues, figure), sideOf(nowValues, figure)];
  if (earlier === undefined || now === undefined) return undefined;
  const sides = { figure: figure.key, earlier: earlier.statistics, now: now.statistics };
  const [before, after] = [earlier.statistics.mean, now.statistics.mean];
  if (before === null || after === null) {
    return { ...sides, basis: 'several_modes', difference: null, interval: null, isBeyondNoise: null };
  }
  const found = differenceOf(earlier, now);
  if (found === undefined) {
    const difference = after - before;
    return { ...sides, basis: 'single_measurement', difference, interval: null, isBeyondNoise: null };
  }
  const { value, low, high } = found.difference;
  return {
    ...sides,
    basis: found.basis,
    difference: value,
    interval: { low, high },
    isBeyondNoise: isBeyondNoise(found.difference),
  };
}

function differenceOf(earlier: Side, now: Side): { basis: ComparisonBasis; difference: Interval } | undefined {
  if (earlier.values.length > 1 && now.values.length > 1) {
    return { basis: 'repetitions', difference: differenceOfMeans(earlier.values, now.values) };
  }
  if (earlier.interval === undefined || now.interval === undefined) return undefined;
  return { basis: 'own_intervals', difference: differenceOfIntervals(earlier.interval, now.interval) };
}

function ownInterval({ cell, figure }: RepeatedFigure): Interval | undefined {
  const measured = cell.results.find((result) => figure.of(result) !== undefined);
  return measured === undefined ? undefined : figure.intervalOf(measured);
}

/** A cell of a run whose results are at hand. */
export interface RunCell extends EarlierCell {
  readonly cell: Cell;
}

/** This run against one earlier run, cell by cell. */
export interface ComparedRun extends CellComparison<RunCell> {
  readonly earlierRunId: string;
}

export function compareRuns(
  earlierRunId: string,
  earlier: readonly MeasurementResult[],
  now: readonly MeasurementResult[],
): ComparedRun {
  return { earlierRunId, ...compareCells(cellsOf(earlier).map(runCell), now) };
}

function runCell(cell: Cell): RunCell {
  return {
    key: cell.key,
    cell,
    sharesPairs: sharesPairs(cell),
    valuesOf: (figure) => {
      const repeated = repeatedFigure(cell, figure);
      return repeated && { values: repeated.values, ownInterval: ownInterval(repeated) };
    },
  };
}

/** The form of `comparedRun` in `summary.json`. */
export interface RunComparison {
  readonly earlierRunId: string;
  readonly cells: readonly CellChange[];
  /** The first measurement of each cell that only one of the runs has. */
  readonly onlyNow: readonly string[];
  readonly onlyEarlier: readonly string[];
}

export interface CellChange {
  readonly measurementIds: readonly string[];
  readonly earlierMeasurementIds: readonly string[];
  readonly sharesPairs: boolean;
  readonly figures: readonly FigureChange[];
}

export function runComparison({ earlierRunId, compared, onlyNow, onlyEarlier }: ComparedRun): RunComparison {
  const firstId = ({ results }: Cell) => measurementIds(results)[0] ?? [];
  return {
    earlierRunId,
    cells: compared.map((cell) => ({
      measurementIds: measurementIds(cell.now.results),
      earlierMeasurementIds: measurementIds(cell.earlier.cell.results),
      sharesPairs: cell.sharesPairs,
      figures: cell.figures,
    })),
    onlyNow: onlyNow.flatMap(firstId),
    onlyEarlier: onlyEarlier.flatMap(({ cell }) => firstId(cell)),
  };
}

const measurementIds = (results: readonly MeasurementResult[]) => results.map(({ measurementId }) => measurementId);

/** One line for the execution's output. ASCII only. */
export function comparisonLine({ earlierRunId, cells, onlyNow, onlyEarlier }: RunComparison): string {
  const figures = cells.flatMap((cell) => cell.figures);
  const judged = figures.filter((change) => change.isBeyondNoise !== null);
  const changed = judged.filter((change) => change.isBeyondNoise);
  const parts = [
    `${changed.length} of ${judged.length} figures changed beyond the noise`,
    ...(figures.length > judged.length ? [`${figures.length - judged.length} without an interval`] : []),
    ...(onlyNow.length > 0 ? [`${counted(onlyNow.length, 'measurement')} only in this run`] : []),
    ...(onlyEarlier.length > 0 ? [`${counted(onlyEarlier.length, 'measurement')} only in the earlier one`] : []),
  ];
  return `compared with ${earlierRunId}: ${parts.join(', ')}`;
}
