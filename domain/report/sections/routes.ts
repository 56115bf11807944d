/** The routes between the hosts: a few spaced round trips, the hops, and the largest packet that gets through. */
import type { MeasurementResult } from '../../model/result';
import { conditionsOf } from '../../model/statistics';
import { cellsOf, type Cell } from '../cells';
import { labelledCells, type Labelled } from '../dimensions';
import { grouped, micros } from '../../text/format';
import type { Html, HtmlValue } from '../html';
import { html } from '../html';
import { reportTable } from '../table';
import { rttOf } from '../verdict-table';

/** A cell with its label. */
type Row = Labelled<Cell>['rows'][number];

export function routesSection(results: readonly MeasurementResult[]): Html | undefined {
  const cells = cellsOf(results.filter(isOfRoute));
  if (cells.length === 0) return undefined;
  const { rows, shared } = labelledCells(cells);
  const rtt = (heading: string, key: 'min' | 'mean' | 'max' | 'stdDev') => ({
    heading,
    isNumber: true,
    cell: ({ item }: Row) => list(item, (result) => micros(rttOf(result)?.[key])),
  });
  return html`<section id="routes">
    <h2>Routes</h2>
    <p class="lead">What the tools found out about the route from client to server. Round trips are in microseconds.</p>
    ${shared !== '' && html`<p class="sub">In all rows: ${shared}</p>`}
    <div class="card">
      ${reportTable<Row>(
        [
          {
            heading: 'Measured',
            cell: ({ item, label }) =>
              html`<b>${label}</b><small>${item.results.map((result) => result.measurementId).join(', ')}</small>`,
          },
          rtt('Shortest', 'min'),
          rtt('Mean', 'mean'),
          rtt('Longest', 'max'),
          rtt('Standard deviation', 'stdDev'),
          {
            heading: 'Hops',
            isNumber: true,
            cell: ({ item }) => list(item, (result) => conditionsOf(result)?.hopCount?.toString()),
          },
          {
            heading: 'Path MTU, bytes',
            isNumber: true,
            cell: ({ item }) => list(item, (result) => present(conditionsOf(result)?.pathMtuBytes)),
          },
        ],
        rows,
      )}
    </div>
  </section>`;
}

const present = (value: number | undefined) => (value === undefined ? undefined : grouped(value));

/** Whether a result belongs to this section: conditions, and round trips that are too few for percentiles. */
export function isOfRoute(result: MeasurementResult): boolean {
  const rtt = rttOf(result);
  return result.kind === 'conditions' || (rtt !== undefined && rtt.p50 === undefined);
}

/** The values of the repetitions, equal ones only once. */
function list(cell: Cell, valueOf: (result: MeasurementResult) => string | undefined): HtmlValue {
  return [...new Set(cell.results.flatMap((result) => valueOf(result) ?? []))].join(', ');
}
