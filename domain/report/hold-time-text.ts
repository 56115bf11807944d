/** The answer to "how long can a rate be held?", in the same words in the report and in a terminal. ASCII only. */
import type { HoldTime, Verdict } from '../model/verdict';
import { duration, gigabits } from '../text/format';

/** What the answers assume; it accompanies them wherever they are shown. */
const MODEL =
  'The model is bucket / (rate - baseline). It assumes that the credits were full at the start and that they are earned ' +
  'at the baseline rate.';

/** Tenths of a second matter only for short times. */
function held(seconds: number): string {
  return seconds < 120 ? `${seconds.toFixed(1)} s` : duration(seconds);
}

export function heldText(hold: HoldTime): string {
  return hold.seconds === null ? `at least ${held(hold.atLeastSeconds)}` : held(hold.seconds.value);
}

export function heldInterval(hold: HoldTime): string | undefined {
  if (hold.seconds === null) return undefined;
  const { low, high } = hold.seconds;
  return high === Infinity ? `${held(low)} or more` : `${held(low)} to ${held(high)}`;
}

/** How long the credits take to refill, and what all of the answers assume. */
export function refillText({ baseline, refill, refillSecondsAtLeast }: Verdict): string {
  if (refill === null) {
    const spent =
      refillSecondsAtLeast === null ? '' : ` Earning back what was spent takes ${held(refillSecondsAtLeast)} idle.`;
    return `No drop was seen, so the credits last at least this long.${spent} ${MODEL}`;
  }
  const { value, low, high } = refill;
  const until = high === Infinity ? 'or more' : `to ${held(high)}`;
  return (
    `${gigabits(baseline?.value) ?? '?'} Gbit/s can be held for as long as you like. Empty credits are full again after ` +
    `${held(value)} idle (${held(low)} ${until}), or ${held(2 * value)} at half the baseline. ${MODEL}`
  );
}
