/**
 * Tables for a terminal: columns as wide as their widest cell, separated by two spaces, without spaces at the end of a
 * line. If a width is given, the table is made to fit: first cells become brief, then columns are left out, and finally
 * each row becomes a card of several lines.
 */

import { printable } from './printable';

export interface TextTableLayout {
  /** Columns of figures are aligned right; the first column is 0. */
  readonly isRightAligned?: (column: number) => boolean;
  /** Whether a line of dashes separates the headings from the rows. */
  readonly hasRule?: boolean;
}

type Cells = readonly string[];

const GAP = '  ';

/** @param rawRows every row has a cell for each heading */
export function textTable(headings: Cells, rawRows: readonly Cells[], layout: TextTableLayout = {}): string {
  const rows = rawRows.map((cells) => cells.map(printable));
  const { isRightAligned = () => false, hasRule = false } = layout;
  const widths = columnWidths(headings, rows);
  const line = (cells: Cells) =>
    widths
      .map((width, column) => {
        const cell = cells[column] ?? '';
        return isRightAligned(column) ? cell.padStart(width) : cell.padEnd(width);
      })
      .join(GAP)
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width));
  return [headings, ...(hasRule ? [rule] : []), ...rows].map(line).join('\n');
}

const columnWidths = (headings: Cells, rows: readonly Cells[]) =>
  headings.map((heading, column) =>
    rows.reduce((width, cells) => Math.max(width, cells[column]?.length ?? 0), heading.length),
  );

export interface CellsOfColumn<Row> {
  readonly heading: string;
  /** Undefined leaves the cell blank. */
  readonly cell: (row: Row) => string | undefined;
}

export interface TextColumn<Row> extends CellsOfColumn<Row> {
  readonly alignRight?: boolean;
  /** Replaces the column in a table that is too wide; null if another brief column shows it. */
  readonly brief?: CellsOfColumn<Row> | null;
  /** Columns of a higher rank are left out of a table that is too wide first. Without a rank, a column never is. */
  readonly rank?: number;
}

/**
 * Returns a table with headings, a rule and rows; empty without rows.
 * @param width of the terminal in characters; without one, the table has all columns, however wide they are
 */
export function columnTable<Row>(
  columns: readonly TextColumn<Row>[],
  rows: readonly Row[],
  width?: number,
  { hasRule = true }: Pick<TextTableLayout, 'hasRule'> = {},
): string {
  if (rows.length === 0) return '';
  if (width === undefined || widthOf(columns, rows) <= width) return wholeTable(columns, rows, hasRule);
  const filled = columns.filter(({ cell }) => rows.some((row) => (cell(row) ?? '') !== ''));
  const brief = filled.filter((column) => column.brief !== null).map((column) => ({ ...column, ...column.brief }));
  const kept = fittingColumns(brief, rows, width);
  if (kept === undefined) return cards(filled, rows, width);
  const leftOut = brief.filter((column) => !kept.includes(column)).map(({ heading }) => heading);
  const note = leftOut.length === 0 ? [] : wrapped(`not shown, for want of width: ${leftOut.join(', ')}`, width);
  return [wholeTable(kept, rows, hasRule), ...note].join('\n');
}

function wholeTable<Row>(columns: readonly TextColumn<Row>[], rows: readonly Row[], hasRule: boolean): string {
  return textTable(
    columns.map(({ heading }) => heading),
    cellsOf(columns, rows),
    { isRightAligned: (column) => columns[column]?.alignRight === true, hasRule },
  );
}

const cellsOf = <Row>(columns: readonly TextColumn<Row>[], rows: readonly Row[]): string[][] =>
  rows.map((row) => columns.map(({ cell }) => printable(cell(row) ?? '')));

function widthOf<Row>(columns: readonly TextColumn<Row>[], rows: readonly Row[]): number {
  const headings = columns.map(({ heading }) => heading);
  const widths = columnWidths(headings, cellsOf(columns, rows));
  return widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
}

/** @returns undefined if even the columns that are never left out are too wide */
function fittingColumns<Row>(columns: readonly TextColumn<Row>[], rows: readonly Row[], width: number) {
  let kept = columns;
  while (widthOf(kept, rows) > width) {
    const ranks = kept.flatMap(({ rank }) => rank ?? []).sort((one, other) => one - other);
    const highest = ranks.at(-1);
    if (highest === undefined) return undefined;
    kept = kept.filter(({ rank }) => rank !== highest);
  }
  return kept;
}

/** Returns each row as lines of a heading and a value, with an empty line between rows. */
function cards<Row>(columns: readonly TextColumn<Row>[], rows: readonly Row[], width: number): string {
  const nameWidth = Math.min(
    columns.reduce((widest, { heading }) => Math.max(widest, heading.length), 0),
    Math.max(Math.floor(width / 2), 1),
  );
  const card = (cells: Cells) =>
    columns.flatMap(({ heading }, column) => {
      const cell = cells[column] ?? '';
      if (cell === '') return [];
      const names = wrapped(heading, nameWidth);
      const values = isAddress(cell) ? [cell] : wrapped(cell, Math.max(width - nameWidth - GAP.length, 1));
      const lineCount = Math.max(names.length, values.length);
      return Array.from({ length: lineCount }, (_, line) =>
        `${(names[line] ?? '').padEnd(nameWidth)}${GAP}${values[line] ?? ''}`.trimEnd(),
      );
    });
  return cellsOf(columns, rows)
    .map((cells) => card(cells).join('\n'))
    .join('\n\n');
}

/** Whether the cell is a path, which may have spaces, or a link. It is never broken, because readers copy it. */
const isAddress = (cell: string) => /^(?:\/|\w+:\/\/)|^\S+$/.test(cell);

/** Breaks a text into lines of at most `width` characters, at spaces if there are any. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > 0 ? space : width;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:E-?\d+)?$/i;
/** More digits are of no use to a reader; a number from this many digits on is rounded to a whole one. */
const SHOWN_DIGITS = 6;

/** Returns a number without an exponent, and rounded to six digits if it is not whole. */
export function readableNumber(text: string): string {
  const value = Number(text);
  if (!NUMBER.test(text) || !Number.isFinite(value) || /^-?\d+$/.test(text)) return text;
  const isLong = text.replace(/\D/g, '').length > SHOWN_DIGITS;
  if (!isLong && !/e/i.test(text)) return text;
  if (Math.abs(value) >= 10 ** (SHOWN_DIGITS - 1)) return value.toFixed(0);
  return value.toLocaleString('en', { maximumSignificantDigits: SHOWN_DIGITS, useGrouping: false });
}

/** Returns the rows of a query as a table; figures are rounded and aligned right. */
export function queryTable(headings: Cells, rows: readonly Cells[], width?: number): string {
  const columns = headings.map((heading, column): TextColumn<Cells> => {
    const cells = rows.map((row) => row[column] ?? '').filter((cell) => cell !== '');
    return {
      heading,
      alignRight: cells.length > 0 && cells.every((cell) => NUMBER.test(cell)),
      cell: (row) => readableNumber(row[column] ?? ''),
    };
  });
  if (rows.length > 0) return columnTable(columns, rows, width);
  return width === undefined
    ? textTable(headings, [], { hasRule: true })
    : wrapped(`no row of ${headings.join(', ')}`, width).join('\n');
}
