/**
 * Each witness judges one kind of evidence: whether it supports what the series shows. Its detail is a sentence that says
 * what was found and what follows from it; it also stands within the explanation, so it begins small and has no full stop.
 * Together they decide how sure a verdict is.
 */
import type { SeriesShape, Throttle } from '../detection/series-shape';
import { mean } from '../maths/statistics';
import type { VerdictKind, Witness } from '../model/verdict';
import { comparedRate, formatSeconds } from '../text/format';
import { endpointsThat, witnessAllowance, type GrowthAroundDrop } from './allowance-counters';
import type { Limit, Subject } from './causes/cause';
import { flowCap } from './causes/caps';
import { cpuInWords, isSaturated, mayLackCpuCredits, NO_CPU_USE } from './causes/cpu';
import { witnessContention } from './cpu-contention';
import type { Diagnosis } from './diagnosis';
import type { Endpoint, ThroughputEvidence } from './evidence';
import {
  creditBaselines,
  ENDPOINTS,
  isAtBaseline,
  lowestLimit,
  publishedInWords,
  publishedLimits,
  type PublishedLimit,
} from './published-limits';

/**
 * What every witness says of the verdict. Those that would speak for network credits or against them are neutral where
 * the cause of a drop is another one, which is a witness of its own.
 */
export function collectWitnesses(
  { shape, evidence, growth, withheldCpu }: Subject,
  { cause, finding }: Diagnosis,
  owner: BucketOwner | null,
): Witness[] {
  const burstCap = shape.throttle ? flowCap(shape.throttle.burstBitsPerSecond, evidence) : null;
  const others = [
    ...(withheldCpu ? [withheldCpu.witness] : []),
    ...(evidence.cpuContention === undefined ? [] : [witnessContention(evidence.cpuContention, shape.kind)]),
    witnessAllowance(shape, evidence, growth, cause),
    witnessPublished(shape, evidence),
    ...(owner ? [owner.witness] : []),
    ...(burstCap ? [witnessFlowCap(burstCap)] : []),
    witnessRetransmits(shape, evidence),
    witnessCpu(shape, evidence),
  ];
  const isOfOtherCause = shape.throttle !== null && cause !== 'network_credits';
  const heard = isOfOtherCause ? others.map((each) => ({ ...each, agrees: null })) : others;
  const own = ownWitness(cause, finding);
  return [witnessSeries(shape), ...heard.filter(({ name }) => name !== own?.name), ...(own ? [own] : [])];
}

/** The evidence that shows the cause; network credits have several witnesses, which are heard one by one. */
function ownWitness(cause: Diagnosis['cause'], finding: Diagnosis['finding']): Witness | null {
  if (cause === null || finding === null || cause === 'network_credits') return null;
  return { ...(finding.witness ?? { name: cause, detail: finding.reason }), agrees: true };
}

export function witnessSeries(shape: SeriesShape): Witness {
  return { name: 'series', agrees: shape.kind === 'insufficient' ? null : true, detail: describeShape(shape) };
}

/** What a rate of each class does. */
const COURSES: Readonly<Record<SeriesShape['kind'], string>> = {
  steady: 'stays at one level',
  dips: 'stays at one level apart from passing dips',
  noisy: 'scatters strongly around one level',
  ramp: 'changes gradually, as no throttle does',
  shift: 'changes its level, but not as a throttle does',
  drop: 'falls once and stays low',
  drops: 'falls in several steps',
  cycle: 'falls, and bursts again from time to time',
  insufficient: 'is not known to be steady',
};

function describeShape(shape: SeriesShape): string {
  const { sampleCount, lowEndSampleCount, lateDrop, kind, noise, throttle } = shape;
  const samples = sampleCount === 1 ? '1 sample' : `${sampleCount} samples`;
  if (lowEndSampleCount !== undefined) {
    return `of ${samples}, too few at the ends of the runs are low to tell whether credits ran out`;
  }
  if (lateDrop) return `${samples} end lower than they begin, and are too few to tell whether credits ran out`;
  if (kind === 'insufficient') return `${samples} are too few to tell a steady rate from one that will fall`;
  const scatter = noise ? `, scattered by ${(100 * noise.standardDeviation).toFixed(1)} %,` : '';
  const course = `${samples}${scatter} show a rate that ${COURSES[kind]}`;
  if (!throttle) return course;
  const { low, high } = throttle.onset;
  return `${course}, first between ${formatSeconds(low)} and ${formatSeconds(high)}`;
}

