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
import { contendedShare, contentionInWords, OF_THIS_RUN, type ContendedShare } from '../model/contended';
import type { MeasurementResult } from '../model/result';
import { counted } from '../text/format';
import { cellsOf, isDisplaced, sharesPairs, type Cell } from './cells';
import { FIGURES, type Figure } from '../tables/figures';

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

/** The values that one side has of a figure; empty where it was not measured. */
export interface FigureValues {
  readonly values: readonly number[];
  /** The 95 % interval of a value that stands alone, from its own measurement. */
  readonly ownInterval?: Interval;
}

/** What was measured of one cell before, wherever its figures were read from. */
export interface EarlierCell {
  readonly key: string;
  /** Whether the same pair was measured several times: other pairs may differ by more than the intervals say. */
  readonly sharesPairs: boolean;
  readonly contended: ContendedShare;
  readonly valuesOf: (figure: Figure) => FigureValues;
}

export interface ComparedCell<Earlier extends EarlierCell = EarlierCell> {
  readonly now: Cell;
  readonly earlier: Earlier;
  readonly sharesPairs: boolean;
  readonly figures: readonly FigureChange[];
}

export interface CellComparison<Earlier extends EarlierCell> {
  readonly compared: readonly ComparedCell<Earlier>[];
  /** Cells that the other side did not measure, or not to the end, or that were displaced. */
  readonly onlyNow: readonly Cell[];
  readonly onlyEarlier: readonly Earlier[];
}

export function compareCells<Earlier extends EarlierCell>(
  earlierCells: readonly Earlier[],
  now: readonly MeasurementResult[],
): CellComparison<Earlier> {
  const earlierByKey = new Map(earlierCells.map((cell) => [cell.key, cell]));
  const cells = cellsOf(now);
  const counterpartOf = (cell: Cell) => (isDisplaced(cell) ? undefined : earlierByKey.get(cell.key));
  const keys = new Set(cells.filter((cell) => !isDisplaced(cell)).map(({ key }) => key));
  return {
    compared: cells.flatMap((cell) => {
      const earlier = counterpartOf(cell);
      return earlier === undefined ? [] : [comparedCell(earlier, cell)];
    }),
    onlyNow: cells.filter((cell) => counterpartOf(cell) === undefined),
    onlyEarlier: earlierCells.filter(({ key }) => !keys.has(key)),
  };
}

function comparedCell<Earlier extends EarlierCell>(earlier: Earlier, now: Cell): ComparedCell<Earlier> {
  return {
    now,
    earlier,
    sharesPairs: earlier.sharesPairs || sharesPairs(now),
    figures: FIGURES.flatMap((figure) => figureChange(figure, earlier.valuesOf(figure), valuesOf(now, figure)) ?? []),
  };
}

export function valuesOf({ results }: Pick<Cell, 'results'>, figure: Pick<Figure, 'of' | 'intervalOf'>): FigureValues {
  const measured = results.filter((result) => figure.of(result) !== undefined);
  const [first] = measured;
  return {
    values: measured.flatMap((result) => figure.of(result) ?? []),
    ownInterval: first && figure.intervalOf(first),
  };
}

/** One side of a comparison. */
export interface Side {
  readonly values: readonly number[];
  readonly statistics: RepetitionStatistics;
  /** Around the mean: from the repetitions, or of the single measurement itself. */
  readonly interval: Interval | undefined;
}

/** @returns undefined where the figure was not measured */
export function sideOf(
  { values, ownInterval: own }: FigureValues,
  scatter: Pick<Figure, 'usualScatter' | 'isSkewed'>,
): Side | undefined {
  const statistics = repetitionStatistics(values, scatter);
  if (statistics === undefined) return undefined;
  const { mean, meanInterval, count } = statistics;
  const interval = mean !== null && meanInterval !== null ? { value: mean, ...meanInterval } : undefined;
  return { values, statistics, interval: interval ?? (count === 1 ? own : undefined) };
}

function figureChange(figure: Figure, earlierValues: FigureValues, nowValues: FigureValues): FigureChange | undefined {
  const [earlier, now] = [sideOf(earlierValues, figure), sideOf(nowValues, figure)];
  if (earlier === undefined || now === undefined) return undefined;
  const sides = { figure: figure.key, earlier: earlier.statistics, now: now.statistics };
  const unknown = { interval: null, isBeyondNoise: null };
  const [before, after] = [earlier.statistics.mean, now.statistics.mean];
  if (before === null || after === null) return { ...sides, basis: 'several_modes', difference: null, ...unknown };
  const found = differenceOf(earlier, now);
  if (found === undefined) return { ...sides, basis: 'single_measurement', difference: after - before, ...unknown };
  const { value: difference, ...interval } = found.difference;
  return { ...sides, basis: found.basis, difference, interval, isBeyondNoise: isBeyondNoise(found.difference) };
}

