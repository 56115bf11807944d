/**
 * Tables for a terminal: columns as wide as their widest cell, two spaces between them, no spaces at the end of a line.
 */

export interface TextTableLayout {
  /** Columns of figures are aligned right; the first column is 0. */
  readonly isRightAligned?: (column: number) => boolean;
  /** Whether a line of dashes separates the headings from the rows. */
  readonly hasRule?: boolean;
}

type Cells = readonly string[];

/** @param rows every row has a cell for each heading */
export function textTable(headings: Cells, rows: readonly Cells[], layout: TextTableLayout = {}): string {
  const { isRightAligned = () => false, hasRule = false } = layout;
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((cells) => cells[column]?.length ?? 0)),
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
