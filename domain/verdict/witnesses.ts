/**
 * Each witness says whether one kind of evidence supports what the series shows, and together they decide how sure a
 * verdict is. A witness's detail also stands within the explanation, so it begins in lower case and has no full stop.
 */
import { DEEPEST_THROTTLED_RATIO } from '../detection/observe';
import type { SeriesShape, Throttle } from '../detection/series-shape';
import { mean, median, sum } from '../maths/statistics';
import type { VerdictKind, Witness, WitnessName } from '../model/verdict';
import type { RateInterval } from '../series/rate-series';
import { comparedRate, formatRate, formatSeconds } from '../text/format';
import { growingShare, growthOf, SHAPED_SHARE } from './causes/allowances';
import { flowCap } from './causes/caps';
import type { Behaviour, Diagnosis, GrowthAroundDrop, Subject } from './causes/cause';
import { cpuInWords, isSaturated, mayLackCpuCredits, NO_CPU_USE, witnessContention } from './causes/cpu';
import type { BucketOwner } from './causes/network-credits';
import {
  canHaveCredits,
  creditBaselines,
  ENDPOINTS,
  isAtBaseline,
  lowestLimit,
  publishedInWords,
  publishedLimits,
  unpublishedEndpoint,
  type PublishedLimit,
  type ThroughputEvidence,
} from './evidence';

/** The detail of a witness, and whether it agrees with the verdict; null if it speaks neither for nor against it. */
type Statement = Omit<Witness, 'name'>;

const neutral = (detail: string): Statement => ({ agrees: null, detail });
const witness = (name: WitnessName, statement: Statement): Witness => ({ name, ...statement });

/**
 * Collects the witnesses of a verdict. If a drop has another cause than network credits, the witnesses for and against
 * credits become neutral, and the finding of that cause is a witness of its own.
 */
export function collectWitnesses(subject: Subject, diagnosis: Diagnosis, owner: BucketOwner | null): Witness[] {
  const { shape, evidence, withheldCpu } = subject;
  const { cause, finding } = diagnosis;
  // If the cap of a single flow limits the burst, the bucket would allow a faster one, which contradicts nothing.
  const burstCap = shape.throttle ? flowCap(shape.throttle.burstBitsPerSecond, evidence) : null;
  const others = [
    ...(withheldCpu ? [withheldCpu.witness] : []),
    ...(evidence.cpuContention === undefined ? [] : [witnessContention(evidence.cpuContention, shape.kind)]),
    witness('ena_allowance_counters', ofCounters(subject, cause)),
    witness('published_bandwidth', ofPublished(shape, evidence)),
    ...(owner ? [owner.witness] : []),
    ...(burstCap
      ? [witness('flow_cap', neutral(`${burstCap.reason}: several flows may burst faster, but for less time`))]
      : []),
    witness('retransmits', neutral(retransmitsInWords(shape, evidence))),
    witness('cpu', ofCpu(shape, evidence)),
  ];
  const isOfOtherCause = shape.throttle !== null && cause !== 'network_credits';
  const heard = isOfOtherCause ? others.map((each) => ({ ...each, agrees: null })) : others;
  // Network credits have no witness of their own, because several others speak for them.
  const own =
    cause === null || finding === null || cause === 'network_credits'
      ? []
      : [{ ...(finding.witness ?? { name: cause, detail: finding.reason }), agrees: true }];
  return [witnessSeries(shape), ...heard.filter(({ name }) => name !== own[0]?.name), ...own];
}

export function witnessSeries(shape: SeriesShape): Witness {
  return { name: 'series', agrees: shape.kind === 'insufficient' ? null : true, detail: describeShape(shape) };
}

/** How the rate of each kind of series behaves. */
const COURSES: Readonly<Record<SeriesShape['kind'], string>> = {
  steady: 'stays at one level',
  dips: 'stays at one level apart from passing dips',
  noisy: 'scatters strongly around one level',
  ramp: 'changes gradually, which a throttle does not',
  shift: 'changes its level, but not the way a throttle does',
  drop: 'falls once and stays low',
  drops: 'falls in several steps',
  cycle: 'falls, and bursts again from time to time',
  insufficient: 'is not known to be steady',
};

