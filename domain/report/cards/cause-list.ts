/** What a verdict examined as its cause: what is ruled out, what stays possible, and what nobody read. */
import type { ExaminedCause, Standing, Verdict } from '../../model/verdict';
import { gigabits, spaced } from '../../text/format';
import { html, type Html } from '../page/html';
import { inSeconds, intervalText } from '../../run/words';

const WORDS: Readonly<Record<Standing, string>> = {
  shown: 'Shown',
  possible: 'Possible',
  not_read: 'Not read',
  ruled_out: 'Ruled out',
};
const STANDINGS = Object.keys(WORDS) as Standing[];

/** Undefined for a verdict that needs no cause. */
export function causeList({ cause, causes, ifNetworkCredits }: Verdict): Html | undefined {
  if (cause === null || causes.length === 0) return undefined;
  return html`<details>
    <summary>Causes</summary>
    ${STANDINGS.map((standing) => ofStanding(standing, causes))} ${ifNetworkCredits && conditional(ifNetworkCredits)}
  </details>`;
}

/** One sentence for all causes that stand alike, because a report has as many of these lists as measurements. */
function ofStanding(standing: Standing, causes: readonly ExaminedCause[]): Html | undefined {
  const alike = causes.filter((each) => each.standing === standing);
  if (alike.length === 0) return undefined;
  return html`<p>
    <b>${WORDS[standing]}</b>: ${alike.map(({ cause, reason }) => `${spaced(cause)} (${reason})`).join('; ')}
  </p>`;
}

function conditional({ bucket, refill }: NonNullable<Verdict['ifNetworkCredits']>): Html | undefined {
  const volume = intervalText(bucket, gigabits);
  const idle = intervalText(refill, inSeconds);
  if (volume === undefined) return undefined;
  const back = idle && `, and would be full again after ${idle.value} idle`;
  return html`<p class="sub">
    If these were network credits, they were ${volume.value} Gbit (${volume.low} to ${volume.high})${back}.
  </p>`;
}
