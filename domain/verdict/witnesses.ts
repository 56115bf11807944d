/** Each witness looks at one kind of evidence and says whether it supports what the series shows. */
import type { SeriesShape, Throttle } from '../detection/series-shape';
import type { Witness } from '../model/verdict';
import type { ThroughputEvidence } from './evidence';
import { isSaturated, type Limit } from './limits';
import { formatRate, formatSeconds } from '../text/format';
import { creditBaselines, ENDS, isNear, lowestLimit, publishedLimits, type PublishedLimit } from './published-limits';

export function witnessSeries(shape: SeriesShape): Witness {
  return { name: 'series', agrees: shape.seriesClass === 'insufficient' ? null : true, detail: describeShape(shape) };
}

function describeShape(shape: SeriesShape): string {
  const count = `${shape.sampleCount} samples`;
  if (shape.seriesClass === 'insufficient') return `${count} are too few to tell`;
  const noise = shape.noise ? `, scatter ${(100 * shape.noise.standardDeviation).toFixed(1)} %` : '';
  if (!shape.throttle) return `${count}${noise}: ${shape.seriesClass}`;
  const { low, high } = shape.throttle.onset;
  const interval = `${formatSeconds(low)} to ${formatSeconds(high)}`;
  return `${count}${noise}: ${shape.seriesClass}, onset within ${interval}`;
}

/** Does the level after the fall (or the level of all samples) match what is published for either end? */
export function witnessPublished(shape: SeriesShape, evidence: ThroughputEvidence): Witness {
  const name = 'published_bandwidth';
  const lowest = lowestLimit(publishedLimits(evidence, 'baselineBitsPerSecond'));
  if (!lowest) return { name, agrees: null, detail: 'no baseline is published for these types' };
  if (shape.throttle) {
    return { name, ...ofFall(shape.throttle, evidence, lowest) };
  }
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

function ofFall(
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
  const unpublished = ENDS.find((end) => evidence[end]?.baselineBitsPerSecond === undefined);
  // The end without a published figure may be the one that throttles.
  if (unpublished !== undefined) {
    const detail = `${describeBaseline(lowest)}, ${measured}; none is published for the ${unpublished}`;
    return { agrees: null, detail };
  }
  const sustained = `${describeBaseline(lowest)} is sustained: no credits to run out`;
  return { agrees: false, detail: credited.length === 0 ? sustained : `${describeBaseline(lowest)}, ${measured}` };
}

/**
 * More retransmits after the onset agree with a throttle, because a shaper with a shallow queue drops packets. Fewer
 * retransmits are neutral, because a shaper with a deep queue drops none.
 */
export function witnessRetransmits(shape: SeriesShape, evidence: ThroughputEvidence): Witness {
  const name = 'retransmits';
  const samples = evidence.retransmits ?? [];
  if (samples.length === 0) return { name, agrees: null, detail: 'not reported' };
  const mean = (from: number, to: number) => {
    const part = samples.filter((sample) => sample.startSeconds >= from && sample.startSeconds < to);
    return part.length === 0 ? null : part.reduce((sum, sample) => sum + sample.retransmits, 0) / part.length;
  };
  const inWords = (perSecond: number | null) => (perSecond === null ? 'unknown' : `${perSecond.toFixed(1)} per second`);
  const onset = shape.throttle?.onset.value;
  if (onset === undefined) return { name, agrees: null, detail: inWords(mean(-Infinity, Infinity)) };
  const [before, after] = [mean(-Infinity, onset), mean(onset, Infinity)];
  const hasGrown = before !== null && after !== null && after >= Math.max(1, 2 * before);
  return { name, agrees: hasGrown || null, detail: `${inWords(before)} before the onset, ${inWords(after)} after` };
}

/** The CPU of both ends. A core that is busy at the throttled rate as well may itself be what fell. */
export function witnessCpu(shape: SeriesShape, evidence: ThroughputEvidence, limit: Limit | null): Witness {
  const name = 'cpu';
  if (limit?.kind === 'cpu_bound') return limit.witness;
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
  const onCredits = ENDS.find((end) => evidence[end]?.isBurstableCpu);
  // CPU credits that run out look the same in the series.
  return { name, agrees: null, detail: onCredits ? `${detail}; the ${onCredits} runs on CPU credits as well` : detail };
}

/** A burst at one flow's cap is the flow's and not the bucket's: that is worth knowing, and contradicts nothing. */
export function witnessFlowCap(burstCap: Limit): Witness {
  return {
    name: 'flow_cap',
    agrees: null,
    detail: `${burstCap.reason}: several flows may burst faster, and not as long`,
  };
}
