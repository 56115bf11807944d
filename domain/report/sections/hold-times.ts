/** How long a rate can be held from full credits, and how long the credits take to refill. */
import type { HoldTime, Verdict } from '../../model/verdict';
import { gigabits } from '../../text/format';
import { heldInterval, heldText, refillText } from '../hold-time-text';
import type { Html } from '../html';
import { html } from '../html';
import type { ReportColumn } from '../table';
import { reportTable } from '../table';

const columns: readonly ReportColumn<HoldTime>[] = [
  { heading: 'Gbit/s', cell: ({ bitsPerSecond }) => gigabits(bitsPerSecond) },
  { heading: 'From full credits', isNumber: true, cell: heldText },
  { heading: '95 % interval', isNumber: true, cell: heldInterval },
];

export function holdTimes(verdict: Verdict): Html | undefined {
  if (verdict.holdTimes.length === 0) return undefined;
  return html`<div>
    <h4>How long can a rate be held?</h4>
    ${reportTable(columns, verdict.holdTimes, { stacksOnPhones: false })}
    <p class="sub">${refillText(verdict)}</p>
  </div>`;
}
