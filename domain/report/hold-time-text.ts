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

export function heldText({ seconds, lowSeconds }: HoldTime): string {
  return seconds === null ? `at least ${held(lowSeconds)}` : held(seconds);
}

export function heldInterval({ seconds, lowSeconds, highSeconds }: HoldTime): string | undefined {
  if (seconds === null) return undefined;
  return highSeconds === null ? `${held(lowSeconds)} or more` : `${held(lowSeconds)} to ${held(highSeconds)}`;
}

/** How long until the credits are back, and what all of it assumes. */
export function refillText(verdict: Verdict): string {
  const { baselineBitsPerSecond, refillSeconds, refillLowSeconds, refillHighSeconds } = verdict;
  if (refillSeconds === null || refillLowSeconds === null) {
    const spent =
      refillLowSeconds === null ? '' : ` What was spent takes ${held(refillLowSeconds)} to earn back, idle.`;
    return `No drop was seen, so the credits last at least that long.${spent} ${MODEL}`;
  }
  const until = refillHighSeconds === null ? 'or more' : `to ${held(refillHighSeconds)}`;
  return (
    `${gigabits(baselineBitsPerSecond)} Gbit/s for as long as you like. Empty credits are full again after ` +
    `${held(refillSeconds)} idle (${held(refillLowSeconds)} ${until}), or ${held(2 * refillSeconds)} at half the baseline. ${MODEL}`
  );
}
