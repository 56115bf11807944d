/** The words of "how long can I hold X?", the same in the report and in a terminal: ASCII only. */
import type { HoldTime, Verdict } from '../model/verdict';
import { duration, gigabits } from '../text/format';

/** What the answers rest on, said wherever they stand. */
const MODEL =
  'The model: bucket / (rate - baseline), if the credits were full at the start and are earned at the baseline.';

/** Tenths while they are worth something. */
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

/** How long until the credits are back, and what all of it assumes. */
export function refillText({ baseline, refill, refillSecondsAtLeast }: Verdict): string {
  if (refill === null) {
    const spent =
      refillSecondsAtLeast === null ? '' : ` What was spent takes ${held(refillSecondsAtLeast)} to earn back, idle.`;
    return `No drop was seen, so the credits last at least that long.${spent} ${MODEL}`;
  }
  const { value, low, high } = refill;
  const until = high === Infinity ? 'or more' : `to ${held(high)}`;
  return (
    `${gigabits(baseline?.value)} Gbit/s for as long as you like. Empty credits are full again after ` +
    `${held(value)} idle (${held(low)} ${until}), or ${held(2 * value)} at half the baseline. ${MODEL}`
  );
}
