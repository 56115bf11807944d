/**
 * Simulates how a load spends the credits of both hosts: it runs at its full rate until one host has no credits left,
 * and then at that host's baseline. In pauses the hosts earn credits at their baselines.
 */
import { smallest } from '../maths/statistics';
import { zip } from '../maths/elements';
import type { DutyCycle } from '../model/settings';
import type { TokenBucket } from '../model/token-bucket';

export interface Load {
  readonly bitsPerSecond: number;
  readonly durationSeconds: number;
  readonly dutyCycle?: DutyCycle;
  /** The load ends this long after the first throttle. */
  readonly stopAfterThrottledSeconds?: number;
}

interface Drain<Bucket> {
  readonly bits: number;
  /** Seconds from the start of the load, pauses included; null if the credits last. */
  readonly onsetSeconds: number | null;
  /** The bucket that ran empty first. */
  readonly emptied: Bucket | null;
}

interface BucketLevel<Bucket> {
  readonly bucket: Bucket;
  creditBits: number;
}

/** Amounts below this are rounding errors. */
const NO_BITS = 1;

/** @param buckets the hosts' buckets, full at the start */
export function drain<Bucket extends TokenBucket>(load: Load, buckets: readonly Bucket[]): Drain<Bucket> {
  const levels = buckets.map((bucket): BucketLevel<Bucket> => ({ bucket, creditBits: bucket.bucketBits }));
  const { onSeconds, offSeconds } = load.dutyCycle ?? { onSeconds: load.durationSeconds, offSeconds: 0 };
  const cycleSeconds = onSeconds + offSeconds;
  let end = load.durationSeconds;
  let elapsed = 0;
  let bits = 0;
  let onsetSeconds: number | null = null;
  let emptied: Bucket | null = null;

  const spend = (rate: number, seconds: number) => {
    for (const level of levels) {
      const left = level.creditBits + (level.bucket.baselineBitsPerSecond - rate) * seconds;
      level.creditBits = left < NO_BITS ? 0 : Math.min(left, level.bucket.bucketBits);
    }
    bits += rate * seconds;
    elapsed += seconds;
  };

  const loadUntil = (phaseEnd: number) => {
    while (elapsed < Math.min(phaseEnd, end)) {
      const emptyBaselines = levels
        .filter(({ creditBits }) => creditBits === 0)
        .map(({ bucket }) => bucket.baselineBitsPerSecond);
      const rate = smallest([load.bitsPerSecond, ...emptyBaselines]);
      const next = firstToEmpty(levels, rate);
      const left = Math.min(phaseEnd, end) - elapsed;
      if (next === undefined || next.seconds > left) {
        spend(rate, left);
        return;
      }
      spend(rate, next.seconds);
      next.level.creditBits = 0;
      if (onsetSeconds !== null) continue;
      onsetSeconds = elapsed;
      emptied = next.level.bucket;
      end = Math.min(end, elapsed + (load.stopAfterThrottledSeconds ?? Infinity));
    }
  };

  while (elapsed < end) {
    const cycleStart = { elapsed, bits, credits: levels.map(({ creditBits }) => creditBits) };
    loadUntil(elapsed + onSeconds);
    if (elapsed < end && offSeconds > 0) spend(0, Math.min(offSeconds, end - elapsed));
    if (elapsed - cycleStart.elapsed < cycleSeconds) continue;

    // Until a bucket is empty, each further cycle changes all buckets as this one did, so these cycles are one step.
    const gains = zip(levels, cycleStart.credits).map(([level, credits]) => ({
      level,
      gain: level.creditBits - credits,
    }));
    const isUnchanged = gains.every(({ gain }) => Math.abs(gain) < NO_BITS);
    const sameCycles = isUnchanged
      ? []
      : gains.map(({ level, gain }) => wholeCyclesUntilEmpty(level, gain, load.bitsPerSecond, onSeconds));
    const cycles = smallest([Math.floor((end - elapsed) / cycleSeconds), ...sameCycles]);
    for (const { level, gain } of gains) {
      level.creditBits = Math.min(level.creditBits + cycles * gain, level.bucket.bucketBits);
    }
    bits += cycles * (bits - cycleStart.bits);
    elapsed += cycles * cycleSeconds;
  }
  return { bits, onsetSeconds, emptied };
}

function firstToEmpty<Bucket extends TokenBucket>(levels: readonly BucketLevel<Bucket>[], rate: number) {
  return levels
    .filter(({ creditBits, bucket }) => creditBits > 0 && rate > bucket.baselineBitsPerSecond)
    .map((level) => ({ level, seconds: level.creditBits / (rate - level.bucket.baselineBitsPerSecond) }))
    .sort((one, other) => one.seconds - other.seconds)
    .at(0);
}

function wholeCyclesUntilEmpty(
  { bucket, creditBits }: BucketLevel<TokenBucket>,
  gain: number,
  rate: number,
  onSeconds: number,
): number {
  if (gain >= 0) return Infinity;
  const spentWhileOn = (rate - bucket.baselineBitsPerSecond) * onSeconds;
  return Math.max(0, Math.floor((creditBits - spentWhileOn) / -gain));
}

/** Seconds with load, pauses excluded, if the load runs for its whole duration. */
export function loadedSeconds({ durationSeconds, dutyCycle }: Omit<Load, 'bitsPerSecond'>): number {
  if (dutyCycle === undefined) return durationSeconds;
  const { onSeconds, offSeconds } = dutyCycle;
  const cycles = Math.floor(durationSeconds / (onSeconds + offSeconds));
  return cycles * onSeconds + Math.min(onSeconds, durationSeconds - cycles * (onSeconds + offSeconds));
}
