/** What a plan measures more than once, put together: a cell is one of its measurements between one of its pairs. */
import { cellOf } from '../model/cell';
import type { MeasurementResult } from '../model/result';

export interface Cell {
  /** `cellOf` every one of them: the same in every run that measures this. */
  readonly key: string;
  /** Complete ones, at least one, in the order of their repetitions. */
  readonly results: readonly MeasurementResult[];
}

/** Repeated on the same hosts: how they scatter tells of these hosts, and nothing of how far other ones are from them. */
export function sharesPairs({ results }: Pick<Cell, 'results'>): boolean {
  return new Set(results.map(({ pairId }) => pairId)).size < results.length;
}

/** In the plan's order, whatever the order of measuring. What did not end well is no repetition of what did. */
export function cellsOf(results: readonly MeasurementResult[]): Cell[] {
  const complete = results
    .filter(({ status }) => status === 'complete')
    .sort(
      (left, right) =>
        left.planPairIndex - right.planPairIndex ||
        left.planMeasurementIndex - right.planMeasurementIndex ||
        left.repetition - right.repetition ||
        left.pairRepetition - right.pairRepetition,
    );
  const cells = new Map<string, MeasurementResult[]>();
  for (const result of complete) {
    const key = cellOf(result);
    cells.set(key, [...(cells.get(key) ?? []), result]);
  }
  return [...cells].map(([key, repetitions]) => ({ key, results: repetitions }));
}
