/**
 * The verdict on one driven direction: what the series shows, and what the other witnesses say about it. Nothing
 * overrules `seriesClass`, but `kind` may be more specific. A witness that contradicts lowers the confidence.
 */
import { classifyCycles, classifySeries } from '../detection/index';
import type { SeriesShape } from '../detection/series-shape';
import { mapInterval } from '../maths/interval';
import type { Verdict, VerdictKind, Witness } from '../model/verdict';
import { witnessAllowance } from './allowance-counters';
import { findOwner, type BucketOwner } from './bucket-owner';
import { censoredBucket, isSustained, type CensoredBucket } from './censoring';
import { fuseConfidence } from './confidence';
import { findWithheldCpu, type WithheldCpu } from './cpu-credits';
import { witnessContention } from './cpu-contention';
import { haveCredits } from './credits';
import { measuredSeconds, underLoad, withPauses } from './duty-cycle';
import type { ThroughputEvidence } from './evidence';
import { explain } from './explanation';
import { holdTimes, idleRefill, leastHoldTimes, leastRefillSeconds } from './hold-times';
import { findLimit, flowCap, type Limit } from './limits';
import { estimateThrottle, type ThrottleModel } from './throttle-model';
import { witnessCpu, witnessFlowCap, witnessPublished, witnessRetransmits, witnessSeries } from './witnesses';

/** A short series that scatters less than this shows one level. */
const QUIET = 0.05;

export function judgeThroughput(measured: ThroughputEvidence): Verdict {
  const { dutyCycle } = measured;
  const evidence = dutyCycle ? underLoad(measured, dutyCycle) : measured;
  const measuredShape = dutyCycle ? classifyCycles(evidence.series, dutyCycle) : classifySeries(evidence.series);
  const shape = dutyCycle ? withPauses(measuredShape, dutyCycle) : measuredShape;
  const withheldCpu = findWithheldCpu(shape, evidence);
  const limit = isLevelRate(shape) ? findLimit(shape, evidence, withheldCpu) : null;
  const censored = censoredBucket(shape, evidence);
  const kind = kindOf(shape, evidence, limit, censored !== null, withheldCpu);
  // The CPU explains the fall: there is no bucket whose owner and volume it would show.
  const isOfCpu = withheldCpu !== null && kind === 'lasting_drop';
  const owner = isOfCpu ? null : findOwner(shape, evidence);
  const witnesses = collectWitnesses(shape, evidence, limit, owner, withheldCpu);
  const levels = estimateThrottle(shape, evidence.series);
  const model = isOfCpu ? null : levels;
  const onset = shape.throttle?.onset ?? null;
  const throttledBy = owner?.end ?? null;
  return {
    kind,
    seriesClass: shape.seriesClass,
    direction: evidence.direction,
    onset: onset && (dutyCycle ? mapInterval(onset, (seconds) => measuredSeconds(dutyCycle, seconds)) : onset),
    burst: levels?.burst ?? null,
    baseline: levels?.baseline ?? null,
    bucket: model?.bucket?.bits ?? null,
    bucketBitsAtLeast: censored?.bits ?? null,
    ...(censored ? censoredAnswers(censored) : modelAnswers(model)),
    throttledBy,
    throttledBucket: throttledBy && BUCKET_OF[throttledBy],
    confidence: fuseConfidence(shape, kind, witnesses, evidence.truncated),
    witnesses,
    explanation: explain({ shape, kind, limit, censored, owner, withheldCpu, witnesses, evidence }),
  };
}

/** Traffic spends the sender's credits for outbound traffic and the receiver's for inbound traffic. */
const BUCKET_OF = { sender: 'outbound', receiver: 'inbound' } as const;

/**
 * The kind of verdict. The first row that applies decides.
 *
 * | series                   | evidence                                               | kind                         |
 * | ------------------------ | ------------------------------------------------------ | ---------------------------- |
 * | a fall that lasts        | none that there are network credits: `haveCredits`     | `lasting_drop`               |
 * | not one level            | any                                                    | the class of the series      |
 * | one level                | `findLimit`: the cap of a single flow                  | `flow_capped`                |
 * | one level                | `findLimit`: an end was out of CPU credits, or every   | `cpu_bound`                  |
 * |                          | core that the tool can use is busy                     |                              |
 * | one level                | `findLimit`: the receiver is published to sustain less | `peer_limited`               |
 * | one level                | above the published baseline of an end with credits    | `not_observed_within_window` |
 * | one level, `insufficient` | both ends are published to sustain this rate          | `steady`                     |
 * | one level                | any other                                              | the class of the series      |
 */
function kindOf(
  shape: SeriesShape,
  evidence: ThroughputEvidence,
  limit: Limit | null,
  isCensored: boolean,
  withheldCpu: WithheldCpu | null,
): VerdictKind {
  if (shape.throttle && !haveCredits(shape, evidence, withheldCpu)) return 'lasting_drop';
  if (!isLevelRate(shape)) return shape.seriesClass;
  if (limit) return limit.kind;
  if (isCensored) return 'not_observed_within_window';
  if (shape.seriesClass === 'insufficient' && isSustained(shape, evidence)) return 'steady';
  return shape.seriesClass;
}

/** Whether the series is one level. A short one may not last, but it can be compared with the published figures. */
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
  withheldCpu: WithheldCpu | null,
): Witness[] {
  const burstCap = shape.throttle ? flowCap(shape.throttle.burstBitsPerSecond, evidence) : null;
  const witnesses = [
    witnessSeries(shape),
    ...(withheldCpu ? [withheldCpu.witness] : []),
    ...(evidence.cpuContention === undefined ? [] : [witnessContention(evidence.cpuContention, shape.seriesClass)]),
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
  return { refill: model && idleRefill(model), refillSecondsAtLeast: null, holdTimes: model ? holdTimes(model) : [] };
}

/** Without a drop, only lower bounds are known. */
function censoredAnswers({ bits, spendingBitsPerSecond, baseline }: CensoredBucket): Answers {
  const atLeast = { bucketBits: bits, baselineBitsPerSecond: baseline.bitsPerSecond };
  return {
    refill: null,
    refillSecondsAtLeast: leastRefillSeconds(atLeast),
    holdTimes: leastHoldTimes(atLeast, spendingBitsPerSecond),
  };
}
