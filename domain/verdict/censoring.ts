/**
 * What a rate without a drop says about the credits: that there are none to run out, or how much they hold at least.
 */
import type { SeriesShape } from '../detection/series-shape';
import type { ThroughputEvidence } from './evidence';
import { creditBaselines, isNear, lowestLimit, publishedLimits, type PublishedLimit } from './published-limits';
import { spentBits } from './token-bucket';

export interface CensoredBucket {
  readonly bits: number;
  /** The rate that spent them. */
  readonly spendingBitsPerSecond: number;
  readonly baseline: PublishedLimit;
}

/** Without a drop, at a rate above a published baseline, credits were being spent and have not run out. */
export function censoredBucket(shape: SeriesShape, evidence: ThroughputEvidence): CensoredBucket | null {
  if (shape.throttle || shape.typicalBitsPerSecond === null) return null;
  const baseline = lowestLimit(creditBaselines(evidence));
  if (!baseline || shape.typicalBitsPerSecond <= 1.1 * baseline.bitsPerSecond) return null;
  const seconds = shape.endSeconds - shape.loadStartSeconds;
  const spent = (time: number) => spentBits(shape.meanBitsPerSecond ?? 0, baseline.bitsPerSecond, time);
  if (evidence.dutyCycle === undefined)
    return { bits: spent(seconds), spendingBitsPerSecond: shape.typicalBitsPerSecond, baseline };
  // Each pause earns credits back. Where it earns back all that a run spends, one run is the most that was ever spent.
  const { onSeconds, offSeconds } = evidence.dutyCycle;
  const pauses = Math.max(0, Math.ceil(seconds / onSeconds) - 1);
  const kept = spent(seconds) - pauses * offSeconds * baseline.bitsPerSecond;
  const bits = Math.max(kept, spent(Math.min(seconds, onSeconds)));
  return { bits, spendingBitsPerSecond: shape.typicalBitsPerSecond, baseline };
}

/**
 * Whether both ends are published to sustain the rate: then there are no credits to run out, and a short look is
 * enough.
 */
export function isSustained(shape: SeriesShape, evidence: ThroughputEvidence): boolean {
  const baseline = lowestLimit(publishedLimits(evidence, 'baselineBitsPerSecond'));
  return (
    baseline !== null &&
    shape.typicalBitsPerSecond !== null &&
    creditBaselines(evidence).length === 0 &&
    isNear(shape.typicalBitsPerSecond, baseline.bitsPerSecond)
  );
}
