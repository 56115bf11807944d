/**
 * What the samples right beside the fall leave open about its time. The sample that contains the fall is a mixture of
 * the rates just before and just after it, which need not be the two levels: right after the fall a rate often
 * undershoots for some seconds, and a dip can end in the fall.
 */
import type { Interval } from '../maths/interval';
import { clamp } from '../maths/statistics';
import { LOSS_BOUND } from './segmentation';
import type { Side } from './onset-likelihood';
import { endOf, type RateInterval } from '../series/rate-series';

/** A dip that ends in the fall, or an undershoot, is over after this many samples. */
const LONGEST_SAMPLES = 12;
/** A sample that is further from its level, as a share of the fall, is not at that level. */
const SMALLEST_SHARE = 0.02;

/**
 * @param located the fall between the two levels, which takes no time
 * @param halfWidthSeconds of the interval around each of its ends
 */
export function withNeighbours(
  located: Interval,
  window: readonly RateInterval[],
  burst: Side,
  baseline: Side,
  halfWidthSeconds: number,
): Interval {
  const drop = burst.level - baseline.level;
  const tolerance = (side: Side) => Math.max(LOSS_BOUND * side.deviation, SMALLEST_SHARE * drop);
  const isUnder = (sample: RateInterval | undefined) =>
    sample !== undefined && sample.bitsPerSecond < baseline.level - tolerance(baseline);
  const isBetween = (sample: RateInterval | undefined) =>
    sample !== undefined &&
    sample.bitsPerSecond < burst.level - tolerance(burst) &&
    sample.bitsPerSecond > baseline.level + tolerance(baseline);
  const at = window.findIndex((sample) => endOf(sample) > located.value + 1e-6);
  const sample = window[at];
  if (!sample) return located;
  let { value } = located;
  const times = [located.low, located.high];
  const next = window[at + 1];
  if (next && isUnder(next)) {
    const secondsAt = (lower: number) =>
      sample.startSeconds + sample.lengthSeconds * clamp((sample.bitsPerSecond - lower) / (burst.level - lower), 0, 1);
    value = secondsAt(next.bitsPerSecond);
    // The only sample of a short undershoot is itself a mixture, so that the rate right after the fall may be lower.
    const latest = isUnder(window[at + 2]) ? value : secondsAt(0);
    times.push(value - halfWidthSeconds, latest + halfWidthSeconds);
  }
  let first = at;
  while (at - first < LONGEST_SAMPLES && isBetween(window[first - 1])) first -= 1;
  let last = at;
  while (last - at < LONGEST_SAMPLES && isBetween(window[last + 1])) last += 1;
  if (last > first) times.push(window[first]!.startSeconds - halfWidthSeconds, endOf(window[last]!) + halfWidthSeconds);
  return { value, low: Math.min(...times), high: Math.max(...times) };
}
