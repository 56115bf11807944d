/**
 * The verdict on one driven direction: what happened (`kind`), from the series, and why (`cause`), from every other
 * witness. A witness that contradicts lowers the confidence. Every cause is examined by its own module, and the first
 * that the evidence shows is the cause of the verdict.
 *
 * | cause               | of a drop                                        | of a level                                  |
 * | ------------------- | ------------------------------------------------ | ------------------------------------------- |
 * | tool_target         | –                                                | the rate is what the tool was asked for     |
 * | network_credits     | a burst above a published baseline, and counters | –                                           |
 * |                     | that begin to grow, or that published baseline   |                                             |
 * | fragment_rate       | fragments are sent, and their counter begins     | fragments are sent, and their counter grows |
 * | packet_rate         | its counter begins to grow                       | its counter grows second after second       |
 * | connection_tracking | its counter begins to grow                       | its counter grows second after second       |
 * | cpu_credits         | steal on a type with CPU credits                 | the same                                    |
 * | cpu                 | a processor is lost with the drop                | every core that the tool can use is busy    |
 * | packet_loss         | many retransmits, or datagrams are lost          | many retransmits, at a rate that scatters   |
 * | path_limit          | a held level, and no limit at either host        | –                                           |
 * | single_flow_cap     | –                                                | one flow, at its cap                        |
 * | ena_express         | –                                                | it was asked for, and did not carry packets |
 * | published_bandwidth | –                                                | the receiver is published to sustain this   |
 * | outage              | –                                                | hardly any traffic arrived (kind `outage`)  |
 *
 * If no cause of a drop is shown, the cause is `not_known`. If no cause of a level is shown, there is none, because
 * nothing is known to have limited it. The doc comments of the modules say what rules each cause out.
 */
import { classifyCycles, classifySeries } from '../detection/index';
import { DEEPEST_THROTTLED_RATIO } from '../detection/observe';
import type { SeriesShape } from '../detection/series-shape';
import { mapInterval } from '../maths/interval';
import type { Cause, Verdict, VerdictKind } from '../model/verdict';
import { connectionTracking, fragmentRate, growthAroundDrop, packetRate } from './causes/allowances';
import { enaExpress, pathLimit, publishedBandwidth, singleFlowCap, toolTarget } from './causes/caps';
import type { CauseModule, Diagnosis, EarlierFindings, Finding, Subject } from './causes/cause';
import { cpu, cpuCredits, findWithheldCpu } from './causes/cpu';
import { findOwner, networkCredits } from './causes/network-credits';
import { causeOfOutage, findOutages, packetLoss } from './causes/packet-loss';
import { measuredSeconds, underLoad, withPauses } from './duty-cycle';
import type { TimeSpan } from '../series/rate-series';
import { isSustained, type ThroughputEvidence } from './evidence';
import { explain } from './explanation';
import { censoredBucket, creditFigures, estimateThrottle, type ThrottleModel } from './throttle-model';
import { collectWitnesses, fuseConfidence } from './witnesses';

/** The first module in this order that shows its cause decides. */
const MODULES: readonly CauseModule[] = [
  toolTarget,
  networkCredits,
  fragmentRate,
  packetRate,
  connectionTracking,
  cpuCredits,
  singleFlowCap,
  enaExpress,
  cpu,
  publishedBandwidth,
  packetLoss,
  pathLimit,
];

/** A short series that scatters less than this shows one level. */
const QUIET = 0.05;
const BUCKET_OF = { sender: 'outbound', receiver: 'inbound' } as const;

export function judgeThroughput(measured: ThroughputEvidence): Verdict {
  const { dutyCycle } = measured;
  if (dutyCycle) {
    const evidence = underLoad(measured, dutyCycle);
    return judgeShape(withPauses(classifyCycles(evidence.series, dutyCycle), dutyCycle), evidence);
  }
  const shape = classifySeries(measured.series);
  const doubted = shape.throttle ? null : explainedDoubt(measured);
  return doubted ? verdictOf(doubted) : judgeShape(shape, measured);
}

/** @param evidence of the same series; for a duty cycle, on a time axis that omits the pauses */
export function judgeShape(shape: SeriesShape, evidence: ThroughputEvidence): Verdict {
  return verdictOf(diagnosed(shape, evidence));
}

/** Accepts a drop that few or scattered samples leave in doubt if other evidence shows why the rate dropped. */
function explainedDoubt(evidence: ThroughputEvidence): Diagnosed | null {
  const { allowance, retransmits, sender, receiver } = evidence;
  if ([allowance, retransmits, sender, receiver].every((each) => each === undefined)) return null;
  const shape = classifySeries(evidence.series, { believesDoubted: true });
  const doubted = shape.throttle && diagnosed(shape, evidence);
  return doubted?.diagnosis.finding ? doubted : null;
}

interface Diagnosed {
  readonly subject: Subject;
  readonly levels: ThrottleModel | null;
  readonly outages: readonly TimeSpan[];
  readonly diagnosis: Diagnosis;
}

