/** Shows one row per measurement, in separate tables for throughput, round trips and packets per second. */
import { contendedShare } from '../../model/contended';
import { isSupported, percentileName, type PercentileField } from '../../model/percentiles';
import type { MeasurementResult } from '../../model/result';
import { drivenStatistics, latencyOf, packetsOf, rttOf } from '../../model/statistics';
import { counted, gigabits, grouped, kilopackets, micros, percent, seconds } from '../../text/format';
import {
  bucket,
  contentionBadge,
  heldBackBadge,
  kindBadge,
  packetBadge,
  stacked,
  statusBadge,
  withInterval,
} from '../page/columns';
import { html, type HtmlValue } from '../page/html';
import { subjectColumns } from '../page/subject';
import { column, numberColumn, reportTable, tableSection, type ReportColumn, type Section } from '../page/table';
import { isOfRoute } from './routes';

type Column = ReportColumn<MeasurementResult>;

const badges = (badge: HtmlValue, result: MeasurementResult) =>
  stacked([badge, contentionBadge(contendedShare([result])), statusBadge(result.status)]);

const throughputColumns: readonly Column[] = [
  ...subjectColumns,
  column('Verdict and status', (result) => badges(kindBadge(result), result)),
  numberColumn('Mean, Gbit/s', (result) => gigabits(drivenStatistics(result)?.throughputBitsPerSecond?.mean)),
  numberColumn('Burst, Gbit/s', ({ verdict }) => gigabits(verdict?.burst?.value)),
  numberColumn('Baseline, Gbit/s', ({ verdict }) => gigabits(verdict?.baseline?.value)),
  numberColumn('Onset, s (95 %)', ({ verdict }) => withInterval(verdict?.onset, seconds)),
  numberColumn('Bucket, Gbit (95 %)', (result) => withInterval(result.verdict?.bucket, gigabits) ?? bucket(result)),
  column('Credits of', ({ verdict }) => verdict?.throttledBy),
  numberColumn('Published, Gbit/s', published),
  numberColumn('Confidence', ({ verdict }) => percent(verdict?.confidence)),
];

/** Shows the published baseline and peak of both types, or once where they are the same. */
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

const supports = (result: MeasurementResult, field: PercentileField) =>
  isSupported(field, latencyOf(result)?.observations ?? 0);

const SHOWN_PERCENTILES = ['p50', 'p90', 'p99', 'p99_9', 'p99_99'] as const satisfies readonly PercentileField[];

const isDoubtful = (result: MeasurementResult) =>
  SHOWN_PERCENTILES.some((field) => rttOf(result)?.[field] !== undefined && !supports(result, field));

const latencyColumns: readonly Column[] = [
  ...subjectColumns,
  ...SHOWN_PERCENTILES.map((field) =>
    numberColumn<MeasurementResult>(field === 'p50' ? 'Median, µs' : percentileName(field), (result) => {
      const value = micros(rttOf(result)?.[field]);
      return value !== undefined && !supports(result, field) ? `${value}*` : value;
    }),
  ),
  numberColumn('Longest', (result) => micros(rttOf(result)?.max)),
  numberColumn('Round trips', (result) => grouped(latencyOf(result)?.observations)),
  numberColumn('Dropped', (result) => latencyOf(result)?.droppedMessages),
  column('Status', (result) => badges(heldBackBadge(result), result)),
];

/** Undefined for a run that measured only packets, which have their own section. */
export function verdictSection(results: readonly MeasurementResult[]): Section | undefined {
  const applicable = results.filter(({ status }) => status !== 'not_applicable');
  const throughput = applicable.filter(({ kind }) => kind === 'throughput');
  const latency = applicable.filter((result) => result.kind === 'latency' && !isOfRoute(result));
  if (applicable.length > 0 && applicable.every(({ kind }) => kind === 'packets')) return undefined;
  return {
    id: 'verdicts',
    title: 'Verdicts',
    count: throughput.length + latency.length,
    html: html`
      ${
        throughput.length > 0 &&
        html`<p class="lead">
            The burst is the rate until the onset, and the baseline is the rate after it. Rates are in Gbit/s, which is
            10⁹ bits per second.
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

const packetColumns: readonly Column[] = [
  ...subjectColumns,
  column('Verdict and status', (result) => stacked([packetBadge(result), statusBadge(result.status)])),
  numberColumn('Mean, thousand/s', (result) => kilopackets(packetsOf(result)?.packetsPerSecond?.mean)),
  numberColumn('Burst', ({ packetVerdict }) => withInterval(packetVerdict?.burst, kilopackets)),
  numberColumn('Carried to the end (95 %)', ({ packetVerdict }) => withInterval(packetVerdict?.baseline, kilopackets)),
  numberColumn('Onset, s (95 %)', ({ packetVerdict }) => withInterval(packetVerdict?.onset, seconds)),
  column('Limited by', ({ packetVerdict }) => packetVerdict?.limitedBy),
  numberColumn('Bytes per packet', (result) => packetsOf(result)?.packetBytes?.toFixed(0)),
  numberColumn('Confidence', ({ packetVerdict }) => percent(packetVerdict?.confidence)),
];

export function packetsSection(results: readonly MeasurementResult[]): Section | undefined {
  const rows = results.filter(({ kind, status }) => kind === 'packets' && status !== 'not_applicable');
  return tableSection({
    id: 'packets',
    title: 'Packets per second',
    lead: html`Packets that the receiver's interface counted, in thousands per second. If the cause is packet rate, the
    figure is the limit of a type. With any other cause, the types can carry at least this much.`,
    label: `All ${counted(rows.length, 'packet measurement')}`,
    columns: packetColumns,
    rows,
  });
}