function describeShape(shape: SeriesShape): string {
  const { sampleCount, lowEndSampleCount, lateDrop, kind, noise, throttle } = shape;
  const samples = samplesInWords(sampleCount);
  if (lowEndSampleCount !== undefined) {
    return `too few of ${samples} are low at the end of an on-phase to tell whether credits ran out`;
  }
  if (lateDrop)
    return `${samples} show a rate that is lower at the end than at the start, but are too few to tell whether credits ran out`;
  if (kind === 'insufficient') return `${samples} are too few to tell a steady rate from one that will fall`;
  const scatter = noise ? `, scattered by ${(100 * noise.standardDeviation).toFixed(1)} %,` : '';
  const course = `${samples}${scatter} show a rate that ${COURSES[kind]}`;
  if (!throttle) return course;
  const { low, high } = throttle.onset;
  return `${course}; the ${kind === 'drop' ? '' : 'first '}fall is between ${formatSeconds(low)} and ${formatSeconds(high)}`;
}

function samplesInWords(count: number): string {
  return count === 1 ? '1 sample' : `${count} samples`;
}

/** Whether the level after the drop, or the level of all samples, matches what is published for either host. */
function ofPublished(shape: SeriesShape, evidence: ThroughputEvidence): Statement {
  const lowest = lowestLimit(publishedLimits(evidence, 'baselineBitsPerSecond'));
  if (!lowest) {
    return neutral(
      (evidence.sender ?? evidence.receiver) === undefined
        ? 'the instance types are not known, so there is no published baseline to compare with'
        : 'EC2 publishes no baseline for these types, so there is none to compare with',
    );
  }
  if (shape.throttle) return ofPublishedForDrop(shape.throttle, evidence, lowest);
  const published = publishedInWords('baseline', lowest, evidence);
  if (shape.typicalBitsPerSecond === null || shape.segments.length === 0) {
    return neutral(`the series shows no level to compare with ${published}`);
  }
  const measured = `the measured ${comparedRate(shape.typicalBitsPerSecond)}`;
  const isAbove = shape.typicalBitsPerSecond > 1.1 * lowest.bitsPerSecond && creditBaselines(evidence).length > 0;
  return isAbove
    ? neutral(`${measured} is above ${published}, so it spends credits`)
    : { agrees: true, detail: `${measured} is compatible with ${published}` };
}

function ofPublishedForDrop(
  { burstBitsPerSecond: burst, baselineBitsPerSecond: baseline }: Throttle,
  evidence: ThroughputEvidence,
  lowest: PublishedLimit,
): Statement {
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
  const published = publishedInWords('baseline', lowest, evidence);
  const detail = `${measured} is not near ${published}`;
  const unpublished = unpublishedEndpoint(evidence);
  // The host without a published figure may be the one that throttles.
  if (unpublished !== undefined) return neutral(`${detail}; EC2 publishes no baseline for the ${unpublished}`);
  const sustained = `${published} is also the host's peak, so the host has no credits that could run out`;
  return { agrees: false, detail: credited.length === 0 ? sustained : detail };
}

/** Always a neutral detail, because any packet loss makes TCP retransmit, as does a throttle with a shallow queue. */
function retransmitsInWords({ throttle }: SeriesShape, { retransmits = [] }: ThroughputEvidence): string {
  if (retransmits.length === 0) return 'the tool reports no retransmits';
  const within = (from: number, to: number) => {
    const part = retransmits.filter(({ startSeconds }) => startSeconds >= from && startSeconds < to);
    return part.length === 0
      ? 'an unknown number of segments'
      : `${mean(part.map((each) => each.retransmits)).toFixed(1)} segments per second`;
  };
  const onset = throttle?.onset.value;
  return onset === undefined
    ? `the sender retransmitted ${within(-Infinity, Infinity)}, which does not show whether credits ran out`
    : `the sender retransmitted ${within(-Infinity, onset)} before the fall and ${within(onset, Infinity)} after it`;
}

