/**
 * The model behind a throttle: credits of a fixed volume, spent by traffic above the baseline and earned back at the
 * baseline rate. Hence burst duration = volume / (rate − baseline), so that one run predicts all rates. Assumptions
 * that may fail: credits are full at first, are earned at the measured baseline, and are spent by nothing else.
 */
export interface TokenBucket {
  readonly baselineBitsPerSecond: number;
  /** Traffic above the baseline that full credits allow. */
  readonly bucketBits: number;
}

/** How long a rate can be held from full credits: Infinity up to the baseline. */
export function holdSeconds(bucket: TokenBucket, rateBitsPerSecond: number): number {
  assertRate(rateBitsPerSecond);
  if (rateBitsPerSecond <= bucket.baselineBitsPerSecond) return Infinity;
  return bucket.bucketBits / (rateBitsPerSecond - bucket.baselineBitsPerSecond);
}

/** How long empty credits take to fill while `rateBitsPerSecond` is being sent: never at the baseline or above. */
export function refillSeconds(bucket: TokenBucket, rateBitsPerSecond = 0): number {
  assertRate(rateBitsPerSecond);
  if (rateBitsPerSecond >= bucket.baselineBitsPerSecond) return Infinity;
  return bucket.bucketBits / (bucket.baselineBitsPerSecond - rateBitsPerSecond);
}

function assertRate(rateBitsPerSecond: number): void {
  if (!(rateBitsPerSecond >= 0)) {
    throw new RangeError(`rateBitsPerSecond: must be at least 0, got ${rateBitsPerSecond}`);
  }
}

/** The lower bound of the volume where no drop was seen: what was spent so far (right-censored). */
export function spentBits(meanBitsPerSecond: number, baselineBitsPerSecond: number, seconds: number): number {
  return Math.max(0, meanBitsPerSecond - baselineBitsPerSecond) * Math.max(0, seconds);
}
