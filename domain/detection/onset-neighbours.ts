/**
 * What the samples beside the fall leave open about its time. The sample that contains the fall is a mixture of the
 * rates just before and just after it, which need not be the two levels: a rate often undershoots for some seconds
 * after the fall, and a dip can end in it.
 */
import { elementAt } from '../maths/elements';
import type { Interval } from '../maths/interval';
import { clamp } from '../maths/statistics';
import type { Side } from './onset-likelihood';
import { LOSS_BOUND } from './segmentation';
import { endOf, type RateInterval } from '../series/rate-series';
import { largest, smallest } from '../maths/extremes';

/** A dip before the fall has at most so many samples on either side of where it was located. */
const LONGEST_SAMPLES = 12;
/** A sample that is further than this from a level, as a share of the fall, is not at that level. */
const SMALLEST_SHARE = 0.02;

/** Of what is above the baseline, a settling rate loses less from one sample to the next, and a fall loses all. */
const FALLEN_SHARE = 0.7;

/**
 * Rates that settle after the fall look like a dip before it, except at their end: they approach the baseline, and a dip
 * at a level of its own falls to it. Then the fall may be at either end, and the interval covers both.
 *
 * @param located the time of a fall after which the rate settles
 */
export function withLaterFall(
  located: Interval,
  window: readonly RateInterval[],
  baseline: Side,
  halfWidthSeconds: number,
): Interval {
  const clear = 2 * LOSS_BOUND * baseline.deviation;
  const excess = (index: number) => (window[index]?.bitsPerSecond ?? NaN) - baseline.level;
  let last = window.findIndex((sample) => endOf(sample) > located.value + 1e-6) + 1;
  while (excess(last + 1) > clear) last += 1;
  const sample = window[last];
  const hasFallen = excess(last) > clear && excess(last) - excess(last + 1) > FALLEN_SHARE * excess(last);
  return sample && hasFallen ? { ...located, high: Math.max(located.high, endOf(sample) + halfWidthSeconds) } : located;
}

/**
 * @param located the time of a fall from one level to the other, which takes no time
 * @param halfWidthSeconds of the interval around any single time
 */
export function withNeighbours(
  located: Interval,
  window: readonly RateInterval[],
  burst: Side,
  baseline: Side,
  halfWidthSeconds: number,
): Interval {
  const drop = burst.level - baseline.level;
  const tolerance = ({ deviation }: Side) => Math.max(LOSS_BOUND * deviation, SMALLEST_SHARE * drop);
  const isUndershoot = (sample: RateInterval | undefined) =>
    sample !== undefined && sample.bitsPerSecond < baseline.level - tolerance(baseline);
  const isBetween = (sample: RateInterval | undefined) =>
    sample !== undefined &&
    sample.bitsPerSecond < burst.level - tolerance(burst) &&
    sample.bitsPerSecond > baseline.level + tolerance(baseline);

  const at = window.findIndex((sample) => endOf(sample) > located.value + 1e-6);
  const [sample, next] = [window[at], window[at + 1]];
  if (!sample) return located;
  let { value } = located;
  const times = [located.low, located.high];
  if (next && isUndershoot(next)) {
    const secondsAt = (lower: number) => {
      const share = (sample.bitsPerSecond - lower) / (burst.level - lower);
      return sample.startSeconds + sample.lengthSeconds * clamp(share, 0, 1);
    };
    value = secondsAt(next.bitsPerSecond);
    // The only sample of an undershoot is itself a mixture, so the rate right after the fall may have been lower.
    const latest = isUndershoot(window[at + 2]) ? value : secondsAt(0);
    times.push(value - halfWidthSeconds, latest + halfWidthSeconds);
  }
  let [first, last] = [at, at];
  while (at - first < LONGEST_SAMPLES && isBetween(window[first - 1])) first -= 1;
  while (last - at < LONGEST_SAMPLES && isBetween(window[last + 1])) last += 1;
  if (first < last) {
    const [from, to] = [elementAt(window, first), elementAt(window, last)];
    times.push(from.startSeconds - halfWidthSeconds, endOf(to) + halfWidthSeconds);
  }
  return { value, low: smallest(times), high: largest(times) };
}