type ComparedSide = Pick<Side, 'values' | 'interval'>;

/** @returns undefined where a side has a single value without an interval of its own */
export function differenceOf(
  earlier: ComparedSide,
  now: ComparedSide,
): { basis: ComparisonBasis; difference: Interval } | undefined {
  if (earlier.values.length > 1 && now.values.length > 1) {
    return { basis: 'repetitions', difference: differenceOfMeans(earlier.values, now.values) };
  }
  if (earlier.interval === undefined || now.interval === undefined) return undefined;
  return { basis: 'own_intervals', difference: differenceOfIntervals(earlier.interval, now.interval) };
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
  const cells = cellsOf(earlier).map((cell): RunCell => ({
    key: cell.key,
    cell,
    sharesPairs: sharesPairs(cell),
    contended: contendedShare(cell.results),
    valuesOf: (figure) => valuesOf(cell, figure),
  }));
  return { earlierRunId, ...compareCells(cells, now) };
}

/** The form of `comparedRun` in `summary.json`. */
export interface RunComparison {
  readonly earlierRunId: string;
  readonly cells: readonly CellChange[];
  /** The first measurement of each cell that only one of the runs has. */
  readonly onlyNow: readonly string[];
  readonly onlyEarlier: readonly string[];
}

export interface CellChange extends Pick<ComparedCell, 'sharesPairs' | 'figures'> {
  readonly measurementIds: readonly string[];
  readonly earlierMeasurementIds: readonly string[];
  /** How many of them were measured while other work kept processors busy; absent for none. */
  readonly contendedCount?: number;
  readonly earlierContendedCount?: number;
}

export function runComparison({ earlierRunId, compared, onlyNow, onlyEarlier }: ComparedRun): RunComparison {
  const firstId = ({ results }: Cell) => results[0].measurementId;
  return {
    earlierRunId,
    cells: compared.map(({ now, earlier, ...comparison }) => ({
      measurementIds: measurementIds(now),
      earlierMeasurementIds: measurementIds(earlier.cell),
      contendedCount: contendedShare(now.results).contendedCount || undefined,
      earlierContendedCount: earlier.contended.contendedCount || undefined,
      ...comparison,
    })),
    onlyNow: onlyNow.map(firstId),
    onlyEarlier: onlyEarlier.map(({ cell }) => firstId(cell)),
  };
}

export const OF_THE_EARLIER_RUN = 'of the earlier run';

const measurementIds = ({ results }: Cell) => results.map(({ measurementId }) => measurementId);

/** How many figures were compared, those whose noise is known, and of these the ones that changed beyond it. */
export function judgedFigures(cells: readonly Pick<ComparedCell, 'figures'>[]) {
  const figures = cells.flatMap((cell) => cell.figures);
  const judged = figures.filter(({ isBeyondNoise }) => isBeyondNoise !== null);
  return { figureCount: figures.length, judged, changed: judged.filter(({ isBeyondNoise }) => isBeyondNoise) };
}

/** That other work kept processors busy on one side or both; undefined for none. */
export function contentionOfChange(
  cell: Pick<CellChange, 'measurementIds' | 'earlierMeasurementIds' | 'contendedCount' | 'earlierContendedCount'>,
): string | undefined {
  const { measurementIds: now, earlierMeasurementIds: earlier, contendedCount = 0, earlierContendedCount = 0 } = cell;
  return contentionInWords([
    { contendedCount, count: now.length, which: OF_THIS_RUN },
    { contendedCount: earlierContendedCount, count: earlier.length, which: OF_THE_EARLIER_RUN },
  ]);
}

/** One line for the execution's output. ASCII only. */
export function comparisonLine({ earlierRunId, cells, onlyNow, onlyEarlier }: RunComparison): string {
  const { figureCount, judged, changed } = judgedFigures(cells);
  const unknown = figureCount - judged.length;
  const unknownFigures = judged.length === 0 ? counted(unknown, 'figure') : `${unknown} more`;
  const busy = judgedFigures(cells.filter((cell) => contentionOfChange(cell) !== undefined)).changed.length;
  const onBusy = busy === 0 ? '' : ` (${busy} of them measured on busy processors)`;
  const parts = [
    ...(judged.length > 0
      ? [`${changed.length} of ${counted(judged.length, 'figure')} changed beyond the noise${onBusy}`]
      : []),
    ...(unknown > 0 ? [`the noise of ${unknownFigures} is unknown`] : []),
    ...(figureCount === 0 ? ['no figure in common'] : []),
    ...(onlyNow.length > 0 ? [`${counted(onlyNow.length, 'measurement')} only in this run`] : []),
    ...(onlyEarlier.length > 0 ? [`${counted(onlyEarlier.length, 'measurement')} only in the earlier one`] : []),
  ];
  return `compared with ${earlierRunId}: ${parts.join(', ')}`;
}