/** Whether the level after the drop, or the level of all samples, matches what is published for either end. */
function witnessPublished(shape: SeriesShape, evidence: ThroughputEvidence): Witness {
  const name = 'published_bandwidth';
  const lowest = lowestLimit(publishedLimits(evidence, 'baselineBitsPerSecond'));
  if (!lowest) return { name, agrees: null, detail: noBaselineInWords(evidence) };
  if (shape.throttle) return { name, ...publishedForDrop(shape.throttle, evidence, lowest) };
  if (shape.typicalBitsPerSecond === null || shape.segments.length === 0) {
    return {
      name,
      agrees: null,
      detail: `there is no level to compare with ${publishedInWords('baseline', lowest, evidence)}`,
    };
  }
  const measured = `the measured ${comparedRate(shape.typicalBitsPerSecond)}`;
  const isAbove = shape.typicalBitsPerSecond > 1.1 * lowest.bitsPerSecond && creditBaselines(evidence).length > 0;
  return isAbove
    ? {
        name,
        agrees: null,
        detail: `${measured} is above ${publishedInWords('baseline', lowest, evidence)}, so it spends credits`,
      }
    : {
        name,
        agrees: true,
        detail: `${measured} is compatible with ${publishedInWords('baseline', lowest, evidence)}`,
      };
}

function noBaselineInWords({ sender, receiver }: ThroughputEvidence): string {
  return sender === undefined && receiver === undefined
    ? 'no instance type is known whose published baseline could be compared with'
    : 'EC2 publishes no baseline for these types to compare with';
}

function publishedForDrop(
  { burstBitsPerSecond: burst, baselineBitsPerSecond: baseline }: Throttle,
  evidence: ThroughputEvidence,
  lowest: PublishedLimit,
): Omit<Witness, 'name'> {
  const measured = `the rate of ${comparedRate(baseline)} after the fall`;
  const peak = lowestLimit(publishedLimits(evidence, 'peakBitsPerSecond'));
  if (peak && burst > 1.1 * peak.bitsPerSecond) {
    const published = publishedInWords('peak', peak, evidence);
    return { agrees: false, detail: `the burst of ${comparedRate(burst)} is above ${published}` };
  }
  const credited = creditBaselines(evidence);
  const level = { value: baseline, low: baseline, high: baseline };
  const match = credited.find((limit) => isAtBaseline(level, limit.bitsPerSecond, evidence));
  if (match) return { agrees: true, detail: `${measured} is near ${publishedInWords('baseline', match, evidence)}` };
  const detail = `${measured} is not near ${publishedInWords('baseline', lowest, evidence)}`;
  const unpublished = ENDPOINTS.find((end) => evidence[end]?.baselineBitsPerSecond === undefined);
  // The end without a published figure may be the one that throttles.
  if (unpublished !== undefined) return { agrees: null, detail: `${detail}; none is published for the ${unpublished}` };
  const sustained = `${publishedInWords('baseline', lowest, evidence)} is also its peak, so it has no credits that could run out`;
  return { agrees: false, detail: credited.length === 0 ? sustained : detail };
}

/** Neutral: a throttle with a shallow queue makes TCP repeat segments, and so does any loss of packets. */
function witnessRetransmits(shape: SeriesShape, evidence: ThroughputEvidence): Witness {
  const name = 'retransmits';
  const samples = evidence.retransmits ?? [];
  if (samples.length === 0) return { name, agrees: null, detail: 'the tool reports no retransmits' };
  const meanWithin = (from: number, to: number) => {
    const part = samples.filter(({ startSeconds }) => startSeconds >= from && startSeconds < to);
    return part.length === 0 ? null : mean(part.map(({ retransmits }) => retransmits));
  };
  const inWords = (perSecond: number | null) =>
    perSecond === null ? 'an unknown number of segments' : `${perSecond.toFixed(1)} segments per second`;
  const onset = shape.throttle?.onset.value;
  if (onset === undefined) {
    const all = inWords(meanWithin(-Infinity, Infinity));
    return { name, agrees: null, detail: `the sender repeated ${all}, which does not show whether credits ran out` };
  }
  const [before, after] = [meanWithin(-Infinity, onset), meanWithin(onset, Infinity)];
  const detail = `the sender repeated ${inWords(before)} before the fall and ${inWords(after)} after it`;
  return { name, agrees: null, detail };
}

/** Whether a host was out of CPU. Where it still is at the throttled rate, the CPU itself may be what slowed down. */
function witnessCpu(shape: SeriesShape, evidence: ThroughputEvidence): Witness {
  const name = 'cpu';
  const detail = cpuInWords(evidence);
  if (detail === undefined) return { name, agrees: null, detail: NO_CPU_USE };
  if (!shape.throttle) return { name, agrees: null, detail };
  const saturated = ENDPOINTS.find((end) => isSaturated(end, evidence));
  if (saturated !== undefined) {
    return { name, agrees: false, detail: `${detail}: the ${saturated} had none left even at the lower rate` };
  }
  const onCredits = ENDPOINTS.find((end) => mayLackCpuCredits(end, evidence));
  // Running out of CPU credits looks the same in the series.
  return { name, agrees: null, detail: onCredits ? `${detail}; the ${onCredits} runs on CPU credits as well` : detail };
}

/** Where the cap of a single flow limits the burst, the bucket allows a faster one; that contradicts nothing. */
function witnessFlowCap({ reason }: Limit): Witness {
  return { name: 'flow_cap', agrees: null, detail: `${reason}: several flows may burst faster, and not as long` };
}

