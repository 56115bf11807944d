/** What a rate without a drop shows about the credits: that there are none, or how much they hold at least. */
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

/** At a rate above a published baseline without a drop, credits were spent and did not run out. */
export function censoredBucket(shape: SeriesShape, evidence: ThroughputEvidence): CensoredBucket | null {
  const { typicalBitsPerSecond: spendingBitsPerSecond } = shape;
  if (shape.throttle || spendingBitsPerSecond === null) return null;
  const baseline = lowestLimit(creditBaselines(evidence));
  if (!baseline || spendingBitsPerSecond <= 1.1 * baseline.bitsPerSecond) return null;
  const seconds = shape.endSeconds - shape.loadStartSeconds;
  const spent = (time: number) => spentBits(shape.meanBitsPerSecond ?? 0, baseline.bitsPerSecond, time);
  if (evidence.dutyCycle === undefined) return { bits: spent(seconds), spendingBitsPerSecond, baseline };
  // Each pause earns credits back. Where it earns back all that a run spends, one run spent the most.
  const { onSeconds, offSeconds } = evidence.dutyCycle;
  const pauses = Math.max(0, Math.ceil(seconds / onSeconds) - 1);
  const kept = spent(seconds) - pauses * offSeconds * baseline.bitsPerSecond;
  const bits = Math.max(kept, spent(Math.min(seconds, onSeconds)));
  return { bits, spendingBitsPerSecond, baseline };
}

/** Whether both ends are published to sustain the rate: then there are no credits, and a short series is enough. */
export function isSustained(shape: SeriesShape, evidence: ThroughputEvidence): boolean {
  const baseline = lowestLimit(publishedLimits(evidence, 'baselineBitsPerSecond'));
  return (
    baseline !== null &&
    shape.typicalBitsPerSecond !== null &&
    creditBaselines(evidence).length === 0 &&
    isNear(shape.typicalBitsPerSecond, baseline.bitsPerSecond)
  );
}
