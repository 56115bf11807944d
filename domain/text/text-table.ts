/** Tables for a terminal: columns as wide as their widest cell, two spaces between them, none at the end of a line. */

import { printable } from './printable';

export interface TextTableLayout {
  /** Columns of figures are aligned right; the first column is 0. */
  readonly isRightAligned?: (column: number) => boolean;
  /** Whether a line of dashes separates the headings from the rows. */
  readonly hasRule?: boolean;
}

type Cells = readonly string[];

/** @param rawRows every row has a cell for each heading */
export function textTable(headings: Cells, rawRows: readonly Cells[], layout: TextTableLayout = {}): string {
  const rows = rawRows.map((cells) => cells.map(printable));
  const { isRightAligned = () => false, hasRule = false } = layout;
  const widths = headings.map((heading, column) =>
    rows.reduce((width, cells) => Math.max(width, cells[column]?.length ?? 0), heading.length),
  );
  const line = (cells: Cells) =>
    widths
      .map((width, column) => {
        const cell = cells[column] ?? '';
        return isRightAligned(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width));
  return [headings, ...(hasRule ? [rule] : []), ...rows].map(line).join('\n');
}

export interface TextColumn<Row> {
  readonly heading: string;
  readonly alignRight?: boolean;
  /** Undefined leaves the cell blank. */
  readonly cell: (row: Row) => string | undefined;
}

/** A table described by its columns: the headings, a rule and the rows. Empty without rows. */
export function columnTable<Row>(columns: readonly TextColumn<Row>[], rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  return textTable(
    columns.map(({ heading }) => heading),
    rows.map((row) => columns.map(({ cell }) => cell(row) ?? '')),
    { isRightAligned: (column) => columns[column]?.alignRight === true, hasRule: true },
  );
}