/** Whose credits ran out: the sender has a bucket for what goes out, and the receiver one for what comes in. */
export interface BucketOwner {
  /** null where the evidence does not show whose bucket it was, or contradicts itself. */
  readonly end: Endpoint | null;
  readonly witness: Witness;
}

/**
 * The owner is the only end whose published baseline is the measured one and whose counters began to grow at the drop.
 * Counters decide alone where no baseline matches, and baselines where no counter began to grow, less the silent ends.
 */
export function findOwner({ shape, evidence, growth, baseline }: Subject): BucketOwner | null {
  if (!shape.throttle || !baseline) return null;
  const begins = endpointsThat('begins', growth.bandwidth);
  const silent = endpointsThat('silent', growth.bandwidth);
  const published = creditBaselines(evidence)
    .filter(({ bitsPerSecond }) => isAtBaseline(baseline, bitsPerSecond, evidence))
    .map(({ side }) => side);
  const [[counted], [matching]] = [begins, published];
  if (counted === undefined) {
    const left = published.filter((end) => !silent.includes(end));
    const busiest = left.length > 1 ? busiestEndpoint(growth.bandwidth) : undefined;
    if (busiest !== undefined) return ownerOf([busiest], null, `${BASELINE}, and its counters grew far more`, evidence);
    const source =
      left.length < published.length ? `${BASELINE}, and the counters of the other end stayed silent` : BASELINE;
    return ownerOf(left, null, source, evidence);
  }
  if (matching === undefined)
    return ownerOf(begins, null, 'because its counters began to grow with the fall', evidence);
  const both = begins.filter((end) => published.includes(end));
  const isOnlyOne = begins.length === 1 && published.length === 1;
  if (both.length > 0) return ownerOf(both, isOnlyOne || null, COUNTERS_AND_BASELINE, evidence);
  const detail = `the counters name the ${counted}, and the measured baseline is the one published for the ${matching}`;
  return { end: null, witness: { name: 'peer_bucket', agrees: false, detail } };
}

const BASELINE = 'because the measured baseline is its published one';

/** An end that shapes holds back nearly every packet, and the other end only those of a burst now and then. */
const FAR_MORE = 10;

/** The end whose counter grew far more after the drop than that of the other one; undefined where neither did. */
function busiestEndpoint(read: readonly GrowthAroundDrop[]): Endpoint | undefined {
  const [most, least] = read.toSorted((one, other) => other.after - one.after);
  return most && least && most.after > 0 && most.after >= FAR_MORE * least.after ? most.end : undefined;
}

const COUNTERS_AND_BASELINE =
  'because its counters began to grow with the fall, and the measured baseline is its published one';

function ownerOf(
  ends: readonly Endpoint[],
  agrees: boolean | null,
  reason: string,
  evidence: ThroughputEvidence,
): BucketOwner {
  const [end] = ends;
  if (end === undefined || ends.length > 1) {
    const detail =
      end === undefined
        ? 'neither counters nor published baselines say whose credits ran out'
        : 'the credits of either end would explain the fall, so neither is named';
    return { end: null, witness: { name: 'peer_bucket', agrees: null, detail } };
  }
  const type = evidence[end]?.instanceType;
  const whose = type === undefined ? `the ${end}'s credits` : `the ${end}'s (${type}) credits`;
  return { end, witness: { name: 'peer_bucket', agrees, detail: `${whose} ran out, ${reason}` } };
}

const HIGHEST_CONFIDENCE = 0.99;
/** Of a kind that the published figures give to a series that is too short to judge. */
const SHORT_CONFIDENCE = 0.6;
/** The share of the doubt that agreement leaves, where not a half: these witnesses are derived or prove little. */
const WEAK_WITNESSES: Readonly<Record<string, number>> = { peer_bucket: 1 };
/** The share of the confidence that a contradiction leaves. */
const CONTRADICTED = 2 / 3;
const TRUNCATED = 0.9;

/**
 * Agreement halves the doubt that is left; a contradiction takes a third off the confidence.
 *
 * @returns null for `insufficient`, which claims nothing
 */
export function fuseConfidence(
  shape: SeriesShape,
  kind: VerdictKind,
  witnesses: readonly Witness[],
  isTruncated: boolean,
): number | null {
  if (kind === 'insufficient') return null;
  let confidence = shape.confidence ?? SHORT_CONFIDENCE;
  const heard = witnesses.filter((witness) => witness.name !== 'series' && witness.agrees !== null);
  // Agreement counts first, so that the order of the witnesses makes no difference.
  for (const { name } of heard.filter(({ agrees }) => agrees)) {
    confidence = 1 - (1 - confidence) * (WEAK_WITNESSES[name] ?? 0.5);
  }
  confidence *= CONTRADICTED ** heard.filter(({ agrees }) => agrees === false).length;
  if (isTruncated) confidence *= TRUNCATED;
  return Math.round(100 * Math.min(HIGHEST_CONFIDENCE, confidence)) / 100;
}
