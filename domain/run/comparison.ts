/**
 * Compares a run with one named run, or with all earlier runs (`earlier-runs.ts`). Only the same cell (`model/cell.ts`)
 * is compared: the same instance types, conditions, tool and settings.
 */
import { contendedShare, contentionInWords, OF_THIS_RUN, type ContendedShare } from '../model/contended';
import type { MeasurementResult } from '../model/result';
import { counted } from '../text/format';
import { cellsOf, isDisplaced, sharesPairs, type Cell } from '../repetitions/cells';
import { figureSides, judgedFigures, judgedTogether, type FigureChange } from '../repetitions/compared-figures';
import { valuesOf, type FigureValues } from '../repetitions/figure-change';
import { FIGURES, type Figure } from '../tables/figures';

/** The earlier measurements of one cell, read from the results of a run or from Athena. */
export interface EarlierCell {
  readonly key: string;
  /** Whether the same pair was measured several times; another pair may then differ by more than the intervals say. */
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
  /** Cells without a complete counterpart on the other side, and displaced cells. */
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
  const pairs = cells.flatMap((now) => {
    const earlier = counterpartOf(now);
    return earlier === undefined ? [] : [{ now, earlier }];
  });
  const figures = judgedTogether(
    pairs.map((pair) =>
      FIGURES.flatMap((figure) => figureSides(figure, pair.earlier.valuesOf(figure), valuesOf(pair.now, figure)) ?? []),
    ),
  );
  return {
    compared: pairs.map(({ now, earlier }, index) => ({
      now,
      earlier,
      sharesPairs: earlier.sharesPairs || sharesPairs(now),
      figures: figures[index] ?? [],
    })),
    onlyNow: cells.filter((cell) => counterpartOf(cell) === undefined),
    onlyEarlier: earlierCells.filter(({ key }) => !keys.has(key)),
  };
}

export interface RunCell extends EarlierCell {
  readonly cell: Cell;
}

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
  /** How many of these measurements ran while other work kept processors busy; absent if none did. */
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

/** Says on which sides other work kept processors busy; undefined if on neither. */
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
