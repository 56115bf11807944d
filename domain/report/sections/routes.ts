/** The routes between the hosts: a few spaced round trips, the hops, and the largest packet that gets through. */
import type { MeasurementResult } from '../../model/result';
import { conditionsOf, rttOf } from '../../model/statistics';
import { cellsOf, type Cell } from '../../run/cells';
import { labelledCells, type LabelledRow } from '../../run/dimensions';
import { grouped, micros } from '../../text/format';
import { html } from '../page/html';
import type { Section } from '../page/contents';
import { reportTable } from '../page/columns';

export function routesSection(results: readonly MeasurementResult[]): Section | undefined {
  const cells = cellsOf(results.filter(isOfRoute));
  if (cells.length === 0) return undefined;
  const { rows, shared } = labelledCells(cells);
  const rtt = (heading: string, key: 'min' | 'mean' | 'max' | 'stdDev') =>
    numbers(heading, (result) => micros(rttOf(result)?.[key]));
  return {
    id: 'routes',
    title: 'Routes',
    html: html`
      <p class="lead">
        What the tools found out about the route from client to server. Round trips are in microseconds.
      </p>
      ${shared !== '' && html`<p class="sub">In all rows: ${shared}</p>`}
      <div class="card">
        ${reportTable(
          'Routes',
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
            numbers('Hops', (result) => conditionsOf(result)?.hopCount?.toString()),
            numbers('Path MTU, bytes', (result) => grouped(conditionsOf(result)?.pathMtuBytes)),
          ],
          rows,
        )}
      </div>
    `,
  };
}

/** Whether a result belongs to this section: conditions, and round trips that are too few for percentiles. */
export function isOfRoute(result: MeasurementResult): boolean {
  const rtt = rttOf(result);
  return result.kind === 'conditions' || (rtt !== undefined && rtt.p50 === undefined);
}

/** A column of the values of the repetitions, equal ones only once. */
const numbers = (heading: string, valueOf: (result: MeasurementResult) => string | undefined) => ({
  heading,
  isNumber: true,
  cell: ({ item }: LabelledRow<Cell>) =>
    [...new Set(item.results.flatMap((result) => valueOf(result) ?? []))].join(', '),
});
