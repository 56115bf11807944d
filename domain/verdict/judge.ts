/**
 * The verdict on one driven direction: what the series shows, what the other witnesses make of it, and one plain sentence.
 * `seriesClass` is never overruled; `kind` may say more than it. A witness that contradicts lowers the confidence and is named.
 */
import { classifySeries, type SeriesShape } from '../detection/index';
import { mapInterval } from '../maths/interval';
import type { Verdict, VerdictKind, Witness } from '../model/verdict';
import { witnessAllowance } from './allowance-counters';
import { findOwner, type BucketOwner } from './bucket-owner';
import { censoredBucket, isSustained, type CensoredBucket } from './censoring';
import { fuseConfidence } from './confidence';
import { earnedInPausesBits, measuredSeconds, underLoad } from './duty-cycle';
import type { ThroughputEvidence } from './evidence';
import { explain } from './explanation';
import { holdTimes, idleRefill, leastHoldTimes } from './hold-times';
import { findLimit, flowCap, type Limit } from './limits';
import { estimateThrottle, type Pauses, type ThrottleModel } from './throttle-model';
import { refillSeconds } from './token-bucket';
import { witnessCpu, witnessFlowCap, witnessPublished, witnessRetransmits, witnessSeries } from './witnesses';

export type { AllowanceGrowth, CpuUse, ThroughputEvidence } from './evidence';

/** Scatter of a short series that still shows one level. */
const QUIET = 0.05;

export function judgeThroughput(measured: ThroughputEvidence): Verdict {
  const { dutyCycle } = measured;
  const evidence = dutyCycle ? underLoad(measured, dutyCycle) : measured;
  const measuredShape = classifySeries(evidence.series);
  const pauses = dutyCycle && { earnedBits: earnedInPausesBits(measuredShape, dutyCycle) };
  const shape = pauses ? withoutEarnings(measuredShape, pauses) : measuredShape;
  const isLevel = isLevelRate(shape);
  const limit = isLevel ? findLimit(shape, evidence) : null;
  const censored = censoredBucket(shape, evidence);
  const kind = kindOf(shape, limit, isLevel && censored !== null, isLevel && isSustained(shape, evidence));
  const owner = findOwner(shape, evidence);
  const witnesses = collectWitnesses(shape, evidence, limit, owner);
  const model = estimateThrottle(shape, evidence.series, pauses);
  const onset = shape.throttle?.onset ?? null;
  const throttledBy = owner?.end ?? null;
  return {
    kind,
    seriesClass: shape.seriesClass,
    direction: evidence.direction,
    onset: onset && (dutyCycle ? mapInterval(onset, (seconds) => measuredSeconds(dutyCycle, seconds)) : onset),
    burst: model?.burst ?? null,
    baseline: model?.baseline ?? null,
    bucket: model?.bucketBits ?? null,
    bucketBitsAtLeast: censored?.bits ?? null,
    ...(censored ? censoredAnswers(censored, shape) : modelAnswers(model)),
    throttledBy,
    throttledBucket: throttledBy && BUCKET_OF[throttledBy],
    confidence: fuseConfidence(shape, kind, witnesses, evidence.truncated),
    witnesses,
    explanation: explain({ shape, kind, limit, censored, owner, witnesses, evidence }),
  };
}

/** What is sent goes out of the sender's credits for outbound traffic, and out of the receiver's for inbound. */
const BUCKET_OF = { sender: 'outbound', receiver: 'inbound' } as const;

function withoutEarnings(shape: SeriesShape, { earnedBits }: Pauses): SeriesShape {
  const { throttle } = shape;
  return throttle
    ? { ...shape, throttle: { ...throttle, bucketBits: Math.max(0, throttle.bucketBits - earnedBits) } }
    : shape;
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

function collectWitnesses(
  shape: SeriesShape,
  evidence: ThroughputEvidence,
  limit: Limit | null,
  owner: BucketOwner | null,
): Witness[] {
  const burstCap = shape.throttle ? flowCap(shape.throttle.burstBitsPerSecond, evidence) : null;
  const witnesses = [
    witnessSeries(shape),
    witnessAllowance(shape, evidence, limit),
    witnessPublished(shape, evidence),
    ...(owner ? [owner.witness] : []),
    ...(burstCap ? [witnessFlowCap(burstCap)] : []),
    witnessRetransmits(shape, evidence),
    witnessCpu(shape, evidence, limit),
  ];
  if (!limit) return witnesses;
  return [...witnesses.filter((witness) => witness.name !== limit.witness.name), limit.witness];
}

type Answers = Pick<Verdict, 'refill' | 'refillSecondsAtLeast' | 'holdTimes'>;

function modelAnswers(model: ThrottleModel | null): Answers {
  return {
    refill: model && idleRefill(model),
    refillSecondsAtLeast: null,
    holdTimes: model ? holdTimes(model) : [],
  };
}

/** No drop was seen: lower bounds, and nothing but. */
function censoredAnswers({ bits, baseline }: CensoredBucket, shape: SeriesShape): Answers {
  const atLeast = { bucketBits: bits, baselineBitsPerSecond: baseline.bitsPerSecond };
  return {
    refill: null,
    refillSecondsAtLeast: refillSeconds(atLeast),
    holdTimes: leastHoldTimes(atLeast, shape.typicalBitsPerSecond!),
  };
}
