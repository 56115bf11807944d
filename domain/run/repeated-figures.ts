/** Statistics of each figure over the repetitions of a cell, for the report and for `summary.json`. */
import { repetitionStatistics, type RepetitionStatistics } from '../maths/repetition-statistics';
import { contendedShare } from '../model/contended';
import { isDisplaced, type Cell } from './cells';
import { FIGURES, type Figure } from '../tables/figures';

export interface RepeatedFigure {
  readonly cell: Cell;
  readonly figure: Figure;
  /** One value for each repetition that has the figure, in the order of the repetitions. */
  readonly values: readonly number[];
  readonly statistics: RepetitionStatistics;
}

export function repeatedFigure(cell: Cell, figure: Figure): RepeatedFigure | undefined {
  const values = cell.results.flatMap((result) => figure.of(result) ?? []);
  const statistics = repetitionStatistics(values, figure);
  return statistics === undefined ? undefined : { cell, figure, values, statistics };
}

/** The figures of the cells that were measured more than once. */
export function repeatedFigures(cells: readonly Cell[]): RepeatedFigure[] {
  return cells
    .filter(({ results }) => results.length > 1)
    .flatMap((cell) => FIGURES.flatMap((figure) => repeatedFigure(cell, figure) ?? []));
}

export interface RepetitionSummary extends RepetitionStatistics {
  readonly planPairIndex: number;
  readonly planMeasurementIndex: number;
  /** Present for repetitions that were displaced, which are apart from the others of the same indices. */
  readonly isDisplaced?: true;
  /** How many were measured while other work kept processors busy; absent for none. */
  readonly contendedCount?: number;
  /** Key of one of `FIGURES`, e.g. `burstBitsPerSecond`. */
  readonly figure: string;
}

export function repetitionSummaries(cells: readonly Cell[]): RepetitionSummary[] {
  return repeatedFigures(cells).map(({ cell, figure, statistics }) => {
    const { planPairIndex, planMeasurementIndex } = cell.results[0];
    const displaced = isDisplaced(cell) ? true : undefined;
    const contendedCount = contendedShare(cell.results).contendedCount || undefined;
    const indices = { planPairIndex, planMeasurementIndex };
    return { ...indices, isDisplaced: displaced, contendedCount, figure: figure.key, ...statistics };
  });
}
