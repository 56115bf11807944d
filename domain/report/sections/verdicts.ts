/** The verdicts: one row per measurement, in a table for throughput and one for latency. */
import type { Interval } from '../../maths/interval';
import { CONDITIONS } from '../../model/conditions';
import { contendedShare, type ContendedShare } from '../../model/contended';
import { JUMBO_FRAME_BYTES } from '../../model/ec2-facts';
import { heldBackBy } from '../../model/latency-verdict';
import { isSupported, percentileName, type PercentileField } from '../../model/percentiles';
import type { MeasurementResult } from '../../model/result';
import { wordsOf } from '../../model/setting';
import { settingsInWords } from '../../model/settings';
import { drivenStatistics, latencyOf, rttOf } from '../../model/statistics';
import { withheldCpuOf } from '../../model/verdict';
import { counted, gigabits, grouped, micros, percent, seconds, spaced } from '../../text/format';
import { html, type Html, type HtmlValue } from '../page/html';
import type { Section } from '../section';
import { reportTable, type ReportColumn } from '../page/table-columns';
import { intervalText, pairOfTypes, zoneNames } from '../../run/words';
import { verdictBadge } from '../verdict-badge';
import { isOfRoute } from './routes';

type Column = ReportColumn<MeasurementResult>;

export function statusBadge(status: MeasurementResult['status']): Html {
  // Only what is not as it should be has a colour: that a measurement is complete says nothing about the network.
  const tone = { complete: '', truncated: 'warn', failed: 'bad', not_applicable: '' }[status];
  return html`<span class="badge ${tone}">${spaced(status)}</span>`;
}

export function kindBadge({ verdict }: MeasurementResult): Html | undefined {
  if (verdict === null) return undefined;
  const kind = verdictBadge(verdict);
  return withheldCpuOf(verdict) === undefined ? kind : html`<span class="badge warn">out of CPU credits</span>${kind}`;
}

/** Undefined unless other work kept the processors of a host busy, of how many of several; the cards have the figures. */
export function contentionBadge({ contendedCount, count }: ContendedShare): Html | undefined {
  if (contendedCount === 0) return undefined;
  const share = contendedCount < count && ` (${contendedCount} of ${count})`;
  return html`<span class="badge warn">processors busy${share}</span>`;
}

/** Undefined where no allowance of a host held the round trips back. */
export function heldBackBadge(result: MeasurementResult): Html | undefined {
  const cause = heldBackBy(result);
  return cause && html`<span class="badge warn">held back: ${spaced(cause)}</span>`;
}

export const subjectColumns: readonly Column[] = [
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
  const { path, placement, enaExpress, enaExpressUdp, mtuBytes, clientCpuCredits, serverCpuCredits } = result;
  const hasEnaExpress = enaExpress !== 'off';
  return wordsOf(CONDITIONS, {
    path,
    placement,
    enaExpress: hasEnaExpress ? enaExpress : undefined,
    enaExpressUdp: hasEnaExpress ? enaExpressUdp : undefined,
    mtuBytes: mtuBytes === JUMBO_FRAME_BYTES ? undefined : mtuBytes,
    clientCpuCredits,
    serverCpuCredits,
  }).join(', ');
}

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

function withInterval(interval: Interval | null | undefined, format: (value: number) => string): Html | undefined {
  const text = intervalText(interval, format);
  return text && html`${text.value}<small class="nowrap">${text.low}–${text.high}</small>`;
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
