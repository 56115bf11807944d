/** The verdicts: one row per measurement, in a table for throughput and one for latency. */
import { intervalText, type IntervalText } from '../interval-text';
import type { MeasurementResult } from '../../model/result';
import { isSupported, percentileName, type PercentileField } from '../../model/percentiles';
import { latencyOf } from '../../model/statistics';
import { JUMBO_FRAME_BYTES } from '../../model/ec2-facts';
import { counted, gigabits, grouped, micros, percent, seconds } from '../../text/format';
import type { Html, HtmlValue } from '../html';
import { html } from '../html';
import { wordsOf } from '../../model/setting';
import { CONDITIONS } from '../../model/conditions';
import type { ReportColumn } from '../table';
import { foldedTable } from '../table';
import { drivenStatistics, rttOf } from '../verdict-table';
import { isOfRoute } from './routes';
import { settingsInWords } from '../../model/settings';
import { pairOfTypes, zoneNames } from '../wording';
import { spaced } from '../../text/format';

type Column = ReportColumn<MeasurementResult>;

export function statusBadge(status: MeasurementResult['status']): Html {
  const tone = { complete: 'good', truncated: 'warn', failed: 'bad', not_applicable: '' }[status];
  return html`<span class="badge ${tone}">${spaced(status)}</span>`;
}

export function kindBadge(result: MeasurementResult): Html | undefined {
  return result.verdict ? html`<span class="badge">${spaced(result.verdict.kind)}</span>` : undefined;
}

const subject: readonly Column[] = [
  {
    heading: 'Client and server',
    cell: (result) =>
      html`<b class="nowrap">${pairOfTypes(result)}</b
        ><small>${result.measurementId}, ${result.tool}: ${settingsInWords(result)}</small>`,
  },
  {
    heading: 'Where',
    isRoomy: true,
    cell: (result) =>
      html`${spaced(result.zoneRelation)}<small>${zoneNames(result)}</small><small>${placementAndPath(result)}</small>`,
  },
];

/** Conditions in words. ENA Express and the MTU are mentioned only where they differ from EC2's defaults. */
export function placementAndPath(result: MeasurementResult): string {
  const { path, placement, enaExpress, enaExpressUdp, mtuBytes } = result;
  const hasEnaExpress = enaExpress !== 'off';
  return wordsOf(CONDITIONS, {
    path,
    placement,
    enaExpress: hasEnaExpress ? enaExpress : undefined,
    enaExpressUdp: hasEnaExpress ? enaExpressUdp : undefined,
    mtuBytes: mtuBytes === JUMBO_FRAME_BYTES ? undefined : mtuBytes,
  }).join(', ');
}

const verdictAndStatus: Column = {
  heading: 'Verdict and status',
  cell: (result) => html`<span class="stack">${kindBadge(result)}${statusBadge(result.status)}</span>`,
};

const status: Column = { heading: 'Status', cell: (result) => statusBadge(result.status) };

const throughputColumns: readonly Column[] = [
  ...subject,
  verdictAndStatus,
  {
    heading: 'Mean, Gbit/s',
    isNumber: true,
    cell: (result) => gigabits(drivenStatistics(result)?.throughputBitsPerSecond?.mean),
  },
  { heading: 'Burst, Gbit/s', isNumber: true, cell: (result) => gigabits(result.verdict?.burst?.value) },
  { heading: 'Baseline, Gbit/s', isNumber: true, cell: (result) => gigabits(result.verdict?.baseline?.value) },
  { heading: 'Onset, s (95 %)', isNumber: true, cell: onset },
  { heading: 'Bucket, Gbit (95 %)', isNumber: true, cell: bucketWithInterval },
  { heading: 'Credits of', cell: (result) => result.verdict?.throttledBy },
  { heading: 'Published, Gbit/s', isNumber: true, cell: published },
  { heading: 'Confidence', isNumber: true, cell: (result) => percent(result.verdict?.confidence) },
];

function onset({ verdict }: MeasurementResult): HtmlValue {
  return withInterval(intervalText(verdict?.onset, seconds));
}

function withInterval(figure: IntervalText | undefined): HtmlValue {
  if (figure?.low === undefined || figure.high === undefined) return figure?.value;
  return html`${figure.value}<small class="nowrap">${figure.low}–${figure.high}</small>`;
}

function bucketWithInterval(result: MeasurementResult): HtmlValue {
  return withInterval(intervalText(result.verdict?.bucket, gigabits)) ?? bucket(result);
}

export function bucket({ verdict }: MeasurementResult): string | undefined {
  const atLeast = gigabits(verdict?.bucketBitsAtLeast);
  return gigabits(verdict?.bucket?.value) ?? (atLeast === undefined ? undefined : `≥ ${atLeast}`);
}

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

function supports(result: MeasurementResult, field: PercentileField): boolean {
  const observations = latencyOf(result)?.observations;
  return observations !== undefined && isSupported(field, observations);
}

const SHOWN_PERCENTILES = ['p50', 'p90', 'p99', 'p99_9', 'p99_99'] as const satisfies readonly PercentileField[];

const isDoubtful = (result: MeasurementResult) =>
  SHOWN_PERCENTILES.some((field) => rttOf(result)?.[field] !== undefined && !supports(result, field));

const latencyColumns: readonly Column[] = [
  ...subject,
  ...SHOWN_PERCENTILES.map(percentileColumn),
  { heading: 'Longest', isNumber: true, cell: (result) => micros(rttOf(result)?.max) },
  {
    heading: 'Round trips',
    isNumber: true,
    cell: (result) => {
      const observations = latencyOf(result)?.observations;
      return observations === undefined ? undefined : grouped(observations);
    },
  },
  {
    heading: 'Dropped',
    isNumber: true,
    cell: (result) => latencyOf(result)?.droppedMessages,
  },
  status,
];

export function verdictSection(results: readonly MeasurementResult[]): Html {
  const applicable = results.filter(({ status }) => status !== 'not_applicable');
  const throughput = applicable.filter(({ kind }) => kind === 'throughput');
  const latency = applicable.filter((result) => result.kind === 'latency' && !isOfRoute(result));
  return html`<section id="verdicts">
    <h2>Verdicts</h2>
    ${
      throughput.length > 0 &&
      html`<p class="lead">
          How fast each pair was, for how long, and what was left: the burst until the onset, then the baseline. Rates
          are in Gbit/s, which is 10⁹ bits per second.
        </p>
        <div class="card">
          ${foldedTable(`All ${counted(throughput.length, 'throughput measurement')}`, throughputColumns, throughput)}
        </div>`
    }
    ${
      latency.length > 0 &&
      html`<h3>Latency</h3>
        <p class="lead">Percentiles of the round trips, in microseconds.</p>
        <div class="card">
          ${foldedTable(`All ${counted(latency.length, 'latency measurement')}`, latencyColumns, latency)}
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
  </section>`;
}
