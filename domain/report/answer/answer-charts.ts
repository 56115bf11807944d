/** The charts of the answer: all types on one axis from what they sustain to their burst, and that against the price. */
import { gigabits } from '../../text/format';
import { rowChart, type ChartRow, type Mark } from '../charts/row-chart';
import { scatterChart, type ScatterPoint } from '../charts/scatter-chart';
import { chartPair } from '../charts/svg';
import { html, type Html } from '../html';
import type { TypeRow } from './type-rows';
import { largest, smallest } from '../../maths/extremes';

/** Nobody looks for a row in a longer chart; the table has all of them. */
const MAX_ROWS = 40;
/** More names would cover each other. */
const MAX_POINTS = 24;

export function answerCharts(rows: readonly TypeRow[]): Html | undefined {
  const rated = rows.filter(({ sustained }) => sustained !== undefined);
  if (rated.length < 2) return undefined;
  return html`${ratesChart(rated)} ${priceChart(rated)}`;
}

function ratesChart(rows: readonly TypeRow[]): Html {
  const shown = rows.slice(0, MAX_ROWS);
  const chart = chartPair((form) =>
    rowChart(
      {
        id: 'answer-rates',
        label: 'What each pair of types sustains, and its burst',
        axis: 'Gbit/s',
        scale: 'amount',
        rows: shown.map(chartRow),
      },
      form,
    ),
  );
  return html`<div class="card">
    <h3>From what is sustained to the burst</h3>
    ${
      rows.length > shown.length &&
      html`<p class="sub">The ${MAX_ROWS} of ${rows.length} pairs of types that sustain the most.</p>`
    }
    ${chart}
  </div>`;
}

function chartRow({ label, sustained, burst }: TypeRow): ChartRow {
  const rates = sustained === undefined ? [] : (sustained.modes ?? [sustained.value]);
  const bursts = burst === undefined ? [] : (burst.modes ?? [burst.value]);
  const scaled = (values: readonly number[]) => values.map((bits) => bits / 1e9);
  const all = scaled([...rates, ...bursts]);
  const sustainedMark: Mark = {
    name: 'sustained',
    values: scaled(rates),
    range: { low: smallest(all), high: largest(all) },
  };
  const text = (values: readonly number[]) => values.map((bits) => gigabits(bits)).join(' or ');
  const sign = sustained?.bound === 'at_most' ? 'at most ' : sustained?.bound === 'at_least' ? 'at least ' : '';
  return {
    label,
    figures: `${sign}${text(rates)}${bursts.length > 0 ? `, burst ${text(bursts)}` : ''}`,
    marks: bursts.length > 0 ? [sustainedMark, { name: 'burst', values: scaled(bursts) }] : [sustainedMark],
  };
}

function priceChart(rows: readonly TypeRow[]): Html | undefined {
  const points = rows.flatMap(({ label, sustained, burst, hourlyUsd }): ScatterPoint[] =>
    sustained === undefined || hourlyUsd === undefined || hourlyUsd <= 0
      ? []
      : [
          {
            name: label,
            x: hourlyUsd,
            y: sustained.value / 1e9,
            upTo: burst === undefined ? undefined : (burst.modes?.at(-1) ?? burst.value) / 1e9,
          },
        ],
  );
  if (points.length < 2) return undefined;
  const chart = chartPair((form) =>
    scatterChart(
      {
        id: 'answer-prices',
        label: 'What each pair of types sustains, against its price',
        xAxis: 'price of the pair, USD per hour',
        yAxis: 'sustained, Gbit/s',
        points: points.slice(0, MAX_POINTS),
      },
      form,
    ),
  );
  return html`<div class="card">
    <h3>What it costs</h3>
    <p class="sub">
      The point is what is sustained, the line goes up to the
      burst.${
        points.length > MAX_POINTS &&
        ` Only the ${MAX_POINTS} of ${points.length} pairs of types that sustain the most are shown.`
      }
    </p>
    ${chart}
  </div>`;
}
