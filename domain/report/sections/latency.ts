/** Percentiles of the round trips, one line for each measurement. */
import type { MeasurementResult } from '../../model/result';
import { cellOf } from '../../model/cell';
import { latencyChart, MAX_LATENCY_LINES } from '../charts/latency-chart';
import { chartPair } from '../charts/svg';
import type { Html } from '../html';
import { html } from '../html';
import { rttOf } from '../verdict-table';

export function latencySection(results: readonly MeasurementResult[]): Html | undefined {
  const all = results.filter((result) => rttOf(result)?.p50 !== undefined);
  // Only the first repetition is drawn: the lines would cover each other, and the section on repetitions has the rest.
  const measured = all.filter(isFirstOfCell());
  const chart = chartPair((form) => latencyChart(measured, form));
  if (chart === undefined) return undefined;
  return html`<section id="latency">
    <h2>Latency by percentile</h2>
    <p class="lead">
      Round trips on a logarithmic scale. At p99, for example, 99 of 100 round trips took at most as long as
      shown.${
        all.length > measured.length && ' Of each measurement that was repeated, only the first repetition is shown.'
      }${
        measured.length > MAX_LATENCY_LINES &&
        ` Only the first ${MAX_LATENCY_LINES} of ${measured.length} measurements are shown.`
      }
    </p>
    <div class="card">${chart}</div>
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
