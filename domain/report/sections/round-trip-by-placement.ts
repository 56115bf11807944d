/** The shortest, mean and longest round trip by placement and by which sides have ENA Express. */
import { PLACEMENTS_2016 } from '../articles/placements-2016';
import type { Cell } from '../cells';
import { labelledCells } from '../dimensions';
import { centresOf, meanRoundTrip } from '../figures';
import { micros } from '../../text/format';
import type { Html } from '../html';
import { html } from '../html';
import { repeatedFigure } from '../repeated-figures';
import { rttOf } from '../verdict-table';
import { comparable } from './comparable';
import { overlaidRowChart, type OverlaidRow } from './overlay';
import { inShort } from './repetitions';

export function roundTripByPlacement(cells: readonly Cell[]): Html | undefined {
  const shown = comparable(
    cells.filter(({ results: [first] }) => rttOf(first) !== undefined),
    ['placement', 'enaExpress'],
    ['zoneRelation'],
  );
  if (shown.length === 0) return undefined;
  const { rows, shared } = labelledCells(shown);
  return html`<div class="card">
    <h3>Round trips by placement and ENA Express</h3>
    <p class="sub">
      ${shared}. The line goes from the shortest to the longest round trip; the point is the mean. Logarithmic scale.
    </p>
    ${overlaidRowChart(
      {
        id: 'by-placement',
        label: 'Shortest, mean and longest round trip by placement and ENA Express',
        axis: 'round trip, µs',
        scale: 'log',
        rows: rows.map(({ item, label }) => rowOf(item, label)),
      },
      PLACEMENTS_2016,
    )}
  </div>`;
}

function rowOf(cell: Cell, label: string): OverlaidRow {
  const all = cell.results.flatMap((result) => rttOf(result) ?? []);
  const range = { low: Math.min(...all.map(({ min }) => min)), high: Math.max(...all.map(({ max }) => max)) };
  const mean = repeatedFigure(cell, meanRoundTrip)?.statistics;
  const article = PLACEMENTS_2016.figuresOf(cell.results[0]);
  return {
    label,
    figures: [
      ...(mean === undefined ? [] : [`mean ${inShort(meanRoundTrip, mean)}`]),
      [micros(range.low), micros(range.high)].join(' to '),
    ].join('; '),
    marks: [{ name: 'this run', values: centresOf(mean), range }],
    overlay: article && [
      {
        name: `${PLACEMENTS_2016.name}: shortest, mean, longest`,
        values: [article.meanMicros],
        range: { low: article.minMicros, high: article.maxMicros },
        isOverlay: true,
      },
    ],
  };
}
