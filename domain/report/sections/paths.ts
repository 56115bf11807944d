/** The paths between the hosts side by side: means over the repetitions, with their intervals. */
import type { Article } from '../articles/article';
import { NETWORKS_2015, type NetworkFigures } from '../articles/networks-2015';
import type { Cell } from '../cells';
import { labelledCells, type Labelled } from '../dimensions';
import { centresOf, meanRoundTrip, meanThroughput, transactions, type Figure } from '../figures';
import type { Html, HtmlValue } from '../html';
import { html } from '../html';
import { repeatedFigure } from '../repeated-figures';
import { reportTable } from '../table';
import { comparable } from './comparable';
import { overlaidRowChart, type OverlaidRow } from './overlay';
import { inShort } from './repetitions';

/** Throughput, and round trips where they were repeated or come from requests and responses. */
export function pathsSideBySide(cells: readonly Cell[]): Html | undefined {
  const throughput = chart(
    cells.filter(({ results: [first] }) => first.kind === 'throughput'),
    meanThroughput,
    ({ meanBitsPerSecond }) => meanBitsPerSecond,
    1e9,
  );
  const roundTrips = chart(
    cells.filter(({ results }) => transactions.of(results[0]) !== undefined || results.length > 1),
    meanRoundTrip,
    ({ meanRoundTripMicros }) => meanRoundTripMicros,
    1,
  );
  if (throughput === undefined && roundTrips === undefined) return undefined;
  return html`<div class="card">
    <h3>Paths side by side</h3>
    ${throughput}${roundTrips}
  </div>`;
}

function chart(
  cells: readonly Cell[],
  figure: Figure,
  articleValue: (figures: NetworkFigures) => number,
  unit: number,
): Html | undefined {
  const measured = cells.flatMap((cell) => {
    const repeated = repeatedFigure(cell, figure);
    return repeated === undefined ? [] : [{ ...cell, statistics: repeated.statistics }];
  });
  const shown = comparable(measured, ['path']);
  if (shown.length === 0) return undefined;
  const { rows: labelledRows, shared } = labelledCells(shown);
  const article: Article<NetworkFigures> = NETWORKS_2015;
  const rows = labelledRows.map(({ item: { results, statistics }, label }): OverlaidRow => {
    const { meanInterval } = statistics;
    const then = article.figuresOf(results[0]);
    return {
      label,
      figures: inShort(figure, statistics),
      marks: [
        {
          name: 'this run: mean with its 95 % interval',
          values: centresOf(statistics).map((value) => value / unit),
          core: meanInterval === null ? undefined : { low: meanInterval.low / unit, high: meanInterval.high / unit },
        },
      ],
      overlay: then && [
        { name: `${article.name}: mean of ten runs`, values: [articleValue(then) / unit], isOverlay: true },
      ],
    };
  });
  return html`<h4>${figure.name}</h4>
    <p class="sub">${shared}</p>
    ${overlaidRowChart(
      {
        id: `paths-${figure.key}`,
        label: `${figure.name} by path`,
        axis: `${figure.name}, ${figure.unit}`,
        scale: 'zero',
        rows,
      },
      article,
    )}`;
}

/** A cell with its label. */
type Row = Labelled<Cell>['rows'][number];

/** Transactions per second and their round trips: one message at a time, and the next one after the reply. */
export function requestsAndResponses(cells: readonly Cell[]): Html | undefined {
  const shown = cells.filter((cell) => repeatedFigure(cell, transactions) !== undefined);
  if (shown.length === 0) return undefined;
  const { rows, shared } = labelledCells(shown);
  const mean =
    (figure: Figure) =>
    ({ item }: Row) =>
      meanWithInterval(item, figure);
  return html`<div class="card">
    <h3>Requests and responses</h3>
    <p class="sub">
      ${shared}. One message at a time; the next one is sent when the reply has arrived. Means with their 95 %
      intervals.
    </p>
    ${reportTable<Row>(
      [
        { heading: 'Measured', cell: ({ label }) => html`<b>${label}</b>` },
        { heading: 'Repetitions', isNumber: true, cell: ({ item }) => item.results.length },
        { heading: 'Transactions per second', isNumber: true, cell: mean(transactions) },
        { heading: 'Round trip, mean, µs', isNumber: true, cell: mean(meanRoundTrip) },
      ],
      rows,
    )}
  </div>`;
}

/** The mean over the repetitions with its interval, or the centre of each mode where there are several. */
export function meanWithInterval(cell: Cell, figure: Figure): HtmlValue {
  const statistics = repeatedFigure(cell, figure)?.statistics;
  if (statistics === undefined) return undefined;
  const { mean, meanInterval } = statistics;
  if (mean === null) return inShort(figure, statistics);
  return html`${figure.format(mean)}${
    meanInterval !== null &&
    html`<small class="nowrap">${figure.format(meanInterval.low)}–${figure.format(meanInterval.high)}</small>`
  }`;
}
