import type { MeasurementResult } from '../../model/result';
import { cellKey, type Cell } from '../cells';

type Key = keyof MeasurementResult;

/**
 * The cells that have a counterpart: another one that differs from them in the asked things, and otherwise at most in the
 * ones let free. Those that belong together stand together.
 */
export function comparable(cells: readonly Cell[], asked: readonly Key[], free: readonly Key[] = []): Cell[] {
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) {
    const blanked = Object.fromEntries([...asked, ...free].map((key) => [key, null]));
    const rest = cellKey({ ...cell.results[0]!, ...blanked });
    groups.set(rest, [...(groups.get(rest) ?? []), cell]);
  }
  const differ = (group: readonly Cell[]) =>
    new Set(group.map(({ results }) => JSON.stringify(asked.map((key) => results[0]![key])))).size > 1;
  return [...groups.values()].filter(differ).flat();
}
