/** Mean and tail of the round trips by address, zone and protocol. */
import { ADDRESSES_2013 } from '../articles/addresses-2013';
import type { Cell } from '../cells';
import { labelledCells } from '../dimensions';
import { centresOf, meanRoundTrip, tailRoundTrip } from '../figures';
import type { Html } from '../html';
import { html } from '../html';
import { repeatedFigure } from '../repeated-figures';
import { rttOf } from '../verdict-table';
import { inShort } from './repetitions';
import { comparable } from './comparable';
import { overlaidRowChart, type OverlaidRow } from './overlay';

export function latencyByAddress(cells: readonly Cell[]): Html | undefined {
  const shown = comparable(
    cells.filter(({ results: [first] }) => rttOf(first)?.p99 !== undefined),
    ['path', 'zoneRelation', 'protocol'],
  );
  if (shown.length === 0) return undefined;
  const { rows: labelledRows, shared } = labelledCells(shown);
  const tail = tailRoundTrip(shown.flatMap(({ results }) => results));
  const rows = labelledRows.map(({ item: cell, label }): OverlaidRow => {
    const [mean, far] = [repeatedFigure(cell, meanRoundTrip), repeatedFigure(cell, tail)];
    const article = ADDRESSES_2013.figuresOf(cell.results[0]);
    return {
      label,
      figures: [
        mean && `mean ${inShort(meanRoundTrip, mean.statistics)}`,
        far && `${tail.shortName} ${inShort(tail, far.statistics)}`,
      ]
        .filter(Boolean)
        .join('; '),
      marks: [
        { name: 'mean', values: centresOf(mean?.statistics) },
        { name: tail.shortName, values: centresOf(far?.statistics) },
      ],
      overlay: article && [
        {
          name: `${ADDRESSES_2013.name}: mean and p99.99`,
          values: [article.meanMicros, article.p99_99Micros],
          range: { low: article.meanMicros, high: article.p99_99Micros },
          isOverlay: true,
        },
      ],
    };
  });
  return html`<div class="card">
    <h3>Round trips by address, zone and protocol</h3>
    <p class="sub">${shared}. Logarithmic scale.</p>
    ${overlaidRowChart(
      {
        id: 'by-address',
        label: 'Mean and tail of the round trips by address, zone and protocol',
        axis: 'round trip, µs',
        scale: 'log',
        rows,
      },
      ADDRESSES_2013,
    )}
  </div>`;
}
