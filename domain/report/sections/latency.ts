/** Percentiles of the round trips, a line per measurement, on a logarithmic scale because the tail matters most. */
import { cellOf } from '../../model/cell';
import { isSupported, PERCENTILE_FIELDS, percentileName } from '../../model/percentiles';
import { isHeldBack } from '../../model/latency-verdict';
import type { MeasurementResult } from '../../model/result';
import { latencyOf, type RttQuantiles, rttOf } from '../../model/statistics';
import { logAxisEnds } from '../charts/axis';
import { lineChart } from '../charts/line-chart';
import { chartPair, PALETTE_SIZE, type ChartForm } from '../charts/svg';
import { html } from '../page/html';
import type { Section } from '../page/contents';
import { pairOfTypes } from '../../run/words';

/** As many lines as have a colour of their own. */
const MAX_LINES = PALETTE_SIZE;

export function latencySection(results: readonly MeasurementResult[]): Section | undefined {
  const all = results.filter((result) => rttOf(result)?.p50 !== undefined && !isHeldBack(result));
  // Only the first repetition is drawn: the lines would cover each other, and the section on repetitions has the rest.
  const measured = all.filter(isFirstOfCell());
  if (measured.length === 0) return undefined;
  return {
    id: 'latency',
    title: 'Latency by percentile',
    html: html`
      <p class="lead">
        Round trips on a logarithmic scale. At p99, for example, 99 of 100 round trips took at most as long as
        shown.${
          results.some(isHeldBack) &&
          ' Round trips that an allowance of a host held back are not shown, because they are not those of the path.'
        }${
          all.length > measured.length && ' Of each measurement that was repeated, only the first repetition is shown.'
        }${measured.length > MAX_LINES && ` Only the first ${MAX_LINES} of ${measured.length} measurements are shown.`}
      </p>
      <div class="card">${chartPair((form) => chart(measured.slice(0, MAX_LINES), form))}</div>
    `,
  };
}

function isFirstOfCell(): (result: MeasurementResult) => boolean {
  const seen = new Set<string>();
  return (result) => {
    const isFirst = !seen.has(cellOf(result));
    seen.add(cellOf(result));
    return isFirst;
  };
}

const QUANTILES: readonly (readonly [key: keyof RttQuantiles, word: string])[] = [
  ['min', 'min'],
  ...PERCENTILE_FIELDS.map((field) => [field, percentileName(field)] as const),
  ['max', 'max'],
];

/** A percentile of too few round trips is only the longest of them, which the line has anyway. */
function shown(result: MeasurementResult, key: keyof RttQuantiles): number | undefined {
  const percentile = PERCENTILE_FIELDS.find((field) => field === key);
  const isLeftOut = percentile !== undefined && !isSupported(percentile, latencyOf(result)?.observations ?? 0);
  return isLeftOut ? undefined : rttOf(result)?.[key];
}

function chart(results: readonly MeasurementResult[], form: ChartForm): string {
  const present = QUANTILES.filter(([key]) => results.some((result) => shown(result, key) !== undefined));
  const lines = results.map((result) => ({
    name: `${result.measurementId} ${pairOfTypes(result)}`,
    points: present.map(([key, word]) => [word, shown(result, key) ?? null] as const),
  }));
  const values = lines.flatMap(({ points }) => points.flatMap(([, value]) => value ?? []));
  return lineChart(
    {
      id: 'latency',
      label: 'Round trip by percentile',
      categories: present.map(([, word]) => word),
      valueName: 'round trip, µs',
      valueEnds: logAxisEnds(values),
      isLogarithmic: true,
      lines,
    },
    form,
  );
}
