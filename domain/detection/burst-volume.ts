/** What was sent above the baseline before the rate fell: the volume of the credits, if they were full at first. */
import type { ShapeSegment } from './series-shape';

/**
 * ∫ (x − b) dt from the start of the load to the fall, level by level, because a burst that first shared its path spent
 * less than its last level would have. The level, a robust mean, also counts for the seconds that are missing.
 * Assumption that may fail: a level under the baseline earns nothing, because the credits are still full.
 *
 * @param levels each lasts until the next one begins, the last one until the fall
 */
export function burstVolumeBits(
  levels: readonly Pick<ShapeSegment, 'startSeconds' | 'bitsPerSecond'>[],
  baselineBitsPerSecond: number,
  loadStartSeconds: number,
  onsetSeconds: number,
): number {
  let bits = 0;
  levels.forEach(({ startSeconds, bitsPerSecond }, index) => {
    const from = index === 0 ? loadStartSeconds : startSeconds;
    const to = Math.min(levels[index + 1]?.startSeconds ?? onsetSeconds, onsetSeconds);
    bits += Math.max(0, bitsPerSecond - baselineBitsPerSecond) * Math.max(0, to - from);
  });
  return bits;
}
