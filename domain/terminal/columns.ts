/** Helpers for all tables for a terminal. */
import { wrapped, type TextColumn } from '../text/text-table';

type Cell<Row> = TextColumn<Row>['cell'];

export const words = <Row>(heading: string, cell: Cell<Row>, rank?: number): TextColumn<Row> => ({
  heading,
  cell,
  rank,
});

export const figures = <Row>(heading: string, cell: Cell<Row>, rank?: number): TextColumn<Row> => ({
  heading,
  cell,
  rank,
  alignRight: true,
});

/** @param width as of `columnTable` */
export const fitted = (lines: readonly string[], width: number | undefined) =>
  (width === undefined ? lines : lines.flatMap((line) => wrapped(line, width))).join('\n');

/** Joins the texts that are not empty, with an empty line between them. */
export const blocks = (texts: readonly string[]) => texts.filter((text) => text !== '').join('\n\n');