/** Whether a host had no CPU left. If it has none at the lower rate either, the CPU itself may have slowed down. */
function ofCpu(shape: SeriesShape, evidence: ThroughputEvidence): Statement {
  const detail = cpuInWords(evidence);
  if (detail === undefined || !shape.throttle) return neutral(detail ?? NO_CPU_USE);
  const saturated = ENDPOINTS.find((end) => isSaturated(end, evidence));
  if (saturated !== undefined) {
    return { agrees: false, detail: `${detail}, so the ${saturated} had no CPU left even at the lower rate` };
  }
  const onCredits = ENDPOINTS.find((end) => mayLackCpuCredits(end, evidence));
  // A host that runs out of CPU credits causes the same series.
  return neutral(onCredits ? `${detail}; the ${onCredits} also runs on CPU credits` : detail);
}

/** A lower rate in fewer samples may be a burst that was shaped for a moment. */
const FEWEST_SHAPED_SAMPLES = 3;

const NOTES: Readonly<Record<Behaviour, string>> = {
  begins: ', so the network began to limit the rate there',
  silent: ', so the bandwidth allowance of that host did not limit the rate',
  throughout: ', so this may have begun before the fall',
  sporadic: ', but only now and then',
};

/** Whether the sender's outbound or the receiver's inbound counter begins to grow when the rate drops. */
function ofCounters({ shape, evidence, growth }: Subject, limit: Diagnosis['cause']): Statement {
  if (ENDPOINTS.every((end) => growthOf(evidence, end).length === 0)) {
    return neutral("the network card's allowance counters were not read");
  }
  return shape.throttle ? ofCountersAroundDrop(growth.bandwidth, evidence) : ofCountersOfLevel(shape, evidence, limit);
}

function ofCountersAroundDrop(found: readonly GrowthAroundDrop[], evidence: ThroughputEvidence): Statement {
  const [first, second] = found;
  if (first === undefined) return neutral("the network card's allowance counters were not read after the fall");
  const detail = found
    .map((each) => `because of its bandwidth allowance, the ${each.end} queued or dropped ${aroundInWords(each)}`)
    .join('; ');
  if (found.some(({ behaviour }) => behaviour === 'begins')) return { agrees: true, detail };
  if (found.some(({ behaviour }) => behaviour !== 'silent')) return neutral(detail);
  const silent = 'no packet was queued or dropped because of a bandwidth allowance after the fall';
  const unread = ENDPOINTS.find((end) => end !== first.end && canHaveCredits(evidence[end]));
  // The host whose counters were not read may be the one that shapes.
  return second === undefined && unread !== undefined
    ? neutral(`${silent} at the ${first.end}; the counters of the ${unread} were not read`)
    : { agrees: false, detail: `${silent}, ${insteadOfBandwidth(evidence)}` };
}

/** For example `0.0 packets per second before the fall and 812.0 after it, so the network began to limit …`. */
function aroundInWords({ before, after, behaviour }: GrowthAroundDrop): string {
  const earlier = before?.toFixed(1) ?? 'an unknown number of';
  return `${earlier} packets per second before the fall and ${after.toFixed(1)} after it${NOTES[behaviour]}`;
}

/** The conclusion if no bandwidth counter grew; the packet-rate allowance may have limited the rate without a drop. */
function insteadOfBandwidth(evidence: ThroughputEvidence): string {
  const held = ENDPOINTS.flatMap((end) => {
    const packets = sum(growthOf(evidence, end, 'packetRate').map((each) => each.packets));
    return packets === 0 ? [] : [`${packets} packets at the ${end}`];
  });
  return held.length === 0
    ? 'so no bandwidth allowance limited the rate'
    : `but the packet-rate allowance held back ${held.join(' and ')}, so it may have limited the rate`;
}

