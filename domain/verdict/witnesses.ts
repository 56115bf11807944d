/** Each witness judges one kind of evidence: whether it supports what the series shows. */
import type { SeriesShape, Throttle } from '../detection/series-shape';
import { mean } from '../maths/statistics';
import type { Witness } from '../model/verdict';
import { mayLackCpuCredits } from './cpu-credits';
import type { ThroughputEvidence } from './evidence';
import { isSaturated, type Limit } from './limits';
import { formatRate, formatSeconds } from '../text/format';
import { creditBaselines, ENDS, isNear, lowestLimit, publishedLimits, type PublishedLimit } from './published-limits';

export function witnessSeries(shape: SeriesShape): Witness {
  return { name: 'series', agrees: shape.seriesClass === 'insufficient' ? null : true, detail: describeShape(shape) };
}

function describeShape(shape: SeriesShape): string {
  const count = `${shape.sampleCount} samples`;
  if (shape.lowEndSampleCount !== undefined) return `${count}, too few of them low at the ends of runs to tell`;
  if (shape.seriesClass === 'insufficient') return `${count} are too few to tell`;
  const noise = shape.noise ? `, scatter ${(100 * shape.noise.standardDeviation).toFixed(1)} %` : '';
  if (!shape.throttle) return `${count}${noise}: ${shape.seriesClass}`;
  const { low, high } = shape.throttle.onset;
  const interval = `${formatSeconds(low)} to ${formatSeconds(high)}`;
  return `${count}${noise}: ${shape.seriesClass}, onset within ${interval}`;
}

/** Whether the level after the fall, or the level of all samples, matches what is published for either end. */
export function witnessPublished(shape: SeriesShape, evidence: ThroughputEvidence): Witness {
  const name = 'published_bandwidth';
  const lowest = lowestLimit(publishedLimits(evidence, 'baselineBitsPerSecond'));
  if (!lowest) return { name, agrees: null, detail: 'no baseline is published for these types' };
  if (shape.throttle) return { name, ...publishedForFall(shape.throttle, evidence, lowest) };
  if (shape.typicalBitsPerSecond === null || shape.segments.length === 0) {
    return { name, agrees: null, detail: describeBaseline(lowest) };
  }
  const measured = `measured ${formatRate(shape.typicalBitsPerSecond)}`;
  const isAbove = shape.typicalBitsPerSecond > 1.1 * lowest.bitsPerSecond && creditBaselines(evidence).length > 0;
  return { name, agrees: isAbove ? null : true, detail: `${describeBaseline(lowest)}, ${measured}` };
}

function describeBaseline({ side, instanceType, bitsPerSecond }: PublishedLimit): string {
  return `published baseline of the ${side} (${instanceType}) ${formatRate(bitsPerSecond)}`;
}

function publishedForFall(
  { burstBitsPerSecond: burst, baselineBitsPerSecond: baseline }: Throttle,
  evidence: ThroughputEvidence,
  lowest: PublishedLimit,
): Omit<Witness, 'name'> {
  const measured = `measured ${formatRate(baseline)}`;
  const peak = lowestLimit(publishedLimits(evidence, 'peakBitsPerSecond'));
  if (peak && burst > 1.1 * peak.bitsPerSecond) {
    const published = `published peak of the ${peak.side} (${peak.instanceType}) ${formatRate(peak.bitsPerSecond)}`;
    return { agrees: false, detail: `${published}, burst ${formatRate(burst)}` };
  }
  const credited = creditBaselines(evidence);
  const match = credited.find((limit) => isNear(baseline, limit.bitsPerSecond));
  if (match) return { agrees: true, detail: `${describeBaseline(match)}, ${measured}` };
  const detail = `${describeBaseline(lowest)}, ${measured}`;
  const unpublished = ENDS.find((end) => evidence[end]?.baselineBitsPerSecond === undefined);
  // The end without a published figure may be the one that throttles.
  if (unpublished !== undefined) return { agrees: null, detail: `${detail}; none is published for the ${unpublished}` };
  const sustained = `${describeBaseline(lowest)} is sustained: no credits to run out`;
  return { agrees: false, detail: credited.length === 0 ? sustained : detail };
}

/** More retransmits agree with a throttle: a shallow queue drops packets. Fewer are neutral: a deep one drops none. */
export function witnessRetransmits(shape: SeriesShape, evidence: ThroughputEvidence): Witness {
  const name = 'retransmits';
  const samples = evidence.retransmits ?? [];
  if (samples.length === 0) return { name, agrees: null, detail: 'not reported' };
  const meanWithin = (from: number, to: number) => {
    const part = samples.filter(({ startSeconds }) => startSeconds >= from && startSeconds < to);
    return part.length === 0 ? null : mean(part.map(({ retransmits }) => retransmits));
  };
  const inWords = (perSecond: number | null) => (perSecond === null ? 'unknown' : `${perSecond.toFixed(1)} per second`);
  const onset = shape.throttle?.onset.value;
  if (onset === undefined) return { name, agrees: null, detail: inWords(meanWithin(-Infinity, Infinity)) };
  const [before, after] = [meanWithin(-Infinity, onset), meanWithin(onset, Infinity)];
  const hasGrown = before !== null && after !== null && after >= Math.max(1, 2 * before);
  return { name, agrees: hasGrown || null, detail: `${inWords(before)} before the onset, ${inWords(after)} after` };
}

/** Whether a host was out of CPU. Where it still is at the throttled rate, the CPU itself may be what slowed down. */
export function witnessCpu(shape: SeriesShape, evidence: ThroughputEvidence, limit: Limit | null): Witness {
  const name = 'cpu';
  if (limit?.witness.name === name) return limit.witness;
  const parts = ENDS.flatMap((end) => {
    const percent = evidence.cpu?.[`${end}Percent`];
    return percent === undefined ? [] : [`${end} ${percent.toFixed(0)} %`];
  });
  if (parts.length === 0) return { name, agrees: null, detail: 'not reported' };
  const detail = `${parts.join(', ')} of a core`;
  if (!shape.throttle) return { name, agrees: null, detail };
  const saturated = ENDS.find((end) => isSaturated(end, evidence));
  if (saturated !== undefined) {
    return { name, agrees: false, detail: `${detail}: the ${saturated} had none left, at any rate` };
  }
  const onCredits = ENDS.find((end) => mayLackCpuCredits(end, evidence));
  // Running out of CPU credits looks the same in the series.
  return { name, agrees: null, detail: onCredits ? `${detail}; the ${onCredits} runs on CPU credits as well` : detail };
}

/** Where the cap of a single flow limits the burst, the bucket allows a faster one; that contradicts nothing. */
export function witnessFlowCap({ reason }: Limit): Witness {
  return { name: 'flow_cap', agrees: null, detail: `${reason}: several flows may burst faster, and not as long` };
}
