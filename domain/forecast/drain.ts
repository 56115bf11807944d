/**
 * What a load does to the credits of the hosts that it goes between: it runs at its rate until one of them has none left,
 * then at that one's baseline. Pauses earn credits back, at the baseline's rate.
 */

/** One host's token bucket, full at the start. */
export interface DrainedBucket {
  readonly baselineBitsPerSecond: number;
  readonly bucketBits: number;
}

export interface Load {
  readonly bitsPerSecond: number;
  readonly durationSeconds: number;
  readonly dutyCycle?: { readonly onSeconds: number; readonly offSeconds: number };
  /** Ends so long after the first throttle. */
  readonly stopAfterThrottledSeconds?: number;
}

export interface Drain {
  readonly bits: number;
  /** Since the load's start, pauses included; null when credits last. */
  readonly onsetSeconds: number | null;
  /** Which of the buckets was the first to be empty. */
  readonly emptiedIndex: number | null;
}

/** Less than this is rounding. */
const NO_BITS = 1;

export function drain(load: Load, buckets: readonly DrainedBucket[]): Drain {
  const credits = buckets.map(({ bucketBits }) => bucketBits);
  const baselines = buckets.map(({ baselineBitsPerSecond }) => baselineBitsPerSecond);
  const { onSeconds, offSeconds } = load.dutyCycle ?? { onSeconds: load.durationSeconds, offSeconds: 0 };
  const cycleSeconds = onSeconds + offSeconds;
  let end = load.durationSeconds;
  let elapsed = 0;
  let bits = 0;
  let onsetSeconds: number | null = null;
  let emptiedIndex: number | null = null;

  const spend = (rate: number, seconds: number) => {
    for (const [index, bucket] of buckets.entries()) {
      const left = credits[index]! + (baselines[index]! - rate) * seconds;
      credits[index] = left < NO_BITS ? 0 : Math.min(left, bucket.bucketBits);
    }
    bits += rate * seconds;
    elapsed += seconds;
  };

  const loadUntil = (phaseEnd: number) => {
    while (elapsed < Math.min(phaseEnd, end)) {
      const rate = Math.min(load.bitsPerSecond, ...baselines.filter((_, index) => credits[index] === 0));
      const untilEmpty = baselines.map((baseline, index) =>
        credits[index]! > 0 && rate > baseline ? credits[index]! / (rate - baseline) : Infinity,
      );
      const next = Math.min(...untilEmpty);
      const left = Math.min(phaseEnd, end) - elapsed;
      spend(rate, Math.min(next, left));
      if (next > left) break;
      const emptied = untilEmpty.indexOf(next);
      credits[emptied] = 0;
      if (onsetSeconds !== null) continue;
      onsetSeconds = elapsed;
      emptiedIndex = emptied;
      end = Math.min(end, elapsed + (load.stopAfterThrottledSeconds ?? Infinity));
    }
  };

  while (elapsed < end) {
    const start = { elapsed, bits, credits: [...credits] };
    loadUntil(elapsed + onSeconds);
    if (elapsed < end && offSeconds > 0) spend(0, Math.min(offSeconds, end - elapsed));
    if (elapsed - start.elapsed < cycleSeconds) continue;

    // Cycles that go like this one need no walking through.
    const gains = credits.map((value, index) => value - start.credits[index]!);
    const isSame = gains.every((gain) => Math.abs(gain) < NO_BITS);
    const alike = isSame ? Infinity : Math.min(...gains.map(cyclesUntilEmpty));
    const cycles = Math.min(alike, Math.floor((end - elapsed) / cycleSeconds));
    for (const [index, bucket] of buckets.entries()) {
      credits[index] = Math.min(credits[index]! + cycles * gains[index]!, bucket.bucketBits);
    }
    bits += cycles * (bits - start.bits);
    elapsed += cycles * cycleSeconds;
  }
  return { bits, onsetSeconds, emptiedIndex };

  /** Whole cycles that a bucket lasts which loses so much in each. */
  function cyclesUntilEmpty(gain: number, index: number): number {
    if (gain >= 0) return Infinity;
    const spentWhileOn = (load.bitsPerSecond - baselines[index]!) * onSeconds;
    return Math.max(0, Math.floor((credits[index]! - spentWhileOn) / -gain));
  }
}

/** How long a load is on, of all the time that it may take. */
export function loadedSeconds({ durationSeconds, dutyCycle }: Load): number {
  if (dutyCycle === undefined) return durationSeconds;
  const { onSeconds, offSeconds } = dutyCycle;
  const cycles = Math.floor(durationSeconds / (onSeconds + offSeconds));
  return cycles * onSeconds + Math.min(onSeconds, durationSeconds - cycles * (onSeconds + offSeconds));
}