function ofCountersOfLevel(shape: SeriesShape, evidence: ThroughputEvidence, limit: Diagnosis['cause']): Statement {
  if (shape.segments.length === 0)
    return neutral('the series is too short for a comparison with the allowance counters');
  const growths = ENDPOINTS.map((end) => ({ end, growth: growthOf(evidence, end) }));
  const growing = growths.flatMap(({ growth }) => growth.filter(({ packets }) => packets > 0));
  const total = sum(growing.map(({ packets }) => packets));
  if (total === 0) {
    return {
      agrees: true,
      detail: `no packet was queued or dropped because of a bandwidth allowance, ${insteadOfBandwidth(evidence)}`,
    };
  }
  const packets = `${total} packets were queued or dropped because of a bandwidth allowance`;
  const shapedEnds = growths.filter(({ growth }) => growingShare(growth) >= SHAPED_SHARE).map(({ end }) => end);
  if (limit === 'published_bandwidth' && shapedEnds.includes('receiver')) {
    return { agrees: true, detail: `${packets} inbound at the receiver, while the rate stayed the same` };
  }
  const lower = lowerRateWhileShaped(
    evidence.series,
    growing.map(({ startSeconds }) => startSeconds),
  );
  if (lower) {
    const { sampleCount, bitsPerSecond, otherBitsPerSecond } = lower;
    const then = `in ${samplesInWords(sampleCount)}, whose rate was ${formatRate(bitsPerSecond)} instead of ${formatRate(otherBitsPerSecond)}`;
    return { agrees: sampleCount >= FEWEST_SHAPED_SAMPLES ? false : null, detail: `${packets} ${then}` };
  }
  const detail = shape.kind === 'steady' ? `${packets}, while the rate stayed the same` : packets;
  // Shaping at the maximum rate queues packets as well, so growth alone does not prove that credits ran out.
  return limit === 'cpu' && shapedEnds.length > 0
    ? { agrees: false, detail: `${detail}, so the network limited the rate as well` }
    : neutral(detail);
}

/** Assumed differences between the hosts' clocks, no difference first. */
const CLOCK_SHIFTS_SECONDS = [0, 1, -1, 2, -2];

/** Fewer samples without growth may be the edges of a recording, where the counters were not read. */
const FEWEST_OTHERS = 3;

/**
 * Whether the rate was lower in the seconds in which the allowance counters grew.
 *
 * @param growthSeconds the starts of the seconds in which a counter grew
 * @returns null if the rate was not lower then, or there are too few other seconds to compare with
 */
function lowerRateWhileShaped(series: readonly RateInterval[], growthSeconds: readonly number[]) {
  for (const shift of CLOCK_SHIFTS_SECONDS) {
    const shaped = new Set(growthSeconds.map((seconds) => Math.round(seconds + shift)));
    const rates: number[] = [];
    const others: number[] = [];
    for (const { startSeconds, lengthSeconds, bitsPerSecond } of series) {
      const first = Math.round(startSeconds);
      const seconds = Math.max(1, Math.round(startSeconds + lengthSeconds) - first);
      const isShaped = Array.from({ length: seconds }, (_, index) => first + index).some((each) => shaped.has(each));
      (isShaped ? rates : others).push(bitsPerSecond);
    }
    const [bitsPerSecond, otherBitsPerSecond] = [median(rates), median(others)];
    const isLower = bitsPerSecond <= DEEPEST_THROTTLED_RATIO * otherBitsPerSecond;
    if (others.length >= FEWEST_OTHERS && isLower) {
      return { sampleCount: rates.length, bitsPerSecond, otherBitsPerSecond };
    }
  }
  return null;
}

const HIGHEST_CONFIDENCE = 0.99;
/** For a series that is too short to judge by itself but is called steady because of other evidence. */
const SHORT_CONFIDENCE = 0.6;
/** Factors of the confidence, for each contradiction and for a measurement that ended early. */
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
  // Agreement is counted first, so that the order of the witnesses makes no difference. That of `peer_bucket` does not
  // count, because it follows from other witnesses.
  for (const { name, agrees } of heard) if (agrees && name !== 'peer_bucket') confidence = 1 - (1 - confidence) / 2;
  confidence *= CONTRADICTED ** heard.filter(({ agrees }) => agrees === false).length;
  if (isTruncated) confidence *= TRUNCATED;
  return Math.round(100 * Math.min(HIGHEST_CONFIDENCE, confidence)) / 100;
}
