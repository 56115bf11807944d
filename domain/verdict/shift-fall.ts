/** A shift downwards that is as deep as a throttle, but not as plain: its cause is looked for all the same. */
import type { SeriesShape, Throttle } from '../detection/series-shape';
import { DEEPEST_THROTTLED_RATIO } from '../detection/observe';

/** @returns null for any other shape; the credits that would explain the fall have no volume that it shows */
export function fallOfShift({ kind, segments }: SeriesShape): Throttle | null {
  const [first, last] = [segments[0], segments.at(-1)];
  if (kind !== 'shift' || !first || !last) return null;
  if (last.bitsPerSecond > DEEPEST_THROTTLED_RATIO * first.bitsPerSecond) return null;
  const { startSeconds: value } = last;
  return {
    onset: { value, low: value, high: value },
    burstBitsPerSecond: first.bitsPerSecond,
    baselineBitsPerSecond: last.bitsPerSecond,
    load: [],
    bucketBits: null,
    isRechargedAtRest: false,
  };
}
