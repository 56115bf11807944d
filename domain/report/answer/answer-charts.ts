/** The charts of the report's first section: sustained and burst rates, rates against the price, and the series. */
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import { gigabits } from '../../text/format';
import { comparedSeriesChart, type ComparedSeries } from '../charts/compared-series-chart';
import { rowChart, type ChartRow, type Mark } from '../charts/row-chart';
import { scatterChart, type ScatterPoint } from '../charts/scatter-chart';
import { PALETTE_SIZE } from '../charts/svg';
import { brokenPointsOf, throughputLines } from '../charts/chart-series';
import { html, type Html } from '../page/html';
import { card } from '../page/table';
import type { ReportInput } from '../../run/report-input';
import type { AnswerRow, RunAnswer } from '../../model/answer';
import type { ScaledModel } from '../../model/scaled-model';
import { largest, smallest } from '../../maths/statistics';

/** A longer chart is hard to search; the table has all rows. */
const MAX_ROWS = 40;
/** The names of more points would overlap. */
const MAX_POINTS = 24;

type Charted = Pick<ReportInput, 'results' | 'seriesOf'>;

export function answerCharts({ rows, scaledModel }: RunAnswer, input: Charted): Html | undefined {
  const rated = rows.filter(({ sustained }) => sustained !== null);
  if (rated.length < 2) return undefined;
  return html`${ratesChart(rated)} ${priceChart(rated, scaledModel)} ${seriesChart(rated, input)}`;
}

function ratesChart(rows: readonly AnswerRow[]): Html {
  const shown = rows.slice(0, MAX_ROWS);
  const chart = rowChart({
    id: 'answer-rates',
    label: 'Sustained rate and burst of each pair of types',
    axis: 'Gbit/s',
    scale: 'amount',
    rows: shown.map(chartRow),
  });
  const left =
    rows.length > shown.length &&
    `Only the ${MAX_ROWS} of ${rows.length} pairs of types that sustain the most are shown.`;
  return card('Sustained rate and burst', chart, left);
}

function chartRow({ label, sustained, burst }: AnswerRow): ChartRow {
  const rates = sustained === null ? [] : (sustained.modes ?? [sustained.value]);
  const bursts = burst === null ? [] : (burst.modes ?? [burst.value]);
  const scaled = (values: readonly number[]) => values.map((bits) => bits / 1e9);
  const all = scaled([...rates, ...bursts]);
  const range = { low: smallest(all), high: largest(all) };
  const sustainedMark: Mark = { name: 'sustained', values: scaled(rates), range };
  const text = (values: readonly number[]) => values.map((bits) => gigabits(bits)).join(' or ');
  const sign = sustained?.bound === 'at_most' ? 'at most ' : sustained?.bound === 'at_least' ? 'at least ' : '';
  return {
    label,
    figures: `${sign}${text(rates)}${bursts.length > 0 ? `, burst ${text(bursts)}` : ''}`,
    marks: bursts.length > 0 ? [sustainedMark, { name: 'burst', values: scaled(bursts) }] : [sustainedMark],
  };
}

/** The longest name in characters that fits beside a point on a phone. */
const LONGEST_NAME = 14;

/** Replaces long names by numbers, and returns a numbered list of the names to show below the chart. */
function shortNames<Item extends { readonly name: string }>(items: readonly Item[]) {
  if (items.every(({ name }) => name.length <= LONGEST_NAME)) return { items };
  const key = html`<ol class="key">
    ${items.map(({ name }) => html`<li>${name}</li>`)}
  </ol>`;
  return { items: items.map((item, index) => ({ ...item, name: String(index + 1) })), key };
}

function priceChart(rows: readonly AnswerRow[], scaledModel?: ScaledModel): Html | undefined {
  const points = rows.flatMap(({ label, sustained, burst, pairHourlyUsd: hourlyUsd }): ScatterPoint[] => {
    // Rates of a scaled model are converted to EC2's scale, because the prices are EC2's.
    const inGigabits = (bits: number) => (bits * (scaledModel?.rateDivisor ?? 1)) / 1e9;
    return sustained === null || hourlyUsd === null || hourlyUsd <= 0
      ? []
      : [
          {
            name: label,
            x: hourlyUsd,
            y: inGigabits(sustained.value),
            upTo: burst === null ? undefined : inGigabits(burst.modes?.at(-1) ?? burst.value),
          },
        ];
  });
  if (points.length < 2) return undefined;
  const named = shortNames(points.slice(0, MAX_POINTS));
  const chart = scatterChart({
    id: 'answer-prices',
    label: 'Sustained rate of each pair of types, by its price',
    xAxis: 'price of the pair, USD per hour',
    yAxis: `sustained, Gbit/s${scaledModel ? ' at the scale of EC2' : ''}`,
    points: named.items,
  });
  const left =
    points.length > MAX_POINTS &&
    ` Only the ${MAX_POINTS} of ${points.length} pairs of types that sustain the most are shown.`;
  const sub = html`Dot: sustained. Top of the line: burst.${left}`;
  return card('What it costs', html`${chart} ${named.key}`, sub);
}

const MAX_LINES = PALETTE_SIZE;

/** Draws one measurement of each pair of types on the same axes. */
function seriesChart(rows: readonly AnswerRow[], { results, seriesOf }: Charted): Html | undefined {
  const resultOf = new Map(results.map((result) => [result.measurementId, result]));
  const drawn = rows.flatMap(({ label, measurementIds }) => {
    const result = resultOf.get(measurementIds.find((id) => seriesOf.has(id)) ?? '');
    if (result === undefined) return [];
    const points = pointsOf(result, seriesOf.get(result.measurementId) ?? []);
    return points.length === 0 ? [] : [{ name: label, points }];
  });
  const shown = drawn.slice(0, MAX_LINES);
  if (shown.length < 2) return undefined;
  const { items, key } = shortNames(shown);
  const label = 'Throughput over time of one measurement of each pair of types';
  const chart = comparedSeriesChart({ id: 'answer-series', label, series: items });
  const left = drawn.length > shown.length && ` Only the ${MAX_LINES} pairs that sustain the most are shown.`;
  const sub = html`Each line is the first measurement of a pair of types.${left}`;
  return card('Throughput over time, on the same axes', html`${chart} ${key}`, sub);
}

/** Returns the points of the direction that the verdict is about. */
function pointsOf({ verdict }: MeasurementResult, series: readonly Sample[]): ComparedSeries['points'] {
  const line = throughputLines(series).find(({ name }) => name === (verdict?.direction ?? 'forward'));
  return line === undefined ? [] : brokenPointsOf(line);
}
