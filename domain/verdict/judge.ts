/**
 * The verdict on one driven direction: what happened (`kind`), from the series, and why (`cause`), from every other
 * witness. A witness that contradicts lowers the confidence.
 */
import { classifyCycles, classifySeries } from '../detection/index';
import { DEEPEST_THROTTLED_RATIO } from '../detection/observe';
import type { SeriesShape, Throttle } from '../detection/series-shape';
import { growthAroundDrop } from './allowance-counters';
import { mapInterval } from '../maths/interval';
import type { Cause, CreditFigures, Verdict, VerdictKind } from '../model/verdict';
import { collectWitnesses, findOwner, fuseConfidence } from './witnesses';
import {
  censoredBucket,
  estimateThrottle,
  holdTimes,
  idleRefill,
  isSustained,
  leastHoldTimes,
  leastRefillSeconds,
  type CensoredBucket,
  type ThrottleModel,
} from './throttle-model';
import { percent } from '../text/format';
import { fragmentRate } from './causes/allowances';
import type { Subject } from './causes/cause';
import { findWithheldCpu } from './causes/cpu';
import { diagnoseDrop, diagnoseLevel, NOTHING_EXAMINED, type Diagnosis } from './diagnosis';
import { measuredSeconds, underLoad, withPauses } from './duty-cycle';
import type { ThroughputEvidence } from './evidence';
import { explain } from './explanation';
import { LOSING_SHARE } from './causes/packet-loss';
import { findOutages, outageInWords, repeatedShare } from './outage';
import type { TimeSpan } from '../series/rate-series';

/** A short series that scatters less than this shows one level. */
const QUIET = 0.05;

export function judgeThroughput(measured: ThroughputEvidence): Verdict {
  const { dutyCycle } = measured;
  const evidence = dutyCycle ? underLoad(measured, dutyCycle) : measured;
  const measuredShape = dutyCycle ? classifyCycles(evidence.series, dutyCycle) : classifySeries(evidence.series);
  const shape = dutyCycle ? withPauses(measuredShape, dutyCycle) : measuredShape;
  return judgeShape(shape.throttle || dutyCycle ? shape : withWitnesses(shape, evidence), evidence);
}

/**
 * A drop that the samples alone leave in doubt, because they are few or scatter, is believed where something else shows
 * why the rate fell.
 */
function withWitnesses(shape: SeriesShape, evidence: ThroughputEvidence): SeriesShape {
  const { allowance, retransmits, sender, receiver } = evidence;
  if ([allowance, retransmits, sender, receiver].every((each) => each === undefined)) return shape;
  const doubted = classifySeries(evidence.series, { believesDoubted: true });
  if (!doubted.throttle) return shape;
  const subject = subjectOf(doubted, evidence, estimateThrottle(doubted, evidence.series));
  return diagnoseDrop(subject).finding ? doubted : shape;
}

function subjectOf(shape: SeriesShape, evidence: ThroughputEvidence, levels: ThrottleModel | null): Subject {
  return {
    shape,
    evidence,
    growth: growthAroundDrop(shape, evidence),
    withheldCpu: findWithheldCpu(shape, evidence),
    baseline: levels?.baseline ?? null,
  };
}

/** @param evidence that of the shape: for a duty cycle, on the axis of the time under load */
export function judgeShape(shape: SeriesShape, evidence: ThroughputEvidence): Verdict {
  const { dutyCycle } = evidence;
  const outages = findOutages(evidence);
  const hasOutage = shape.throttle === null && outages.length > 0;
  const levels = estimateThrottle(shape, evidence.series);
  const subject = subjectOf(shape, evidence, levels);
  const diagnosis = hasOutage ? ofOutage(outages, subject) : diagnosisOf(subject);
  const isOfCredits = diagnosis.cause === 'network_credits';
  const owner = isOfCredits ? findOwner(subject) : null;
  // A rate that has changed for good, or that losses scatter, says nothing of credits that lasted.
  const isUntold = hasOutage || shape.kind === 'shift' || diagnosis.cause === 'packet_loss';
  const censored = isUntold ? null : censoredBucket(shape, evidence);
  const kind = hasOutage ? 'outage' : kindOf(subject, diagnosis, censored !== null);
  const witnesses = collectWitnesses(subject, diagnosis, owner);
  const onset = shape.throttle?.onset ?? null;
  const throttledBy = owner?.end ?? null;
  return {
    kind,
    cause: diagnosis.cause,
    causes: diagnosis.examined,
    direction: evidence.direction,
    onset: onset && (dutyCycle ? mapInterval(onset, (seconds) => measuredSeconds(dutyCycle, seconds)) : onset),
    burst: levels?.burst ?? null,
    baseline: levels?.baseline ?? null,
    bucketBitsAtLeast: censored?.bits ?? null,
    refillSecondsAtLeast: null,
    ...(censored ? censoredAnswers(censored) : creditFigures(isOfCredits ? levels : null)),
    ifNetworkCredits: mayBeCredits(diagnosis) ? creditFigures(levels) : null,
    throttledBy,
    throttledBucket: throttledBy && BUCKET_OF[throttledBy],
    confidence: fuseConfidence(shape, kind, witnesses, evidence.truncated),
    witnesses,
    explanation: explain({ subject, kind, diagnosis, censored, owner, witnesses, outages }),
  };
}