function diagnosed(shape: SeriesShape, evidence: ThroughputEvidence): Diagnosed {
  const levels = estimateThrottle(shape, evidence.series);
  const subject: Subject = {
    shape,
    evidence,
    growth: growthAroundDrop(shape, evidence),
    withheldCpu: findWithheldCpu(shape, evidence),
    baseline: levels?.baseline ?? null,
  };
  const outages = findOutages(evidence);
  return { subject, levels, outages, diagnosis: diagnose(subject, outages) };
}

function diagnose(subject: Subject, outages: readonly TimeSpan[]): Diagnosis {
  const { shape, evidence } = subject;
  if (shape.throttle) return ofDrop(subject);
  if (outages.length > 0) {
    const found = causeOfOutage(outages, subject);
    return { cause: found.cause, finding: found, examined: [found] };
  }
  const fallen = withDropOfShift(shape);
  if (fallen) return ofDrop({ ...subject, shape: fallen, growth: growthAroundDrop(fallen, evidence) });
  return isLevelRate(shape) ? firstShown((module) => module.ofLevel?.(subject), null) : NOTHING_EXAMINED;
}

const NOTHING_EXAMINED: Diagnosis = { cause: null, finding: null, examined: [] };

function ofDrop(subject: Subject): Diagnosis {
  return firstShown((module, earlier) => module.ofDrop?.(subject, earlier), 'not_known');
}

function firstShown(
  examine: (module: CauseModule, earlier: EarlierFindings) => Finding | undefined,
  otherwise: Cause | null,
): Diagnosis {
  const found = new Map<Cause, Finding>();
  for (const module of MODULES) {
    const finding = examine(module, found);
    if (finding) found.set(module.cause, finding);
  }
  const [cause, finding] = [...found].find(([, { standing }]) => standing === 'shown') ?? [otherwise, null];
  const examined = [...found].map(([each, { standing, reason }]) => ({ cause: each, standing, reason }));
  return { cause, finding, examined };
}

/** Treats a shift as deep as a throttle's drop as a drop, to examine its cause; it shows no volume of a bucket. */
function withDropOfShift(shape: SeriesShape): SeriesShape | null {
  const [first, last] = [shape.segments[0], shape.segments.at(-1)];
  if (shape.kind !== 'shift' || !first || !last) return null;
  if (last.bitsPerSecond > DEEPEST_THROTTLED_RATIO * first.bitsPerSecond) return null;
  const { startSeconds: value } = last;
  const throttle = {
    onset: { value, low: value, high: value },
    burstBitsPerSecond: first.bitsPerSecond,
    baselineBitsPerSecond: last.bitsPerSecond,
    load: [],
    bucketBits: null,
    isRefilledAtRest: false,
  };
  return { ...shape, throttle };
}

/** Whether the series is one level. A short one may not last, but it can be compared with the published figures. */
function isLevelRate({ kind, segments, noise }: SeriesShape): boolean {
  if (kind === 'insufficient') return segments.length === 1 && (noise?.standardDeviation ?? Infinity) < QUIET;
  return kind === 'steady' || kind === 'noisy' || kind === 'dips';
}

function verdictOf({ subject, levels, outages, diagnosis }: Diagnosed): Verdict {
  const { shape, evidence } = subject;
  const { dutyCycle } = evidence;
  const hasOutage = shape.throttle === null && outages.length > 0;
  const isOfCredits = diagnosis.cause === 'network_credits';
  const owner = isOfCredits ? findOwner(subject) : null;
  // A rate that has changed for good, or that scatters because of losses, does not show that credits lasted.
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
    refillSecondsAtLeast: censored?.refillSeconds ?? null,
    ...creditFigures(isOfCredits ? levels : null),
    ...(censored && { holdTimes: censored.holdTimes }),
    ifNetworkCredits: mayBeCredits(diagnosis) ? creditFigures(levels) : null,
    throttledBy,
    throttledBucket: throttledBy && BUCKET_OF[throttledBy],
    confidence: fuseConfidence(shape, kind, witnesses, evidence.truncated),
    witnesses,
    explanation: explain({ subject, kind, diagnosis, censored, owner, witnesses, outages }),
  };
}

/**
 * What happened where there was no outage. The first row that applies decides.
 *
 * | series                                                                  | kind                   |
 * | ----------------------------------------------------------------------- | ---------------------- |
 * | too short to judge, but at one level, which both hosts are published to | `steady`               |
 * | sustain, or is at a limit that was found, or spends credits that lasted |                        |
 * | any other                                                               | the kind of the series |
 */
function kindOf({ shape, evidence }: Subject, { cause }: Diagnosis, isCensored: boolean): VerdictKind {
  if (shape.kind !== 'insufficient' || !isLevelRate(shape)) return shape.kind;
  return cause !== null || isCensored || isSustained(shape.typicalBitsPerSecond, evidence) ? 'steady' : shape.kind;
}

/** Whether a drop of unknown cause may be one of network credits. */
function mayBeCredits({ cause, examined }: Diagnosis): boolean {
  const credits = examined.find((each) => each.cause === 'network_credits');
  return cause === 'not_known' && (credits?.standing === 'possible' || credits?.standing === 'not_read');
}
