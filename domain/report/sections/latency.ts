import type { MeasurementResult } from '../../model/result';
import { cellOf } from '../../model/cell';
import { latencyChart, MAX_LATENCY_LINES } from '../charts/latency-chart';
import type { Html } from '../html';
import { html, trusted } from '../html';
import { rttOf } from '../verdict-table';

export function latencySection(results: readonly MeasurementResult[]): Html | undefined {
  const all = results.filter((result) => rttOf(result)?.p50 !== undefined);
  // Of repetitions the first: their lines lie upon each other, and their statistics are told by themselves.
  const measured = all.filter(isFirstOfCell());
  const wide = latencyChart(measured, 'wide');
  const narrow = latencyChart(measured, 'narrow');
  if (wide === undefined || narrow === undefined) return undefined;
  return html`<section id="latency">
    <h2>Latency by percentile</h2>
    <p class="lead">
      Round trips, logarithmic scale. A percentile is the round trip that this share of all stayed
      within.${
        measured.length > MAX_LATENCY_LINES &&
        ` Shown are the first ${MAX_LATENCY_LINES} of ${measured.length} measurements, each in its first repetition.`
      }
    </p>
    <div class="card chart">
      <div class="wide">${trusted(wide)}</div>
      <div class="narrow">${trusted(narrow)}</div>
    </div>
  </section>`;
}

function isFirstOfCell(): (result: MeasurementResult) => boolean {
  const seen = new Set<string>();
  return (result) => {
    const isFirst = !seen.has(cellOf(result));
    seen.add(cellOf(result));
    return isFirst;
  };
}
