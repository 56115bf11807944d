/** The first table of the page over all runs: what each pair of types can do now, what it costs, and how it changed. */
import { heldSeconds, holdAt } from '../../model/answer';
import { figureText, priceText, rangeText } from '../../answer/words';
import type { IndexInput } from '../../run/report-input';
import {
  BASELINE,
  furtherWords,
  LINE_RUNS,
  MEAN,
  sharedWords,
  typeAtlasOf,
  type TypeAtlasRow,
} from '../../history/type-atlas';
import type { AnswerDigest } from '../../history/answer-digest';
import { figureByKey, type Figure } from '../../tables/figures';
import { duration, gigabits } from '../../text/format';
import { sparkline } from '../charts/sparkline';
import { withNotes } from '../page/columns';
import { html, type HtmlValue } from '../page/html';
import { column, numberColumn, reportTable, roomyColumn, type ReportColumn, type Section } from '../page/table';
import { typeGrid } from './type-grid';
import { levelBefore, reportLink, statisticsCell } from './cells';

export function typesSection({ history, watched }: IndexInput): Section | undefined {
  const rows = typeAtlasOf(history, watched);
  if (rows.length === 0) return undefined;
  const shared = sharedWords(rows.map(({ conditions }) => conditions));
  return {
    id: 'types',
    title: 'By type',
    html: html`<form class="filter" role="search" hidden>
        <label>Filter <input type="search" placeholder="c5 peering" /></label>
        <output></output>
      </form>
      <div class="card">
        ${reportTable('By type', columnsOf(rows, shared), rows)}
        <p class="sub">${shared && `In all rows: ${shared.replace(/[,;:]$/, '')}`}</p>
        <p class="sub">
          Sustained: the rate after the burst or, if the rate did not drop, the mean. Holds: how long a pair holds the
          rate from full credits. Price: both instances, on demand, per hour. The line shows the last ${LINE_RUNS} runs;
          a dashed mark is a change. <a download="atlas.csv" href="${csvLink(rows)}">Download as CSV</a>
        </p>
      </div>
      ${typeGrid(rows, sustainedCell)}`,
  };
}

const columnsOf = (rows: readonly TypeAtlasRow[], shared: string): ReportColumn<TypeAtlasRow>[] => [
  roomyColumn('Types', ({ clientType, serverType, conditions }) =>
    withNotes(
      html`<b>${clientType === serverType ? clientType : `${clientType}, ${serverType}`}</b>`,
      furtherWords(conditions, shared),
    ),
  ),
  numberColumn('Sustained now, Gbit/s', sustainedCell, (row) => sustainedOf(row)?.value),
  figureColumn('Burst, Gbit/s', 'burstBitsPerSecond', 'burst'),
  figureColumn('Burst lasts, s', 'onsetSeconds', 'burstSeconds'),
  ...ratesOf(rows).map((rate) =>
    numberColumn<TypeAtlasRow>(
      `Holds ${rate / 1e9} Gbit/s`,
      ({ answer }) => heldCell(answer && holdAt(answer, rate)),
      (row) => secondsHeld(row, rate),
    ),
  ),
  numberColumn('Price, $/h', ({ answer }) => answer?.pairHourlyUsd && priceText(answer.pairHourlyUsd)),
  numberColumn('Gbit/s per $/h', ({ answer }) => gigabits(answer?.sustainedBitsPerSecondPerUsd)),
  column(`Last ${LINE_RUNS} runs`, ({ line }) => line && sparkline(line)),
  numberColumn('Runs', ({ runCount }) => runCount),
  column('Newest', ({ lastMeasuredAt, lastRunId }) => reportLink(lastMeasuredAt, lastRunId)),
];

function figureColumn(heading: string, key: string, name: AnsweredName): ReportColumn<TypeAtlasRow> {
  const figure = figureByKey(key);
  return numberColumn(heading, (row) => {
    const { figures, changes } = row;
    return (
      answeredCell(row, name, figure) ??
      withNotes(statisticsCell(figure, figures.get(key)), levelBefore(figure, changes.get(key)))
    );
  });
}

type AnsweredName = 'sustained' | 'burst' | 'burstSeconds';

/** A single run has the figures of its own report; those of several runs are medians over all of them. */
function ofSingleRun({ runCount, answer }: TypeAtlasRow, name: AnsweredName): AnswerDigest['burst'] {
  const isBound = name === 'sustained' && answer?.sustained?.bound !== 'measured';
  return runCount === 1 && !isBound ? answer?.[name] : undefined;
}

