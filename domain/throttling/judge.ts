/**
 * The verdict on one driven direction: what the series shows, what the other witnesses make of it, and one plain sentence.
 * `seriesClass` is never overruled; `kind` may say more than it. A witness that contradicts lowers the confidence and is named.
 */
import { classifySeries, type SeriesShape } from '../changepoint/index';
import type { Verdict, VerdictKind, Witness } from '../measurement/measurement';
import { censoredBucket, isSustained } from './censoring';
import type { ThroughputEvidence } from './evidence';
import { explain } from './explanation';
import { findLimit, witnessCpu, type Limit } from './limits';
import { witnessAllowance, witnessPublished, witnessRetransmits, witnessSeries } from './witnesses';

export type { AllowanceGrowth, CpuUse, ThroughputEvidence } from './evidence';

const HIGHEST_CONFIDENCE = 0.99;
const SHORT_CONFIDENCE = 0.6;
/** Scatter of a short series that still shows one level. */
const QUIET = 0.05;

export function judgeThroughput(evidence: ThroughputEvidence): Verdict {
  const shape = classifySeries(evidence.series);
  const isLevel = isLevelRate(shape);
  const limit = isLevel ? findLimit(shape, evidence) : null;
  const censored = censoredBucket(shape, evidence);
  const kind = kindOf(shape, limit, isLevel && censored !== null, isLevel && isSustained(shape, evidence));
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
    confidence: fuseConfidence(shape, kind, witnesses, evidence.truncated),
    witnesses,
    explanation: explain({ shape, kind, limit, censored, witnesses, truncated: evidence.truncated }),
  };
}

function kindOf(shape: SeriesShape, limit: Limit | null, isCensored: boolean, isSustainedRate: boolean): VerdictKind {
  if (limit) return limit.kind;
  if (isCensored) return 'not_observed_within_window';
  return shape.seriesClass === 'insufficient' && isSustainedRate ? 'steady' : shape.seriesClass;
}

/** One level, however short: too short to promise that it stays, but long enough to compare with what is published. */
function isLevelRate(shape: SeriesShape): boolean {
  if (shape.seriesClass === 'insufficient') {
    return shape.segments.length === 1 && (shape.noise?.standardDeviation ?? Infinity) < QUIET;
  }
  return shape.seriesClass === 'steady' || shape.seriesClass === 'noisy' || shape.seriesClass === 'transient_dips';
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
function fuseConfidence(
  shape: SeriesShape,
  kind: VerdictKind,
  witnesses: readonly Witness[],
  isTruncated: boolean,
): number {
  // That a series is too short is certain; what the published figures make of it is not.
  let confidence =
    shape.seriesClass === 'insufficient' && kind !== 'insufficient' ? SHORT_CONFIDENCE : shape.confidence;
  for (const witness of witnesses) {
    if (witness.name === 'series' || witness.agrees === null) continue;
    confidence = witness.agrees ? 1 - (1 - confidence) / 2 : (confidence * 2) / 3;
  }
  if (isTruncated) confidence *= 0.9;
  return Math.round(100 * Math.min(HIGHEST_CONFIDENCE, confidence)) / 100;
}
