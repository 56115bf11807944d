/** Tables in plain text, described by their columns. */
import { textTable } from '../text/text-table';

export interface TextColumn<Row> {
  readonly heading: string;
  readonly alignRight?: boolean;
  /** Undefined leaves the cell blank. */
  readonly cell: (row: Row) => string | undefined;
}

/** The headings, a rule and the rows. Empty without rows. */
export function columnTable<Row>(columns: readonly TextColumn<Row>[], rows: readonly Row[]): string {
  if (rows.length === 0) return '';
  return textTable(
    columns.map(({ heading }) => heading),
    rows.map((row) => columns.map(({ cell }) => cell(row) ?? '')),
    { isRightAligned: (column) => columns[column]?.alignRight === true, hasRule: true },
  );
}
