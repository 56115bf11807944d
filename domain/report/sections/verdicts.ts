/** The verdicts: one row per measurement, in a table for throughput and one for latency. */
import { contendedShare } from '../../model/contended';
import { isSupported, percentileName, type PercentileField } from '../../model/percentiles';
import type { MeasurementResult } from '../../model/result';
import { drivenStatistics, latencyOf, rttOf } from '../../model/statistics';
import { counted, gigabits, grouped, micros, percent, seconds } from '../../text/format';
import { html, type HtmlValue } from '../page/html';
import type { Section } from '../page/contents';
import { reportTable, type ReportColumn } from '../page/columns';
import {
  bucket,
  contentionBadge,
  heldBackBadge,
  kindBadge,
  statusBadge,
  subjectColumns,
  withInterval,
} from '../page/columns';
import { isOfRoute } from './routes';

type Column = ReportColumn<MeasurementResult>;

const throughputColumns: readonly Column[] = [
  ...subjectColumns,
  {
    heading: 'Verdict and status',
    cell: (result) =>
      html`<span class="stack"
        >${kindBadge(result)}${contentionBadge(contendedShare([result]))}${statusBadge(result.status)}</span
      >`,
  },
  {
    heading: 'Mean, Gbit/s',
    isNumber: true,
    cell: (result) => gigabits(drivenStatistics(result)?.throughputBitsPerSecond?.mean),
  },
  { heading: 'Burst, Gbit/s', isNumber: true, cell: (result) => gigabits(result.verdict?.burst?.value) },
  { heading: 'Baseline, Gbit/s', isNumber: true, cell: (result) => gigabits(result.verdict?.baseline?.value) },
  { heading: 'Onset, s (95 %)', isNumber: true, cell: ({ verdict }) => withInterval(verdict?.onset, seconds) },
  {
    heading: 'Bucket, Gbit (95 %)',
    isNumber: true,
    cell: (result) => withInterval(result.verdict?.bucket, gigabits) ?? bucket(result),
  },
  { heading: 'Credits of', cell: (result) => result.verdict?.throttledBy },
  { heading: 'Published, Gbit/s', isNumber: true, cell: published },
  { heading: 'Confidence', isNumber: true, cell: (result) => percent(result.verdict?.confidence) },
];

/** The published baseline and peak of both types; one line where they are the same. */
function published(result: MeasurementResult): HtmlValue {
  const figures = (facts: MeasurementResult['publishedClient']) => {
    const baseline = gigabits(facts?.baselineBitsPerSecond);
    const peak = gigabits(facts?.peakBitsPerSecond);
    return baseline === undefined && peak === undefined ? undefined : `${baseline ?? '?'} / ${peak ?? '?'}`;
  };
  const client = figures(result.publishedClient);
  const server = figures(result.publishedServer);
  if (client === undefined && server === undefined) return undefined;
  if (result.clientType === result.serverType || client === server) return html`<span class="nowrap">${client}</span>`;
  return html`<span class="nowrap">${client ?? 'unknown'}</span
    ><small class="nowrap">server ${server ?? 'unknown'}</small>`;
}

const percentileColumn = (field: PercentileField): Column => ({
  heading: field === 'p50' ? 'Median, µs' : percentileName(field),
  isNumber: true,
  cell: (result) => {
    const value = micros(rttOf(result)?.[field]);
    return value !== undefined && !supports(result, field) ? `${value}*` : value;
  },
});

const supports = (result: MeasurementResult, field: PercentileField) =>
  isSupported(field, latencyOf(result)?.observations ?? 0);

const SHOWN_PERCENTILES = ['p50', 'p90', 'p99', 'p99_9', 'p99_99'] as const satisfies readonly PercentileField[];

const isDoubtful = (result: MeasurementResult) =>
  SHOWN_PERCENTILES.some((field) => rttOf(result)?.[field] !== undefined && !supports(result, field));

const latencyColumns: readonly Column[] = [
  ...subjectColumns,
  ...SHOWN_PERCENTILES.map(percentileColumn),
  { heading: 'Longest', isNumber: true, cell: (result) => micros(rttOf(result)?.max) },
  { heading: 'Round trips', isNumber: true, cell: (result) => grouped(latencyOf(result)?.observations) },
  { heading: 'Dropped', isNumber: true, cell: (result) => latencyOf(result)?.droppedMessages },
  {
    heading: 'Status',
    cell: (result) =>
      html`<span class="stack"
        >${heldBackBadge(result)}${contentionBadge(contendedShare([result]))}${statusBadge(result.status)}</span
      >`,
  },
];

/** Nothing for a run that measured packets alone, which have a section of their own. */
export function verdictSection(results: readonly MeasurementResult[]): Section | undefined {
  const applicable = results.filter(({ status }) => status !== 'not_applicable');
  const throughput = applicable.filter(({ kind }) => kind === 'throughput');
  const latency = applicable.filter((result) => result.kind === 'latency' && !isOfRoute(result));
  if (applicable.length > 0 && applicable.every(({ kind }) => kind === 'packets')) return undefined;
  return {
    id: 'verdicts',
    title: 'Verdicts',
    html: html`
      ${
        throughput.length > 0 &&
        html`<p class="lead">
            How fast each pair was, for how long, and what was left: the burst until the onset, then the baseline. Rates
            are in Gbit/s, which is 10⁹ bits per second.
          </p>
          <div class="card">
            ${reportTable(`All ${counted(throughput.length, 'throughput measurement')}`, throughputColumns, throughput)}
          </div>`
      }
      ${
        latency.length > 0 &&
        html`<h3>Latency</h3>
          <p class="lead">Percentiles of the round trips, in microseconds.</p>
          <div class="card">
            ${reportTable(`All ${counted(latency.length, 'latency measurement')}`, latencyColumns, latency)}
            ${
              latency.some(isDoubtful) &&
              html`<p class="sub">
                * There were too few round trips for this percentile (p99.9 needs 1 000, p99.99 needs 10 000), so the
                value is close to the longest round trip.
              </p>`
            }
          </div>`
      }
      ${results.length === 0 && html`<p>Nothing was measured.</p>`}
    `,
  };
}
