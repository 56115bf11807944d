/** Shortest, mean and longest round trip, by placement and by which side has ENA Express. */
import { PLACEMENTS_2016 } from '../articles/placements-2016';
import type { Cell } from '../cells';
import { distinguish } from '../dimensions';
import { centresOf, meanRoundTrip } from '../figures';
import { micros } from '../../text/format';
import type { Html } from '../html';
import { html } from '../html';
import { repeatedFigure } from '../repetitions';
import { rttOf } from '../verdict-table';
import { comparable } from './comparable';
import { overlaidRowChart, type OverlaidRow } from './overlay';
import { inShort } from './repetitions';

export function roundTripByPlacement(cells: readonly Cell[]): Html | undefined {
  const shown = comparable(
    cells.filter(({ results }) => rttOf(results[0]!) !== undefined),
    ['placement', 'enaExpress'],
    ['zoneRelation'],
  );
  if (shown.length === 0) return undefined;
  const { labels, shared } = distinguish(shown.map(({ results }) => results[0]!));
  return html`<div class="card">
    <h3>Round trips by placement and ENA Express</h3>
    <p class="sub">${shared}. A line from the shortest to the longest, a point at the mean; logarithmic scale.</p>
    ${overlaidRowChart(
      {
        id: 'by-placement',
        label: 'Shortest, mean and longest round trip by placement and ENA Express',
        axis: 'round trip, µs',
        scale: 'log',
        rows: shown.map((cell, index) => rowOf(cell, labels[index]!)),
      },
      PLACEMENTS_2016,
    )}
  </div>`;
}

function rowOf(cell: Cell, label: string): OverlaidRow {
  const all = cell.results.flatMap((result) => rttOf(result) ?? []);
  const range = { low: Math.min(...all.map(({ min }) => min)), high: Math.max(...all.map(({ max }) => max)) };
  const mean = repeatedFigure(cell, meanRoundTrip)?.statistics;
  const article = PLACEMENTS_2016.figuresOf(cell.results[0]!);
  return {
    label,
    figures: `mean ${mean && inShort(meanRoundTrip, mean)}; ${micros(range.low)} to ${micros(range.high)}`,
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
