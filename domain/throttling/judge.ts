/**
 * The verdict on one driven direction: what the series shows, what the other witnesses make of it, and one plain sentence.
 * `seriesClass` is never overruled; `kind` may say more than it. A witness that contradicts lowers the confidence and is named.
 */
import { classifySeries, type SeriesShape } from '../changepoint/index';
import type { Verdict, VerdictKind, Witness } from '../measurement/measurement';
import type { ThroughputEvidence } from './evidence';
import { explain } from './explanation';
import { findLimit, witnessCpu, type Limit } from './limits';
import { creditBaselines, lowestLimit, type PublishedLimit } from './published-limits';
import { spentBits } from './token-bucket';
import { witnessAllowance, witnessPublished, witnessRetransmits, witnessSeries } from './witnesses';

export type { AllowanceGrowth, CpuUse, ThroughputEvidence } from './evidence';

const HIGHEST_CONFIDENCE = 0.99;

export function judgeThroughput(evidence: ThroughputEvidence): Verdict {
  const shape = classifySeries(evidence.series);
  const isLevel =
    shape.seriesClass === 'steady' || shape.seriesClass === 'noisy' || shape.seriesClass === 'transient_dips';
  const limit = isLevel ? findLimit(shape, evidence) : null;
  const censored = censoredBucket(shape, evidence);
  const kind = kindOf(shape, limit, isLevel && censored !== null);
  const witnesses = collectWitnesses(shape, evidence, limit);
  return {
    kind,
    seriesClass: shape.seriesClass,
    direction: evidence.direction,
    onsetSeconds: shape.onsetSeconds,
    onsetLowSeconds: shape.onsetLowSeconds,
    onsetHighSeconds: shape.onsetHighSeconds,
    burstBitsPerSecond: shape.burstBitsPerSecond,
    baselineBitsPerSecond: shape.baselineBitsPerSecond,
    bucketBits: shape.bucketBits,
    bucketBitsAtLeast: censored?.bits ?? null,
    confidence: fuseConfidence(shape, witnesses, evidence.truncated),
    witnesses,
    explanation: explain({ shape, kind, limit, censored, witnesses, truncated: evidence.truncated }),
  };
}

function kindOf(shape: SeriesShape, limit: Limit | null, isCensored: boolean): VerdictKind {
  if (limit) return limit.kind;
  return isCensored ? 'not_observed_within_window' : shape.seriesClass;
}

export interface CensoredBucket {
  readonly bits: number;
  readonly baseline: PublishedLimit;
}

/** No drop was seen, but the rate was above a published baseline all the time: credits were being spent and have not run out. */
function censoredBucket(shape: SeriesShape, evidence: ThroughputEvidence): CensoredBucket | null {
  if (shape.isThrottled || shape.typicalBitsPerSecond === null) return null;
  const baseline = lowestLimit(creditBaselines(evidence));
  if (!baseline || shape.typicalBitsPerSecond <= 1.1 * baseline.bitsPerSecond) return null;
  const seconds = shape.endSeconds - shape.loadStartSeconds;
  return { bits: spentBits(shape.meanBitsPerSecond ?? 0, baseline.bitsPerSecond, seconds), baseline };
}

function collectWitnesses(shape: SeriesShape, evidence: ThroughputEvidence, limit: Limit | null): Witness[] {
  const witnesses = [
    witnessSeries(shape),
    witnessAllowance(shape, evidence),
    witnessPublished(shape, evidence),
    witnessRetransmits(shape, evidence),
    witnessCpu(evidence),
  ];
  if (!limit) return witnesses;
  return [...witnesses.filter((witness) => witness.name !== limit.witness.name), limit.witness];
}

/** Agreement halves the doubt that is left; contradiction takes away a third of the confidence. */
function fuseConfidence(shape: SeriesShape, witnesses: readonly Witness[], isTruncated: boolean): number {
  let confidence = shape.confidence;
  for (const witness of witnesses) {
    if (witness.name === 'series' || witness.agrees === null) continue;
    confidence = witness.agrees ? 1 - (1 - confidence) / 2 : (confidence * 2) / 3;
  }
  if (isTruncated) confidence *= 0.9;
  return Math.round(100 * Math.min(HIGHEST_CONFIDENCE, confidence)) / 100;
}
