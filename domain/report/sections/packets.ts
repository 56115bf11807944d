/** Packets per second: a table of what each pair carried and what limited it. */
import type { Interval } from '../../maths/interval';
import type { MeasurementResult } from '../../model/result';
import { packetsOf } from '../../model/statistics';
import { counted, kilopackets, percent, seconds } from '../../text/format';
import { html, type Html, type HtmlValue } from '../page/html';
import type { Section } from '../section';
import { reportTable, type ReportColumn } from '../page/table-columns';
import { verdictBadge } from '../verdict-badge';
import { intervalText } from '../../run/words';
import { statusBadge, subjectColumns } from './verdicts';

export function packetBadge({ packetVerdict }: MeasurementResult): HtmlValue {
  return packetVerdict && verdictBadge(packetVerdict);
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
    cell: (result) => html`<span class="stack">${packetBadge(result)}${statusBadge(result.status)}</span>`,
  },
  numbers('Mean, thousand/s', (result) => kilopackets(packetsOf(result)?.packetsPerSecond?.mean)),
  numbers('Burst', ({ packetVerdict }) => withInterval(packetVerdict?.burst, kilopackets)),
  numbers('Carried to the end (95 %)', ({ packetVerdict }) => withInterval(packetVerdict?.baseline, kilopackets)),
  numbers('Onset, s (95 %)', ({ packetVerdict }) => withInterval(packetVerdict?.onset, seconds)),
  { heading: 'Limited by', cell: ({ packetVerdict }) => packetVerdict?.limitedBy },
  numbers('Bytes per packet', (result) => packetsOf(result)?.packetBytes?.toFixed(0)),
  numbers('Confidence', ({ packetVerdict }) => percent(packetVerdict?.confidence)),
];

export function packetsSection(results: readonly MeasurementResult[]): Section | undefined {
  const all = results.filter(({ kind, status }) => kind === 'packets' && status !== 'not_applicable');
  if (all.length === 0) return undefined;
  return {
    id: 'packets',
    title: 'Packets per second',
    html: html`
      <p class="lead">
        What the receiver's interface counted, in thousands. Only the packet rate is the limit of a type; with any other
        cause the types carry at least as much.
      </p>
      <div class="card">${reportTable(`All ${counted(all.length, 'packet measurement')}`, columns, all)}</div>
    `,
  };
}
