/** Charts that answer the questions of the articles. Each appears where the run has what it compares. */
import type { Cell } from '../cells';
import type { Html } from '../html';
import { html } from '../html';
import { latencyByAddress } from './latency-by-address';
import { pathsSideBySide, requestsAndResponses } from './paths';
import { roundTripByPlacement } from './round-trip-by-placement';
import { throughputByType } from './throughput-by-type';

export function chartsSection(cells: readonly Cell[]): Html | undefined {
  const charts = [
    pathsSideBySide(cells),
    requestsAndResponses(cells),
    latencyByAddress(cells),
    roundTripByPlacement(cells),
    throughputByType(cells),
  ].filter((chart) => chart !== undefined);
  return charts.length === 0
    ? undefined
    : html`<section id="charts">
        <h2>Side by side</h2>
        ${charts}
      </section>`;
}
