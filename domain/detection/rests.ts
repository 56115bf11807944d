/**
 * Rests: the times before a fall in which no load was offered, so that credits came back. Samples without traffic show
 * a rest. A gap shows only that nothing is known, so the rates beside it have to say what it was:
 *
 * | rate before the gap | rate after it | the gap is                                                            |
 * | ------------------- | ------------- | --------------------------------------------------------------------- |
 * | low                 | high          | a rest: credits that are spent do not come back under load            |
 * | high                | high          | lost samples, however many: nothing shows that the load stopped       |
 * | any                 | low           | no rest: after a rest there are credits to spend                      |
 *
 * Assumption that may fail: no load rests in the middle of its burst without samples that show it. Several recordings in
 * one series may; where two of them fall to one rate, `rest-cycles.ts` knows the gaps between them.
 */
import { numberAt } from '../maths/elements';
import { median } from '../maths/statistics';
import { withoutIdle } from '../series/clean';
import { lengthOf, type CleanSeries, type TimeSpan } from '../series/rate-series';

/** In bins. A single late report of a tool is no gap. */
const LONGEST_LATE = 4;
/** A gap between two recordings of one series is at least this long. */
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
    if (isIdle(gap, clean.idle) || (index > 0 && isRest(rates, index, middle))) rests.push(gap);
  }
  return rests;
}

/** Whether samples without traffic show that a gap is a rest. */
export function isIdle(gap: TimeSpan, idle: readonly TimeSpan[]): boolean {
  return idle.some((time) => time.startSeconds < gap.endSeconds && time.endSeconds > gap.startSeconds);
}

/** Whether a gap right before sample `index` is a rest. */
function isRest(rates: Float64Array, index: number, middle: number): boolean {
  const isHighAfter = median(rates.subarray(index, index + BESIDE_SAMPLES)) > middle;
  return isHighAfter && median(rates.subarray(Math.max(0, index - BESIDE_SAMPLES), index)) <= middle;
}
