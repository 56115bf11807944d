/** Each witness looks at one kind of evidence and says whether it supports what the series shows. */
import type { SeriesShape } from '../changepoint/index';
import type { HostRole } from '../workflow/object-keys';
import type { Witness } from '../measurement/measurement';
import type { ThroughputEvidence } from './evidence';
import { formatRate, formatSeconds } from './phrases';
import { creditBaselines, isNear, lowestLimit, publishedLimits } from './published-limits';

/** Counters are read once a second, on a host whose clock is not the tool's. */
const CLOCK_SLACK_SECONDS = 2;

export function witnessSeries(shape: SeriesShape): Witness {
  return { name: 'series', agrees: shape.seriesClass === 'insufficient' ? null : true, detail: describeShape(shape) };
}

function describeShape(shape: SeriesShape): string {
  const count = `${shape.sampleCount} samples`;
  if (shape.seriesClass === 'insufficient') return `${count} are too few to tell`;
  const noise = shape.noise ? `, scatter ${(100 * shape.noise.standardDeviation).toFixed(1)} %` : '';
  if (!shape.isThrottled) return `${count}${noise}: ${shape.seriesClass}`;
  const interval = `${formatSeconds(shape.onsetLowSeconds!)} to ${formatSeconds(shape.onsetHighSeconds!)}`;
  return `${count}${noise}: ${shape.seriesClass}, onset within ${interval}`;
}

/** Do the sender's outbound and the receiver's inbound counters begin to grow when the rate falls? */
export function witnessAllowance(shape: SeriesShape, evidence: ThroughputEvidence): Witness {
  const name = 'ena_allowance_counters';
  const growth = allowanceGrowth(evidence);
  if (growth.length === 0) return { name, agrees: null, detail: 'no counters were read' };
  if (!shape.isThrottled || shape.onsetSeconds === null) {
    if (shape.segments.length === 0) return { name, agrees: null, detail: 'the series is too short to compare with' };
    const total = growth.reduce((sum, sample) => sum + sample.packets, 0);
    // A rate that is shaped at its maximum all the time queues packets too: growth alone proves no loss of credits.
    return total === 0
      ? { name, agrees: true, detail: 'no packet was queued or dropped for bandwidth' }
      : { name, agrees: null, detail: `${total} packets were queued or dropped for bandwidth at an unchanged rate` };
  }
  const before = meanGrowth(growth, -Infinity, shape.onsetSeconds - CLOCK_SLACK_SECONDS);
  const after = meanGrowth(growth, shape.onsetSeconds - CLOCK_SLACK_SECONDS, Infinity);
  if (after === null) return { name, agrees: null, detail: 'no counters were read after the onset' };
  const rates = `${(before ?? 0).toFixed(1)} packets/s before the onset, ${after.toFixed(1)} after`;
  if (after === 0)
    return { name, agrees: false, detail: `no packet was queued or dropped for bandwidth after the onset` };
  if (before === null || before === 0 || after >= 2 * before) return { name, agrees: true, detail: rates };
  return { name, agrees: null, detail: `${rates}: growing all the time` };
}

interface Growth {
  readonly startSeconds: number;
  readonly packets: number;
}

function allowanceGrowth({ allowance = [], direction }: ThroughputEvidence): Growth[] {
  const sender: HostRole = direction === 'forward' ? 'client' : 'server';
  return allowance.flatMap((sample) => {
    const packets = sample.hostRole === sender ? sample.bwOutAllowanceExceeded : sample.bwInAllowanceExceeded;
    return packets === undefined ? [] : [{ startSeconds: sample.startSeconds, packets }];
  });
}

function meanGrowth(growth: readonly Growth[], from: number, to: number): number | null {
  const part = growth.filter((sample) => sample.startSeconds >= from && sample.startSeconds < to);
  return part.length === 0 ? null : part.reduce((sum, sample) => sum + sample.packets, 0) / part.length;
}

/** Does the level after the fall (or the level of all samples) match what is published for either end? */
export function witnessPublished(shape: SeriesShape, evidence: ThroughputEvidence): Witness {
  const name = 'published_bandwidth';
  const baselines = publishedLimits(evidence, 'baselineBitsPerSecond');
  const lowest = lowestLimit(baselines);
  if (!lowest) return { name, agrees: null, detail: 'no baseline is published for these types' };
  const published = `published baseline of the ${lowest.side} (${lowest.instanceType}) ${formatRate(lowest.bitsPerSecond)}`;
  if (shape.isThrottled && shape.baselineBitsPerSecond !== null) {
    const measured = `measured ${formatRate(shape.baselineBitsPerSecond)}`;
    const credited = creditBaselines(evidence);
    const match = credited.find((limit) => isNear(shape.baselineBitsPerSecond!, limit.bitsPerSecond));
    if (match) {
      const detail = `published baseline of the ${match.side} (${match.instanceType}) ${formatRate(match.bitsPerSecond)}, ${measured}`;
      return { name, agrees: true, detail };
    }
    if (credited.length === 0)
      return { name, agrees: false, detail: `${published} is sustained: no credits to run out` };
    return { name, agrees: false, detail: `${published}, ${measured}` };
  }
  if (shape.typicalBitsPerSecond === null || shape.segments.length === 0) {
    return { name, agrees: null, detail: published };
  }
  const measured = `measured ${formatRate(shape.typicalBitsPerSecond)}`;
  const isAbove = shape.typicalBitsPerSecond > 1.1 * lowest.bitsPerSecond && creditBaselines(evidence).length > 0;
  return { name, agrees: isAbove ? null : true, detail: `${published}, ${measured}` };
}

/** Retransmits never decide: a shaper with a deep queue causes none, a shallow one thousands. */
export function witnessRetransmits(shape: SeriesShape, evidence: ThroughputEvidence): Witness {
  const name = 'retransmits';
  const samples = evidence.retransmits ?? [];
  if (samples.length === 0) return { name, agrees: null, detail: 'not reported' };
  const mean = (from: number, to: number) => {
    const part = samples.filter((sample) => sample.startSeconds >= from && sample.startSeconds < to);
    return part.length === 0 ? 0 : part.reduce((sum, sample) => sum + sample.retransmits, 0) / part.length;
  };
  const onset = shape.onsetSeconds;
  if (onset === null) return { name, agrees: null, detail: `${mean(-Infinity, Infinity).toFixed(1)} per second` };
  const detail = `${mean(-Infinity, onset).toFixed(1)} per second before the onset, ${mean(onset, Infinity).toFixed(1)} after`;
  return { name, agrees: null, detail };
}
