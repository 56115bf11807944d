/** What a rate without a drop says of the credits: that there are none to run out, or how much they hold at least. */
import type { SeriesShape } from '../detection/index';
import type { ThroughputEvidence } from './evidence';
import { creditBaselines, isNear, lowestLimit, publishedLimits, type PublishedLimit } from './published-limits';
import { spentBits } from './token-bucket';

export interface CensoredBucket {
  readonly bits: number;
  readonly baseline: PublishedLimit;
}

/** No drop was seen, but the rate was above a published baseline all the time: credits were being spent and have not run out. */
export function censoredBucket(shape: SeriesShape, evidence: ThroughputEvidence): CensoredBucket | null {
  if (shape.throttle || shape.typicalBitsPerSecond === null) return null;
  const baseline = lowestLimit(creditBaselines(evidence));
  if (!baseline || shape.typicalBitsPerSecond <= 1.1 * baseline.bitsPerSecond) return null;
  const seconds = shape.endSeconds - shape.loadStartSeconds;
  const spent = (time: number) => spentBits(shape.meanBitsPerSecond ?? 0, baseline.bitsPerSecond, time);
  if (evidence.dutyCycle === undefined) return { bits: spent(seconds), baseline };
  // In each pause as much comes back as is earned in it; when that is all of it, a run is the most that was ever spent.
  const { onSeconds, offSeconds } = evidence.dutyCycle;
  const pauses = Math.max(0, Math.ceil(seconds / onSeconds) - 1);
  const kept = spent(seconds) - pauses * offSeconds * baseline.bitsPerSecond;
  return { bits: Math.max(kept, spent(Math.min(seconds, onSeconds))), baseline };
}

/** At a rate that is published as sustained by both ends there are no credits to run out, so a short look is enough. */
export function isSustained(shape: SeriesShape, evidence: ThroughputEvidence): boolean {
  const baseline = lowestLimit(publishedLimits(evidence, 'baselineBitsPerSecond'));
  return (
    baseline !== null &&
    shape.typicalBitsPerSecond !== null &&
    creditBaselines(evidence).length === 0 &&
    isNear(shape.typicalBitsPerSecond, baseline.bitsPerSecond)
  );
}