function answeredCell(row: TypeAtlasRow, name: AnsweredName, { format }: Pick<Figure, 'format'>): HtmlValue {
  const answered = ofSingleRun(row, name);
  return answered && withNotes(figureText(answered, format), rangeText(answered, format));
}

/** The level since the last certain change; the answer of one run only says what kind of rate it is. */
function sustainedOf(row: TypeAtlasRow): { readonly key: string; readonly value: number } | undefined {
  const { figures, answer } = row;
  const key = figures.has(BASELINE) ? BASELINE : MEAN;
  const statistics = figures.get(key);
  if (statistics === undefined || (key === MEAN && answer?.sustained?.bound === 'at_most')) return undefined;
  return { key, value: ofSingleRun(row, 'sustained')?.value ?? statistics.median ?? statistics.min };
}

function sustainedCell(row: TypeAtlasRow): HtmlValue {
  const found = sustainedOf(row);
  if (found === undefined) return row.answer?.sustained && `≤ ${gigabits(row.answer.sustained.value)}`;
  const figure = figureByKey(found.key);
  const answered = answeredCell(row, 'sustained', figure);
  if (answered !== undefined) return answered;
  const isMean = found.key === MEAN && row.answer?.sustained?.bound !== 'measured';
  return withNotes(
    statisticsCell(figure, row.figures.get(found.key)),
    isMean && 'mean',
    levelBefore(figure, row.changes.get(found.key)),
  );
}

type AnsweredHold = AnswerDigest['holds'][number];

const ratesOf = (rows: readonly TypeAtlasRow[]) =>
  [...new Set(rows.flatMap(({ answer }) => answer?.holds.map(({ bitsPerSecond }) => bitsPerSecond) ?? []))].sort(
    (left, right) => left - right,
  );

function heldCell(hold: AnsweredHold | undefined): HtmlValue {
  if (hold === undefined) return undefined;
  const { kind, seconds, reached } = hold;
  const held = seconds === undefined ? kind : `${kind === 'at_least' ? '≥ ' : ''}${duration(seconds)}`;
  return withNotes(held, reached && `${reached.count} of ${reached.of} pairs`);
}

function secondsHeld({ answer }: TypeAtlasRow, rate: number): number | undefined {
  const hold = answer && holdAt(answer, rate);
  return hold && heldSeconds(hold);
}

/** A link that downloads the table without a script; the page's content policy loads nothing. */
function csvLink(rows: readonly TypeAtlasRow[]): string {
  const rates = ratesOf(rows);
  const middle = (row: TypeAtlasRow, key: string, name: AnsweredName) =>
    ofSingleRun(row, name)?.value ?? row.figures.get(key)?.median ?? row.figures.get(key)?.min;
  const columns: readonly (readonly [string, (row: TypeAtlasRow) => string | number | undefined])[] = [
    ['client_type', ({ clientType }) => clientType],
    ['server_type', ({ serverType }) => serverType],
    ['conditions', ({ conditions }) => conditions],
    ['sustained_bits_per_second', (row) => sustainedOf(row)?.value],
    ['burst_bits_per_second', (row) => middle(row, 'burstBitsPerSecond', 'burst')],
    ['burst_seconds', (row) => middle(row, 'onsetSeconds', 'burstSeconds')],
    ...rates.map((rate) => [`hold_${rate / 1e9}_gbit_seconds`, (row: TypeAtlasRow) => secondsHeld(row, rate)] as const),
    ['pair_hourly_usd', ({ answer }) => answer?.pairHourlyUsd],
    ['sustained_bits_per_second_per_usd', ({ answer }) => answer?.sustainedBitsPerSecondPerUsd],
    ['runs', ({ runCount }) => runCount],
    ['last_run_id', ({ lastRunId }) => lastRunId],
    ['last_measured_at', ({ lastMeasuredAt }) => lastMeasuredAt],
  ];
  const lines = [
    columns.map(([name]) => name),
    ...rows.map((row) => columns.map(([, valueOf]) => field(valueOf(row)))),
  ];
  return `data:text/csv;charset=utf-8,${encodeURIComponent(lines.map((line) => `${line.join(',')}\r\n`).join(''))}`;
}

const field = (value: string | number | undefined) =>
  typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : (value ?? '');
