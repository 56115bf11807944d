import { groupBy } from '../../maths/group-by';
import { cellOf, type CellFactName } from '../../model/cell';
import type { Cell } from '../cells';

/**
 * The cells that have a counterpart: another cell that differs from them in the facts asked for, and apart from those
 * at most in the free ones. Cells that belong together stand together in the result.
 */
export function comparable<ComparableCell extends Pick<Cell, 'results'>>(
  cells: readonly ComparableCell[],
  asked: readonly CellFactName[],
  free: readonly CellFactName[] = [],
): ComparableCell[] {
  const groups = groupBy(cells, ({ results: [first] }) => cellOf(first, [...asked, ...free]));
  const differ = (group: readonly ComparableCell[]) =>
    new Set(group.map(({ results: [first] }) => JSON.stringify(asked.map((key) => first[key])))).size > 1;
  return [...groups.values()].filter(differ).flat();
}
