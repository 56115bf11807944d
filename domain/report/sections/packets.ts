/** Packets per second: a table of what each pair carried and what limited it. */
import type { MeasurementResult } from '../../model/result';
import { packetsOf } from '../../model/statistics';
import { counted, kilopackets, percent, seconds } from '../../text/format';
import { html } from '../page/html';
import type { Section } from '../page/contents';
import {
  numberColumn,
  packetBadge,
  reportTable,
  statusBadge,
  subjectColumns,
  withInterval,
  type ReportColumn,
} from '../page/columns';

const columns: readonly ReportColumn<MeasurementResult>[] = [
  ...subjectColumns,
  {
    heading: 'Verdict and status',
    cell: (result) => html`<span class="stack">${packetBadge(result)}${statusBadge(result.status)}</span>`,
  },
  numberColumn('Mean, thousand/s', (result) => kilopackets(packetsOf(result)?.packetsPerSecond?.mean)),
  numberColumn('Burst', ({ packetVerdict }) => withInterval(packetVerdict?.burst, kilopackets)),
  numberColumn('Carried to the end (95 %)', ({ packetVerdict }) => withInterval(packetVerdict?.baseline, kilopackets)),
  numberColumn('Onset, s (95 %)', ({ packetVerdict }) => withInterval(packetVerdict?.onset, seconds)),
  { heading: 'Limited by', cell: ({ packetVerdict }) => packetVerdict?.limitedBy },
  numberColumn('Bytes per packet', (result) => packetsOf(result)?.packetBytes?.toFixed(0)),
  numberColumn('Confidence', ({ packetVerdict }) => percent(packetVerdict?.confidence)),
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
