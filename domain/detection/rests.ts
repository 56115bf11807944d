/**
 * Rests: the times before a fall in which no load was offered, so that credits came back. Samples without traffic show
 * a rest. A gap shows only that nothing is known, so the rates beside it have to say what it was:
 *
 * | rate before the gap | rate after it | the gap is                                                                 |
 * | ------------------- | ------------- | -------------------------------------------------------------------------- |
 * | low                 | high          | a rest: credits that are spent do not come back under load                 |
 * | high                | high          | a rest from three minutes on, which is longer than tools lose samples for  |
 * | any                 | low           | no rest: after a rest there are credits to spend                           |
 *
 * Assumption that may fail: shorter gaps between two bursts are lost samples of a load that went on.
 */
import { numberAt } from '../maths/elements';
import { median } from '../maths/statistics';
import { withoutIdle } from '../series/clean';
import { lengthOf, type CleanSeries, type TimeSpan } from '../series/rate-series';

/** In bins. A single late report of a tool is no gap. */
const LONGEST_LATE = 4;
/** Tools do not lose samples for so long. */
export const LONG_REST_SECONDS = 180;
/** Samples on either side of a gap that show the rate there. */
const BESIDE_SAMPLES = 5;

/**
 * The rests that end before `untilSeconds`, in order of time.
 *
 * @param levels before and after the fall, in bits per second
 */
export function findRests(
  clean: CleanSeries,
  levels: { readonly burst: number; readonly baseline: number },
  untilSeconds: number,
): TimeSpan[] {
  const { startSeconds, bitsPerSecond: rates, binSeconds } = withoutIdle(clean);
  const middle = Math.sqrt(levels.burst * levels.baseline);
  const rests: TimeSpan[] = [];
  for (let index = 0; index < rates.length && numberAt(startSeconds, index) < untilSeconds; index += 1) {
    const lastEnd = index === 0 ? clean.loadStartSeconds : numberAt(startSeconds, index - 1) + binSeconds;
    const gap = { startSeconds: lastEnd, endSeconds: numberAt(startSeconds, index) };
    if (lengthOf(gap) <= LONGEST_LATE * binSeconds) continue;
    if (isIdle(gap, clean.idle) || (index > 0 && isRest(gap, rates, index, middle))) rests.push(gap);
  }
  return rests;
}

/** Whether samples without traffic show that a gap is a rest. */
export function isIdle(gap: TimeSpan, idle: readonly TimeSpan[]): boolean {
  return idle.some((time) => time.startSeconds < gap.endSeconds && time.endSeconds > gap.startSeconds);
}

/** Whether a gap right before sample `index` is a rest. */
function isRest(gap: TimeSpan, rates: Float64Array, index: number, middle: number): boolean {
  const isHighAfter = median(rates.subarray(index, index + BESIDE_SAMPLES)) > middle;
  if (!isHighAfter) return false;
  const isHighBefore = median(rates.subarray(Math.max(0, index - BESIDE_SAMPLES), index)) > middle;
  return !isHighBefore || lengthOf(gap) >= LONG_REST_SECONDS;
}
