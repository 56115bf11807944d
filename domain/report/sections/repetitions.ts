/** How far repetitions agree: the statistics of each cell, and every single value as a dot. */
import type { Bounds } from '../../maths/interval';
import type { RepetitionStatistics } from '../../maths/repetitions';
import { sharesPairs, type Cell } from '../cells';
import { chartPair } from '../charts/chart-pair';
import { rowChart, type ChartRow } from '../charts/row-chart';
import { distinguish } from '../dimensions';
import { meanRoundTrip, meanThroughput, type Figure } from '../figures';
import { counted } from '../../text/format';
import type { Html, HtmlValue } from '../html';
import { html } from '../html';
import { repeatedFigure, repeatedFigures, type RepeatedFigure } from '../repetitions';
import { foldedTable } from '../table';

/** Rows that one chart shows; the table has them all. */
const MAX_ROWS = 30;

export function repetitionsSection(all: readonly Cell[]): Html | undefined {
  const cells = all.filter((cell) => cell.results.length > 1);
  if (cells.length === 0) return undefined;
  const { labels, shared } = distinguish(cells.map((cell) => cell.results[0]!));
  const labelOf = new Map(cells.map((cell, index) => [cell.key, labels[index]!]));
  const rows = repeatedFigures(cells);
  return html`<section id="repetitions">
    <h2>Repetitions</h2>
    <p class="lead">
      What was measured more than once, each repetition counted as one value. The interval of a mean is Student’s t,
      that of a median goes from one of the values to another (six at least); both would cover the true one 95 times in
      100. Where the values stand in groups apart from each other there is no mean: nobody saw
      it.${cells.some(sharesPairs) && ' What was repeated on the same pair tells how that pair scatters; another pair may differ by more.'}
    </p>
    ${shared !== '' && html`<p class="sub">In all rows: ${shared}</p>`}
    ${[meanThroughput, meanRoundTrip].map((figure) => dots(figure, cells, labelOf))}
    <div class="card">
      ${foldedTable<RepeatedFigure>(
        `All ${counted(rows.length, 'figure')}`,
        [
          { heading: 'Figure', cell: ({ figure }) => html`${figure.name}<small>${figure.unit}</small>` },
          { heading: 'Repetitions', isNumber: true, cell: ({ statistics }) => statistics.count },
          { heading: 'Mean (95 %)', isNumber: true, cell: (row) => centre(row, 'mean', 'meanInterval') },
          { heading: 'Median (95 %)', isNumber: true, cell: (row) => centre(row, 'median', 'medianInterval') },
          {
            heading: 'Least to greatest',
            isNumber: true,
            cell: ({ figure, statistics }) => between(figure, { low: statistics.min, high: statistics.max }),
          },
          { heading: 'Modes', cell: modes },
        ],
        rows,
        {
          groupTitle: ({ cell }, index) =>
            rows[index - 1]?.cell === cell
              ? undefined
              : html`${labelOf.get(cell.key)}<small>${cell.results.map((it) => it.measurementId).join(', ')}</small>`,
        },
      )}
    </div>
  </section>`;
}

function dots(figure: Figure, cells: readonly Cell[], labelOf: ReadonlyMap<string, string>): Html | undefined {
  const repeated = cells.flatMap((cell) => repeatedFigure(cell, figure) ?? []);
  const rows = repeated.slice(0, MAX_ROWS).map(({ cell, values, statistics }): ChartRow => {
    const scaled = (value: number) => (figure === meanThroughput ? value / 1e9 : value);
    const { meanInterval } = statistics;
    return {
      label: labelOf.get(cell.key)!,
      figures: inShort(figure, statistics),
      marks: [
        {
          name: 'each repetition, and the 95 % interval of their mean',
          values: values.map(scaled),
          ...(meanInterval === null
            ? {}
            : { core: { low: scaled(meanInterval.low), high: scaled(meanInterval.high) } }),
        },
      ],
    };
  });
  const chart = chartPair((form) =>
    rowChart(
      {
        id: `repetitions-${figure.key}`,
        label: `${figure.name} of each repetition`,
        axis: `${figure.name}, ${figure.unit}`,
        scale: spread(rows) > 20 ? 'log' : 'values',
        rows,
      },
      form,
    ),
  );
  return (
    chart &&
    html`<div class="card">
      <h3>${figure.name}</h3>
      <p class="sub">
        A dot is a repetition, the bar the 95 % interval of their
        mean.${repeated.length > MAX_ROWS && ` The first ${MAX_ROWS} of ${repeated.length} rows.`}
      </p>
      ${chart}
    </div>`
  );
}

function spread(rows: readonly ChartRow[]): number {
  const values = rows.flatMap(({ marks }) => marks.flatMap((mark) => mark.values));
  return Math.max(...values) / Math.min(...values);
}

/** `9.48 (9.31–9.65), n 5`, or `5.01 ×2, 9.48 ×3`: what stands beside a row. */
export function inShort(figure: Figure, { mean, meanInterval, modes: all, count }: RepetitionStatistics): string {
  if (mean === null) return all.map((mode) => `${figure.format(mode.centre)} ×${mode.count}`).join(', ');
  const interval =
    meanInterval === null ? '' : ` (${figure.format(meanInterval.low)}–${figure.format(meanInterval.high)})`;
  return `${figure.format(mean)}${interval}, n ${count}`;
}

function centre(
  { figure, statistics }: RepeatedFigure,
  value: 'mean' | 'median',
  interval: 'meanInterval' | 'medianInterval',
): HtmlValue {
  const [shown, ends] = [statistics[value], statistics[interval]];
  if (shown === null) return undefined;
  return html`${figure.format(shown)}${ends !== null && html`<small class="nowrap">${between(figure, ends)}</small>`}`;
}

const between = (figure: Figure, { low, high }: Bounds) => `${figure.format(low)}–${figure.format(high)}`;

function modes({ figure, statistics }: RepeatedFigure): HtmlValue {
  const { modes: all, count } = statistics;
  if (all.length === 1) return undefined;
  return html`<span class="badge warn">${counted(all.length, 'mode')}</span>${all.map(
      (mode) =>
        html`<small
          >${figure.format(mode.centre)} in ${mode.count} of
          ${count}${mode.count > 1 && `, ${between(figure, { low: mode.min, high: mode.max })}`}</small
        >`,
    )}`;
}
