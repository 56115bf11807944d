/**
 * The model behind a throttle: credits of a fixed volume, spent by whatever is sent above the baseline and earned back at the
 * baseline rate. Hence burst duration = volume / (rate − baseline), at any rate; one run answers for all others.
 * Assumption that may fail: credits were full at the start, and nothing else on the host spends them.
 */
export interface TokenBucket {
  readonly burstBitsPerSecond: number;
  readonly baselineBitsPerSecond: number;
  /** Traffic above the baseline that full credits allow. */
  readonly bucketBits: number;
}

/** A value with the ends of its 95 % interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Volume of a bucket that was spent at `burst` from the start of the load until the onset. */
export function estimateBucketBits(
  burstBitsPerSecond: number,
  baselineBitsPerSecond: number,
  onset: Estimate,
): Estimate {
  const drain = burstBitsPerSecond - baselineBitsPerSecond;
  if (!(drain > 0)) {
    throw new RangeError(
      `burstBitsPerSecond: must be above the baseline of ${baselineBitsPerSecond}, got ${burstBitsPerSecond}`,
    );
  }
  const bits = (seconds: number) => drain * Math.max(0, seconds);
  return { value: bits(onset.value), low: bits(onset.low), high: bits(onset.high) };
}

/** How long a rate can be held from full credits: Infinity up to the baseline. */
export function holdSeconds(bucket: TokenBucket, rateBitsPerSecond: number): number {
  if (!(rateBitsPerSecond >= 0) || rateBitsPerSecond > bucket.burstBitsPerSecond) {
    throw new RangeError(`rateBitsPerSecond: must be 0–${bucket.burstBitsPerSecond}, got ${rateBitsPerSecond}`);
  }
  if (rateBitsPerSecond <= bucket.baselineBitsPerSecond) return Infinity;
  return bucket.bucketBits / (rateBitsPerSecond - bucket.baselineBitsPerSecond);
}

/** How long empty credits take to fill while `rateBitsPerSecond` is being sent: never at the baseline or above. */
export function refillSeconds(bucket: TokenBucket, rateBitsPerSecond = 0): number {
  if (!(rateBitsPerSecond >= 0)) {
    throw new RangeError(`rateBitsPerSecond: must be at least 0, got ${rateBitsPerSecond}`);
  }
  if (rateBitsPerSecond >= bucket.baselineBitsPerSecond) return Infinity;
  return bucket.bucketBits / (bucket.baselineBitsPerSecond - rateBitsPerSecond);
}

/** Lower bound of the volume when no drop was seen: what was spent so far (right-censored). */
export function spentBits(meanBitsPerSecond: number, baselineBitsPerSecond: number, seconds: number): number {
  return Math.max(0, meanBitsPerSecond - baselineBitsPerSecond) * Math.max(0, seconds);
}
