/**
 * What was sent above the baseline before the rate fell: the volume of the credits, if they were full when the load
 * began.
 */

/** A level that lasted until the next one began, or until the fall. */
export interface BurstLevel {
  readonly startSeconds: number;
  readonly bitsPerSecond: number;
}

/**
 * ∫ (x − b) dt from the start of the load to the fall, level by level: a burst that first shared its path spent less
 * than its last level would have. Within a level the robust mean stands for its samples, and for the seconds that are
 * missing. Assumption that may fail: a level under the baseline earns nothing, because the credits are still full.
 */
export function burstVolumeBits(
  levels: readonly BurstLevel[],
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
