/** What a rate without a drop shows about the credits: that there are none, or how much they hold at least. */
import { accountOf, loadUntil } from '../detection/load';
import { findRests } from '../detection/load';
import type { LoadStretch, SeriesShape } from '../detection/series-shape';
import { cleanSeries } from '../series/clean';
import { pausedLoad } from './duty-cycle';
import type { ThroughputEvidence } from './evidence';
import { creditBaselines, isNear, lowestLimit, publishedLimits, type PublishedLimit } from './published-limits';
import { EARNED_AT_REST } from '../model/token-bucket';

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
  const load = wholeLoad(shape, evidence, spendingBitsPerSecond, baseline.bitsPerSecond);
  // A lower bound must hold for the rests that earned the most.
  const { mostSpentBits } = accountOf(load, baseline.bitsPerSecond, EARNED_AT_REST.high);
  return { bits: mostSpentBits, spendingBitsPerSecond, baseline };
}

/** The load until the end of the series, with its rests. */
function wholeLoad(shape: SeriesShape, evidence: ThroughputEvidence, burst: number, baseline: number): LoadStretch[] {
  const clean = cleanSeries(evidence.series);
  if (!clean) return [];
  const { loadStartSeconds: startSeconds, endSeconds } = shape;
  const rests = findRests(clean, { burst, baseline }, endSeconds);
  const level = { startSeconds, bitsPerSecond: shape.meanBitsPerSecond ?? 0 };
  const load = loadUntil(endSeconds, [level], rests, clean);
  return evidence.dutyCycle ? pausedLoad(load, startSeconds, evidence.dutyCycle) : load;
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
