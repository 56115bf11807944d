/** The answer: one row per measurement, throughput and latency apart. */
import { intervalText, type IntervalText } from '../interval';
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
    cell: (of) =>
      html`<b class="nowrap">${pairOfTypes(of)}</b
        ><small>${of.measurementId}, ${of.tool}: ${settingsInWords(of)}</small>`,
  },
  {
    heading: 'Where',
    isRoomy: true,
    cell: (of) => html`${spaced(of.zoneRelation)}<small>${zoneNames(of)}</small><small>${placementAndPath(of)}</small>`,
  },
];

/** Conditions in words; ENA Express and the MTU only where they are not EC2's defaults. */
export function placementAndPath(result: MeasurementResult): string {
  const { path, placement, enaExpress, enaExpressUdp, mtuBytes } = result;
  const unusual = {
    ...(enaExpress !== 'off' && { enaExpress, enaExpressUdp }),
    ...(mtuBytes !== JUMBO_FRAME_BYTES && { mtuBytes }),
  };
  return wordsOf(CONDITIONS, { path, placement, ...unusual }).join(', ');
}

const verdictAndStatus: Column = {
  heading: 'Verdict and status',
  cell: (of) => html`<span class="stack">${kindBadge(of)}${statusBadge(of.status)}</span>`,
};

const status: Column = { heading: 'Status', cell: (of) => statusBadge(of.status) };

const throughputColumns: readonly Column[] = [
  ...subject,
  verdictAndStatus,
  {
    heading: 'Mean, Gbit/s',
    isNumber: true,
    cell: (of) => gigabits(drivenStatistics(of)?.throughputBitsPerSecond?.mean),
  },
  { heading: 'Burst, Gbit/s', isNumber: true, cell: (of) => gigabits(of.verdict?.burst?.value) },
  { heading: 'Baseline, Gbit/s', isNumber: true, cell: (of) => gigabits(of.verdict?.baseline?.value) },
  { heading: 'Onset, s (95 %)', isNumber: true, cell: onset },
  { heading: 'Bucket, Gbit (95 %)', isNumber: true, cell: bucketWithInterval },
  { heading: 'Credits of', cell: (of) => of.verdict?.throttledBy },
  { heading: 'Published, Gbit/s', isNumber: true, cell: published },
  { heading: 'Confidence', isNumber: true, cell: (of) => percent(of.verdict?.confidence) },
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

/** Both types' figures, as they say different things; one line where client and server are the same. */
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
          How fast, for how long, and what is left: burst until the onset, then the baseline. Rates in 10⁹ bits per
          second.
        </p>
        <div class="card">
          ${foldedTable(`All ${counted(throughput.length, 'throughput measurement')}`, throughputColumns, throughput)}
        </div>`
    }
    ${
      latency.length > 0 &&
      html`<h3>Latency</h3>
        <p class="lead">Round trips in microseconds, by percentile.</p>
        <div class="card">
          ${foldedTable(`All ${counted(latency.length, 'latency measurement')}`, latencyColumns, latency)}
          ${
            latency.some(isDoubtful) &&
            html`<p class="sub">
              * Of fewer round trips than the percentile takes (p99.9: 1 000, p99.99: 10 000): the longest under another
              name.
            </p>`
          }
        </div>`
    }
    ${results.length === 0 && html`<p>Nothing was measured.</p>`}
  </section>`;
}
