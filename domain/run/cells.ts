/** The results of a run by cell: a cell holds the repetitions of one measurement between one pair of hosts. */
import { groupBy } from '../maths/elements';
import { cellOf, type CellFactName } from '../model/cell';
import { isHeldBack } from '../model/latency-verdict';
import type { MeasurementResult } from '../model/result';

export interface Cell {
  /** `cellOf` each of the results. It is the same in every run that measures this cell. */
  readonly key: string;
  /** The complete results, in the order of their repetitions. */
  readonly results: readonly [MeasurementResult, ...MeasurementResult[]];
}

/** Whether repetitions ran on the same hosts: their scatter then does not show how far other hosts are from these. */
export function sharesPairs({ results }: Pick<Cell, 'results'>): boolean {
  return new Set(results.map(({ pairId }) => pairId)).size < results.length;
}

export function inPlanOrder(results: readonly MeasurementResult[]): MeasurementResult[] {
  return [...results].sort(
    (left, right) =>
      left.planPairIndex - right.planPairIndex ||
      left.planMeasurementIndex - right.planMeasurementIndex ||
      left.repetition - right.repetition ||
      left.pairRepetition - right.pairRepetition,
  );
}

/**
 * Cells in the plan's order, in whatever order they were measured. A result that is not complete is no repetition, nor are
 * round trips that an allowance held back, because they are not the path's.
 */
export function cellsOf(results: readonly MeasurementResult[]): Cell[] {
  const complete = inPlanOrder(results.filter((result) => result.status === 'complete' && !isHeldBack(result)));
  const cells = groupBy(complete, (result) => cellOf(result));
  return [...cells].map(([key, repetitions]) => ({ key, results: repetitions }));
}

/**
 * Whether a cell was measured in other zones than the cells beside it, and the same cell in other runs. It is compared
 * with none, displaced ones included: each of them may be in still other zones.
 */
export function isDisplaced({ results: [first] }: Pick<Cell, 'results'>): boolean {
  return first.isDisplaced === true;
}

/**
 * The cells that have a counterpart: another cell that differs from them in the facts asked for, and apart from those
 * at most in the free ones. Cells that belong together stand together in the result. Displaced cells have none.
 */
export function comparable<ComparableCell extends Pick<Cell, 'results'>>(
  cells: readonly ComparableCell[],
  asked: readonly CellFactName[],
  free: readonly CellFactName[] = [],
): ComparableCell[] {
  const inPlace = cells.filter((cell) => !isDisplaced(cell));
  const groups = groupBy(inPlace, ({ results: [first] }) => cellOf(first, [...asked, ...free]));
  const differ = (group: readonly ComparableCell[]) =>
    new Set(group.map(({ results: [first] }) => JSON.stringify(asked.map((key) => first[key])))).size > 1;
  return [...groups.values()].filter(differ).flat();
}
