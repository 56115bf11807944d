/** Helpers for all tables for a terminal. */
import type { Interval } from '../maths/interval';
import { verdictWord, type Cause, type VerdictKind } from '../model/verdict';
import { held, intervalText } from '../run/words';
import { seconds } from '../text/format';
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

/** A column with a figure and its interval; in a narrow terminal it shows only the figure. */
export function intervalColumn<Row>(
  heading: string,
  intervalOf: (row: Row) => Interval | null | undefined,
  format: (value: number) => string,
  { rank, insteadOf = () => undefined }: { readonly rank?: number; readonly insteadOf?: Cell<Row> } = {},
): TextColumn<Row> {
  return {
    ...figures(`${heading} (95 %)`, (row: Row) => withInterval(intervalOf(row), format) ?? insteadOf(row), rank),
    brief: { heading, cell: (row) => intervalText(intervalOf(row), format)?.value ?? insteadOf(row) },
  };
}

/** `22.2 (22.1 to 22.4)` */
export function withInterval(
  interval: Interval | null | undefined,
  format: (value: number) => string,
): string | undefined {
  const text = intervalText(interval, format);
  return text && `${text.value} (${text.low} to ${text.high})`;
}

/** What the columns of a verdict show; a verdict on packets has packets per second where others have bits. */
export interface JudgedRate {
  readonly kind: VerdictKind;
  readonly cause: Cause | null;
  readonly onset: Interval | null;
  readonly burst: Interval | null;
  readonly baseline: Interval | null;
}

/**
 * Returns the columns that readers come for, and which are therefore never left out: the verdict, how long the burst
 * lasts, the burst and what is left after it.
 *
 * In a narrow table, the verdict has the mean of a rate that did not drop. That of a drop is left out, because it says
 * more about how long was measured than about the network.
 */
export function verdictColumns<Row>(
  rows: readonly Row[],
  {
    verdictOf,
    meanOf,
    otherwise,
    format,
    unit,
    baseline,
  }: {
    readonly verdictOf: (row: Row) => JudgedRate | null | undefined;
    readonly meanOf: (row: Row) => number | undefined;
    /** Shown where there is no verdict. */
    readonly otherwise: (row: Row) => string;
    readonly format: (value: number) => string;
    readonly unit: string;
    readonly baseline?: TextColumn<Row>;
  },
): readonly TextColumn<Row>[] {
  const rate = (value: number | undefined) => (value === undefined ? undefined : format(value));
  const burstOf = (row: Row) => rate(verdictOf(row)?.burst?.value);
  const verdict = (row: Row) => wordOf(verdictOf(row)) ?? otherwise(row);
  const briefVerdict = (row: Row) => {
    // A mean that includes an outage is not a rate of the path.
    const hasMean = burstOf(row) === undefined && verdictOf(row)?.kind !== 'outage';
    const mean = hasMean ? rate(meanOf(row)) : undefined;
    return [verdict(row).replace('network_credits', 'credits'), mean].filter(Boolean).join(': ');
  };
  const hasBurst = rows.some((row) => burstOf(row) !== undefined);
  const lasts = intervalColumn('burst lasts s', (row: Row) => verdictOf(row)?.onset, seconds);
  return [
    { ...words('verdict', verdict), ...(hasBurst && { brief: words('verdict', briefVerdict) }) },
    { ...lasts, brief: { heading: 'burst lasts', cell: (row) => heldOf(verdictOf(row)?.onset) } },
    figures(`burst ${unit}`, burstOf),
    baseline ?? figures('baseline', (row) => rate(verdictOf(row)?.baseline?.value)),
    {
      ...figures(hasBurst ? 'mean' : `mean ${unit}`, (row: Row) => rate(meanOf(row))),
      ...(hasBurst && { brief: null }),
    },
  ];
}

const wordOf = (verdict: JudgedRate | null | undefined) => (verdict ? verdictWord(verdict) : undefined);
const heldOf = (interval: Interval | null | undefined) => (interval ? held(interval.value) : undefined);

/** @param width as of `columnTable` */
export const fitted = (lines: readonly string[], width: number | undefined) =>
  (width === undefined ? lines : lines.flatMap((line) => wrapped(line, width))).join('\n');

/** Joins the texts that are not empty, with an empty line between them. */
export const blocks = (texts: readonly string[]) => texts.filter((text) => text !== '').join('\n\n');
