/** Paths between the hosts side by side: means over the repetitions, with their intervals. */
import type { Article } from '../articles/article';
import { NETWORKS_2015, type NetworkFigures } from '../articles/networks-2015';
import type { Cell } from '../cells';
import { distinguish } from '../dimensions';
import { centresOf, meanRoundTrip, meanThroughput, transactions, type Figure } from '../figures';
import type { Html, HtmlValue } from '../html';
import { html } from '../html';
import { repeatedFigure } from '../repetitions';
import { reportTable } from '../table';
import { comparable } from './comparable';
import { overlaidRowChart, type OverlaidRow } from './overlay';
import { inShort } from './repetitions';

/** Throughput, and round trips where they were repeated or are of requests and responses. */
export function pathsSideBySide(cells: readonly Cell[]): Html | undefined {
  const throughput = chart(
    cells.filter(({ results }) => results[0]!.kind === 'throughput'),
    meanThroughput,
    ({ meanBitsPerSecond }) => meanBitsPerSecond,
    1e9,
  );
  const roundTrips = chart(
    cells.filter(({ results }) => transactions.of(results[0]!) !== undefined || results.length > 1),
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
  ofArticle: (figures: NetworkFigures) => number,
  unit: number,
): Html | undefined {
  const shown = comparable(
    cells.filter((cell) => repeatedFigure(cell, figure) !== undefined),
    ['path'],
  );
  if (shown.length === 0) return undefined;
  const { labels, shared } = distinguish(shown.map(({ results }) => results[0]!));
  const article: Article<NetworkFigures> = NETWORKS_2015;
  const rows = shown.map((cell, index): OverlaidRow => {
    const { statistics } = repeatedFigure(cell, figure)!;
    const { meanInterval } = statistics;
    const then = article.figuresOf(cell.results[0]!);
    return {
      label: labels[index]!,
      figures: inShort(figure, statistics),
      marks: [
        {
          name: 'this run, mean and its 95 % interval',
          values: centresOf(statistics).map((value) => value / unit),
          ...(meanInterval !== null && { core: { low: meanInterval.low / unit, high: meanInterval.high / unit } }),
        },
      ],
      overlay: then && [{ name: `${article.name}: mean of ten`, values: [ofArticle(then) / unit], isOverlay: true }],
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

/** One message at a time, the next when the reply is in: how many a second, and how long each takes. */
export function requestsAndResponses(cells: readonly Cell[]): Html | undefined {
  const shown = cells.filter((cell) => repeatedFigure(cell, transactions) !== undefined);
  if (shown.length === 0) return undefined;
  const { labels, shared } = distinguish(shown.map(({ results }) => results[0]!));
  const figure = (of: Figure) => (cell: Cell) => meanWithInterval(cell, of);
  return html`<div class="card">
    <h3>Requests and responses</h3>
    <p class="sub">${shared}. One message at a time, the next when the reply is in; means with their 95 % intervals.</p>
    ${reportTable<Cell>(
      [
        { heading: 'Measured', cell: (cell) => html`<b>${labels[shown.indexOf(cell)]}</b>` },
        { heading: 'Repetitions', isNumber: true, cell: ({ results }) => results.length },
        { heading: 'Transactions per second', isNumber: true, cell: figure(transactions) },
        { heading: 'Round trip, mean, µs', isNumber: true, cell: figure(meanRoundTrip) },
      ],
      shown,
    )}
  </div>`;
}

/** Of several modes all centres. */
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
