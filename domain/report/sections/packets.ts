/** Packets per second: a table of what each pair carried and what limited it, and a card with the series of each. */
import type { Interval } from '../../maths/interval';
import type { MeasurementResult } from '../../model/result';
import type { Sample } from '../../model/sample';
import { settingsInWords } from '../../model/settings';
import { packetsOf } from '../../model/statistics';
import { counted, grouped, kilopackets, percent, seconds, spaced } from '../../text/format';
import { packetChart } from '../charts/packet-chart';
import { chartPair } from '../charts/svg';
import { html, type Html, type HtmlValue } from '../html';
import type { Section } from '../section';
import { factList, foldedTable, type ReportColumn } from '../table';
import { intervalText, pairOfTypes, zones } from '../wording';
import { witnessList } from './throughput';
import { placementAndPath, statusBadge, subjectColumns } from './verdicts';

function badge({ packetVerdict }: MeasurementResult): HtmlValue {
  return packetVerdict && html`<span class="badge">${spaced(packetVerdict.kind)}</span>`;
}

function withInterval(interval: Interval | null | undefined, format: (value: number) => string): Html | undefined {
  const text = intervalText(interval, format);
  return text && html`${text.value}<small class="nowrap">${text.low}–${text.high}</small>`;
}

const numbers = (heading: string, cell: (result: MeasurementResult) => HtmlValue): ReportColumn<MeasurementResult> => ({
  heading,
  isNumber: true,
  cell,
});

const columns: readonly ReportColumn<MeasurementResult>[] = [
  ...subjectColumns,
  {
    heading: 'Verdict and status',
    cell: (result) => html`<span class="stack">${badge(result)}${statusBadge(result.status)}</span>`,
  },
  numbers('Mean, thousand/s', (result) => kilopackets(packetsOf(result)?.packetsPerSecond?.mean)),
  numbers('Burst', ({ packetVerdict }) => withInterval(packetVerdict?.burst, kilopackets)),
  numbers('Carried to the end (95 %)', ({ packetVerdict }) => withInterval(packetVerdict?.baseline, kilopackets)),
  numbers('Onset, s (95 %)', ({ packetVerdict }) => withInterval(packetVerdict?.onset, seconds)),
  { heading: 'Limited by', cell: ({ packetVerdict }) => packetVerdict?.limitedBy },
  numbers('Bytes per packet', (result) => packetsOf(result)?.packetBytes?.toFixed(0)),
  numbers('Confidence', ({ packetVerdict }) => percent(packetVerdict?.confidence)),
];

export function packetsSection(
  results: readonly MeasurementResult[],
  seriesOf: ReadonlyMap<string, readonly Sample[]>,
): Section | undefined {
  const all = results.filter(({ kind, status }) => kind === 'packets' && status !== 'not_applicable');
  if (all.length === 0) return undefined;
  const shown = all.filter(({ measurementId }) => seriesOf.has(measurementId));
  return {
    id: 'packets',
    title: 'Packets per second',
    html: html`
      <p class="lead">
        What the receiver's interface counted, in thousands. Only "packet limited" is the limit of a type; with any
        other verdict the types carry at least as much.
      </p>
      <div class="card">${foldedTable(`All ${counted(all.length, 'packet measurement')}`, columns, all)}</div>
      ${shown.map((result) => card(result, seriesOf.get(result.measurementId) ?? []))}
    `,
  };
}

function card(result: MeasurementResult, series: readonly Sample[]): Html {
  const { packetVerdict } = result;
  const figures = packetsOf(result);
  const beyond = (client: number | undefined, server: number | undefined) =>
    client === undefined && server === undefined
      ? undefined
      : `${grouped(client) ?? 'unknown'} on the client, ${grouped(server) ?? 'unknown'} on the server`;
  return html`<article class="card" id="${result.measurementId}">
    <div class="heading">
      <h3>${pairOfTypes(result)}</h3>
      ${badge(result)}${result.status !== 'complete' && statusBadge(result.status)}
    </div>
    <p class="sub">
      ${result.measurementId}: ${zones(result)}, ${placementAndPath(result)}; ${result.tool}: ${settingsInWords(result)}
    </p>
    ${packetVerdict && html`<p>${packetVerdict.explanation}</p>`}
    ${result.reason !== undefined && html`<p><b>${spaced(result.status)}:</b> ${result.reason}</p>`}
    ${chartPair((form) => packetChart(result, series, form)) ?? html`<p class="lead">The series is not available.</p>`}
    ${factList([
      [
        'Beyond the packet-rate allowance',
        beyond(figures?.clientPpsAllowanceExceeded, figures?.serverPpsAllowanceExceeded),
      ],
      [
        'Beyond the allowance of tracked connections',
        beyond(figures?.clientConntrackAllowanceExceeded, figures?.serverConntrackAllowanceExceeded),
      ],
      ['Datagrams lost', figures?.lostPackets !== undefined && grouped(figures.lostPackets)],
      ['Retransmits', figures?.retransmits !== undefined && grouped(figures.retransmits)],
    ])}
    ${witnessList(packetVerdict?.witnesses ?? [])}
    ${
      result.warnings.length > 0 &&
      html`<ul class="warnings">
        ${result.warnings.map((warning) => html`<li>${warning}</li>`)}
      </ul>`
    }
  </article>`;
}
