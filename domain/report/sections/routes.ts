/** What the routes are like: a few slow round trips, the hops, and the largest packet that gets through. */
import type { MeasurementResult } from '../../model/result';
import { conditionsOf } from '../../model/statistics';
import { cellsOf, type Cell } from '../cells';
import { distinguish } from '../dimensions';
import { grouped, micros } from '../../text/format';
import type { Html, HtmlValue } from '../html';
import { html } from '../html';
import { reportTable } from '../table';
import { rttOf } from '../verdict-table';

export function routesSection(results: readonly MeasurementResult[]): Html | undefined {
  const cells = cellsOf(results.filter(isOfRoute));
  if (cells.length === 0) return undefined;
  const { labels, shared } = distinguish(cells.map(({ results: [first] }) => first!));
  const rtt = (heading: string, key: 'min' | 'mean' | 'max' | 'stdDev') => ({
    heading,
    isNumber: true,
    cell: (cell: Cell) => list(cell, (result) => micros(rttOf(result)?.[key])),
  });
  return html`<section id="routes">
    <h2>Routes</h2>
    <p class="lead">What the tools for it told of the way from client to server; round trips in microseconds.</p>
    ${shared !== '' && html`<p class="sub">In all rows: ${shared}</p>`}
    <div class="card">
      ${reportTable<Cell>(
        [
          {
            heading: 'Measured',
            cell: (cell) =>
              html`<b>${labels[cells.indexOf(cell)]}</b
                ><small>${cell.results.map((result) => result.measurementId).join(', ')}</small>`,
          },
          rtt('Shortest', 'min'),
          rtt('Mean', 'mean'),
          rtt('Longest', 'max'),
          rtt('Deviation', 'stdDev'),
          {
            heading: 'Hops',
            isNumber: true,
            cell: (cell) => list(cell, (result) => conditionsOf(result)?.hopCount?.toString()),
          },
          {
            heading: 'Path MTU, bytes',
            isNumber: true,
            cell: (cell) => list(cell, (result) => present(conditionsOf(result)?.pathMtuBytes)),
          },
        ],
        cells,
      )}
    </div>
  </section>`;
}

const present = (value: number | undefined) => (value === undefined ? undefined : grouped(value));

/** Conditions, and round trips without percentiles. */
export function isOfRoute(result: MeasurementResult): boolean {
  const rtt = rttOf(result);
  return result.kind === 'conditions' || (rtt !== undefined && rtt.p50 === undefined);
}

/** One value for each repetition, each only once. */
function list(cell: Cell, of: (result: MeasurementResult) => string | undefined): HtmlValue {
  return [...new Set(cell.results.flatMap((result) => of(result) ?? []))].join(', ');
}
