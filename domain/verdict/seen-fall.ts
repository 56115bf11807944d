/**
 * A fall that anybody sees in the chart, but that is not plain enough for the detector to call it one: the rate scatters,
 * as it does where packets are lost, or changes within several seconds. Its cause is looked for all the same.
 */
import { findLateFall } from '../detection/late-fall';
import type { SeriesShape, Throttle } from '../detection/series-shape';
import { DEEPEST_THROTTLED_RATIO } from '../detection/throttle-shape';
import { numberAt } from '../maths/elements';
import type { SeriesKind } from '../model/verdict';
import { cleanSeries } from '../series/clean';
import type { ThroughputEvidence } from './evidence';

const KINDS: readonly SeriesKind[] = ['noisy', 'dips', 'ramp', 'shift'];

/** @returns null where the later samples are not clearly lower until the end */
export function seenFall(shape: SeriesShape, { series }: ThroughputEvidence): Throttle | null {
  if (shape.throttle || !KINDS.includes(shape.kind)) return null;
  const clean = cleanSeries(series);
  const late = clean && findLateFall(clean);
  if (clean && late) {
    return fallAt(numberAt(clean.startSeconds, late.firstSampleCount), late.firstBitsPerSecond, late.lastBitsPerSecond);
  }
  return shape.kind === 'shift' ? fallOfLevels(shape) : null;
}

/** The detector's own levels, where they are a shift as deep as a throttle. */
function fallOfLevels({ segments }: SeriesShape): Throttle | null {
  const [first, last] = [segments[0], segments.at(-1)];
  if (!first || !last || last.bitsPerSecond > DEEPEST_THROTTLED_RATIO * first.bitsPerSecond) return null;
  return fallAt(last.startSeconds, first.bitsPerSecond, last.bitsPerSecond);
}

function fallAt(seconds: number, burstBitsPerSecond: number, baselineBitsPerSecond: number): Throttle {
  return {
    onset: { value: seconds, low: seconds, high: seconds },
    burstBitsPerSecond,
    baselineBitsPerSecond,
    load: [],
    bucketBits: null,
    isRechargedAtRest: false,
  };
}