/** Traffic spends the sender's credits for outbound traffic and the receiver's for inbound traffic. */
const BUCKET_OF = { sender: 'outbound', receiver: 'inbound' } as const;

/**
 * What happened where there was no outage. The first row that applies decides.
 *
 * | series                                                                       | kind                   |
 * | ---------------------------------------------------------------------------- | ---------------------- |
 * | too short to judge, but at one level, which both ends are published to       | `steady`               |
 * | sustain, or is at a limit that was found, or spends credits that lasted      |                        |
 * | any other                                                                    | the kind of the series |
 */
function kindOf({ shape, evidence }: Subject, { cause }: Diagnosis, isCensored: boolean): VerdictKind {
  if (shape.kind !== 'insufficient' || !isLevelRate(shape)) return shape.kind;
  return cause !== null || isCensored || isSustained(shape, evidence) ? 'steady' : shape.kind;
}

function diagnosisOf(subject: Subject): Diagnosis {
  const { shape, evidence } = subject;
  if (shape.throttle) return diagnoseDrop(subject);
  const throttle = dropOfShift(shape);
  if (!throttle) return isLevelRate(shape) ? diagnoseLevel(subject) : NOTHING_EXAMINED;
  const fallen = { ...shape, throttle };
  return diagnoseDrop({ ...subject, shape: fallen, growth: growthAroundDrop(fallen, evidence) });
}

/**
 * A shift downwards that is as deep as a throttle, but not as plain: its cause is looked for all the same. The credits
 * that would explain it have no volume that it shows.
 */
function dropOfShift({ kind, segments }: SeriesShape): Throttle | null {
  const [first, last] = [segments[0], segments.at(-1)];
  if (kind !== 'shift' || !first || !last) return null;
  if (last.bitsPerSecond > DEEPEST_THROTTLED_RATIO * first.bitsPerSecond) return null;
  const { startSeconds: value } = last;
  return {
    onset: { value, low: value, high: value },
    burstBitsPerSecond: first.bitsPerSecond,
    baselineBitsPerSecond: last.bitsPerSecond,
    load: [],
    bucketBits: null,
    isRefilledAtRest: false,
  };
}

/**
 * | while next to nothing arrived                                     | cause           |
 * | ----------------------------------------------------------------- | --------------- |
 * | fragments were sent, and their counter grew second after second   | `fragment_rate` |
 * | some packets arrived, and 5 % or more of them had to be repeated  | `packet_loss`   |
 * | any other                                                         | `outage`        |
 */
function ofOutage(outages: readonly TimeSpan[], subject: Subject): Diagnosis {
  const words = outageInWords(outages, subject.evidence) ?? 'no traffic arrived';
  const fragments = fragmentRate.ofLevel?.(subject);
  if (fragments?.standing === 'shown') return shownOutage('fragment_rate', `${words}: ${fragments.reason}`);
  const repeated = repeatedShare(outages, subject.evidence);
  return repeated !== undefined && repeated >= LOSING_SHARE
    ? shownOutage('packet_loss', `${words}: ${percent(repeated)} of the segments were sent again`)
    : shownOutage('outage', words);
}

function shownOutage(cause: Cause, reason: string): Diagnosis {
  const standing = 'shown';
  return { cause, finding: { standing, reason }, examined: [{ cause, standing, reason }] };
}

/** Whether the series is one level. A short one may not last, but it can be compared with the published figures. */
function isLevelRate(shape: SeriesShape): boolean {
  if (shape.kind === 'insufficient') {
    return shape.segments.length === 1 && (shape.noise?.standardDeviation ?? Infinity) < QUIET;
  }
  return shape.kind === 'steady' || shape.kind === 'noisy' || shape.kind === 'dips';
}

/** Whether a drop of unknown cause may be one of network credits. */
function mayBeCredits({ cause, examined }: Diagnosis): boolean {
  const credits = examined.find((each) => each.cause === 'network_credits');
  return cause === 'not_known' && (credits?.standing === 'possible' || credits?.standing === 'not_read');
}

function creditFigures(model: ThrottleModel | null): CreditFigures {
  return {
    bucket: model?.bucket?.bits ?? null,
    refill: model && idleRefill(model),
    holdTimes: model ? holdTimes(model) : [],
  };
}

/** Without a drop, only lower bounds are known. */
function censoredAnswers({ bits, spendingBitsPerSecond, baseline }: CensoredBucket) {
  const atLeast = { bucketBits: bits, baselineBitsPerSecond: baseline.bitsPerSecond };
  return {
    bucket: null,
    refill: null,
    refillSecondsAtLeast: leastRefillSeconds(atLeast),
    holdTimes: leastHoldTimes(atLeast, spendingBitsPerSecond),
  };
}
