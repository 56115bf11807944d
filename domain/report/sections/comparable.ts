import { cellOf, type CellFactName } from '../../model/cell';
import type { Cell } from '../cells';

/**
 * The cells that have a counterpart: another cell that differs from them in the facts asked for, and apart from those at
 * most in the free ones. Cells that belong together stand together in the result.
 */
export function comparable(
  cells: readonly Cell[],
  asked: readonly CellFactName[],
  free: readonly CellFactName[] = [],
): Cell[] {
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) {
    const rest = cellOf(cell.results[0]!, [...asked, ...free]);
    groups.set(rest, [...(groups.get(rest) ?? []), cell]);
  }
  const differ = (group: readonly Cell[]) =>
    new Set(group.map(({ results }) => JSON.stringify(asked.map((key) => results[0]![key])))).size > 1;
  return [...groups.values()].filter(differ).flat();
}
