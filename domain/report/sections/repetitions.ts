/** Shows how far repetitions agree: the statistics of each cell, and a dot for each value. */
import { largest, smallest } from '../../maths/statistics';
import { contendedShare } from '../../model/contended';
import {
  labelledCells,
  repeatedFigure,
  repeatedFigures,
  sharesPairs,
  type Cell,
  type RepeatedFigure,
} from '../../repetitions/cells';
import { inUnit, meanRoundTrip, meanThroughput, type Figure } from '../../tables/figures';
import { counted } from '../../text/format';
import { rowChart, type ChartRow } from '../charts/row-chart';
import { badge, contentionBadge, withNotes } from '../page/columns';
import { between, figureColumn, inShort } from '../page/change-table';
import { html, type Html, type HtmlValue } from '../page/html';
import { card, column, numberColumn, tableSection, type Section } from '../page/table';

/** The most rows of a chart; the table has all of them. */
const MAX_ROWS = 30;

interface LabelledFigure extends RepeatedFigure {
  readonly label: string;
}

export function repetitionsSection(all: readonly Cell[]): Section | undefined {
  const cells = all.filter((cell) => cell.results.length > 1);
  const { rows: labelledRows, shared } = labelledCells(cells);
  const figures = labelledRows.flatMap(({ item, label }) =>
    repeatedFigures([item]).map((repeated): LabelledFigure => ({ ...repeated, label })),
  );
  return tableSection<LabelledFigure>({
    id: 'repetitions',
    title: 'Repetitions',
    lead: html`This section has what was measured more than once. Each repetition counts as one value. The 95 % interval
    of a mean uses Student’s t (for round trips on a logarithmic scale, because round trips scatter farther upwards).
    The 95 % interval of a median runs from one of the values to another, and needs at least six values. If the values
    form separate groups (modes), no mean and no median are shown, because no repetition was near
    them.${
      cells.some(sharesPairs) &&
      ' Repetitions on the same pair only show how much that pair varies; another pair may differ by more.'
    }`,
    shared,
    aboveTable: [meanThroughput, meanRoundTrip].map((figure) => dots(figure, figures)),
    label: `All ${counted(figures.length, 'figure')}`,
    columns: [
      figureColumn,
      numberColumn('Repetitions', ({ statistics }) => statistics.count),
      numberColumn('Mean (95 %)', (row) => centre(row, 'mean')),
      numberColumn('Median (95 %)', (row) => centre(row, 'median')),
      numberColumn('Least to greatest', ({ figure, statistics }) => spread(figure, statistics)),
      column('Modes', modes),
    ],
    rows: figures,
    groups: {
      by: ({ cell }) => cell,
      title: ({ cell: { results }, label }) => [
        withNotes(label, results.map(({ measurementId }) => measurementId).join(', ')),
        contentionBadge(contendedShare(results)),
      ],
    },
  });
}

function dots(figure: Figure, all: readonly LabelledFigure[]): Html | undefined {
  const repeated = all.filter((each) => each.figure === figure);
  if (repeated.length === 0) return undefined;
  const scaled = (value: number) => inUnit(figure, value);
  const shown = repeated.slice(0, MAX_ROWS);
  const rows = shown.map(({ label, values, statistics }): ChartRow => {
    const { meanInterval } = statistics;
    const core = meanInterval && { low: scaled(meanInterval.low), high: scaled(meanInterval.high) };
    const name = 'each repetition, and the 95 % interval of the mean';
    return { label, figures: inShort(figure, statistics), marks: [{ name, values: values.map(scaled), core }] };
  });
  const drawn = shown.flatMap(({ values }) => values);
  const chart = rowChart({
    id: `repetitions-${figure.key}`,
    label: `${figure.name} of each repetition`,
    axis: `${figure.name}, ${figure.unit}`,
    scale: largest(drawn) / smallest(drawn) > 20 ? 'log' : 'values',
    rows,
  });
  const left = repeated.length > MAX_ROWS && ` Only the first ${MAX_ROWS} of ${repeated.length} rows are shown.`;
  return card(figure.name, chart, html`Each dot is a repetition; the bar is the 95 % interval of the mean.${left}`);
}

/** The mean over the repetitions with its interval, or the centre of each of several modes. */
export function meanWithInterval(cell: Cell, figure: Figure): HtmlValue {
  const repeated = repeatedFigure(cell, figure);
  return repeated && (centre(repeated, 'mean') ?? inShort(figure, repeated.statistics));
}

/** Undefined where there are several modes. */
function centre({ figure, statistics }: RepeatedFigure, which: 'mean' | 'median'): Html | undefined {
  const [value, interval] = [statistics[which], statistics[`${which}Interval`]];
  if (value === null) return undefined;
  return html`${figure.format(value)}${
    interval !== null && html`<small class="nowrap">${between(figure, interval)}</small>`
  }`;
}

/** Shows a single figure where both ends are equal when formatted. */
function spread(figure: Figure, { min, max }: { readonly min: number; readonly max: number }): string {
  return figure.format(min) === figure.format(max) ? figure.format(min) : between(figure, { low: min, high: max });
}

function modes({ figure, statistics: { modes: all, count } }: RepeatedFigure): HtmlValue {
  if (all.length === 1) return undefined;
  const ofMode = all.map((mode) => {
    const range = figure.format(mode.min) === figure.format(mode.max) ? '' : `, ${spread(figure, mode)}`;
    return withNotes(undefined, `${figure.format(mode.centre)} in ${mode.count} of ${count}${range}`);
  });
  return [badge('warn', counted(all.length, 'mode')), ofMode];
}
