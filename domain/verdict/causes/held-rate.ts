/** Whether the rate after a fall is held by a limiter, or is what a path happens to carry. */
import type { SeriesShape } from '../../detection/series-shape';
import { numberAt } from '../../maths/elements';
import { ascending } from '../../maths/quantiles';
import { quantileOfSorted } from '../../maths/statistics';
import { cleanSeries } from '../../series/clean';
import type { ThroughputEvidence } from '../evidence';

/**
 * The robust relative scatter of seconds. EC2 holds a rate within 0.6 %; limiters of the lab, on a busy machine, within
 * 3 %; TCP on a path that loses one packet in ten scatters by 35 %.
 */
const HELD_SCATTER = 0.1;
/** The distance of the quartiles of a normal distribution, in standard deviations. */
const QUARTILE_DISTANCE = 1.35;

export function isHeld({ throttle, kind }: SeriesShape, { series }: ThroughputEvidence): boolean {
  // In cycles the rate is high again and again.
  if (kind === 'cycle') return true;
  const clean = cleanSeries(series);
  if (!throttle || !clean) return false;
  const after = clean.logRates.filter((_, index) => numberAt(clean.startSeconds, index) >= throttle.onset.high);
  const sorted = ascending(after);
  return (quantileOfSorted(sorted, 0.75) - quantileOfSorted(sorted, 0.25)) / QUARTILE_DISTANCE <= HELD_SCATTER;
}
