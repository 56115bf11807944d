/** What a verdict examined as its cause: what is ruled out, what stays possible, and what nobody read. */
import type { ExaminedCause, Standing, Verdict } from '../../model/verdict';
import { gigabits, spaced } from '../../text/format';
import { html, type Html } from '../html';
import { inSeconds, intervalText } from '../wording';

const WORDS: Readonly<Record<Standing, string>> = {
  shown: 'shown by the evidence',
  possible: 'possible',
  not_read: 'not known',
  ruled_out: 'ruled out',
};
const STANDINGS = Object.keys(WORDS) as Standing[];

/** Undefined for a verdict that needs no cause. */
export function causeList({ cause, causes, ifNetworkCredits }: Verdict): Html | undefined {
  if (cause === null || causes.length === 0) return undefined;
  const ordered = causes.toSorted((one, other) => rank(one) - rank(other));
  return html`<details>
    <summary>Causes that were examined</summary>
    <ul class="causes">
      ${ordered.map((each) => html`<li><b>${spaced(each.cause)}</b> is ${WORDS[each.standing]}: ${each.reason}.</li>`)}
    </ul>
    ${ifNetworkCredits && conditional(ifNetworkCredits)}
  </details>`;
}

const rank = ({ standing }: ExaminedCause) => STANDINGS.indexOf(standing);

function conditional({ bucket, refill }: NonNullable<Verdict['ifNetworkCredits']>): Html | undefined {
  const volume = intervalText(bucket, gigabits);
  const idle = intervalText(refill, inSeconds);
  if (volume === undefined) return undefined;
  const back = idle && `, and would be full again after ${idle.value} idle`;
  return html`<p class="sub">
    If these were network credits, they were ${volume.value} Gbit (${volume.low} to ${volume.high})${back}.
  </p>`;
}
