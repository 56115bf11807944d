/** What the published figures of both ends allow. */
import type { Interval } from '../maths/interval';
import type { InstanceTypeFacts } from '../model/instance-type';
import { JUMBO_SEGMENT_BYTES } from '../model/packet-form';
import { comparedRate } from '../text/format';
import type { Endpoint, ThroughputEvidence } from './evidence';

export interface PublishedLimit {
  readonly bitsPerSecond: number;
  readonly side: Endpoint;
  readonly instanceType: string;
}

export const ENDPOINTS = ['sender', 'receiver'] as const satisfies readonly Endpoint[];

/**
 * How far a rate without credits is from the published baseline, with jumbo frames: −1.6 to +0.8 % in 85 of 85 recorded
 * throttles of C5, C6g and C6gd instances, and a little more for the error of a level.
 */
const AT_BASELINE = { least: 0.975, most: 1.015 } as const;
/** An interval that is wider than this, as a share of its value, fits any baseline. */
const WIDEST_ERROR = 0.03;
/** Ethernet, IP and TCP headers with time stamps. */
const HEADER_BYTES = 66;

/** Goodput is up to 6 % below the published wire rate (headers at MTU 1500), and plateaus differ by placement. */
const PUBLISHED_TOLERANCE = 0.15;

type Endpoints = Pick<ThroughputEvidence, Endpoint>;

export function publishedLimits(
  ends: Endpoints,
  figure: 'baselineBitsPerSecond' | 'peakBitsPerSecond',
): PublishedLimit[] {
  return ENDPOINTS.flatMap((side) => {
    const facts = ends[side];
    const bitsPerSecond = facts?.[figure];
    return facts && bitsPerSecond !== undefined ? [{ bitsPerSecond, side, instanceType: facts.instanceType }] : [];
  });
}

export function lowestLimit(limits: readonly PublishedLimit[]): PublishedLimit | null {
  return limits.reduce<PublishedLimit | null>(
    (lowest, limit) => (lowest === null || limit.bitsPerSecond < lowest.bitsPerSecond ? limit : lowest),
    null,
  );
}

/** Baselines of the ends that have credits to spend: those below their own peak. */
export function creditBaselines(ends: Endpoints): PublishedLimit[] {
  return publishedLimits(ends, 'baselineBitsPerSecond').filter(({ side }) => canHaveCredits(ends[side]));
}

/** A type has no credits only where its published baseline is its peak. */
export function canHaveCredits(facts: InstanceTypeFacts | undefined): boolean {
  const { baselineBitsPerSecond: baseline, peakBitsPerSecond: peak } = facts ?? {};
  return baseline === undefined || peak === undefined || baseline < 0.95 * peak;
}

/**
 * `the baseline of 1.25 Gbit/s that EC2 publishes for the sender (c5.xlarge)`, or, on a scaled model, `the baseline of
 * 125 Mbit/s for the sender (c5.xlarge; 1.25 Gbit/s at the scale of EC2)`.
 */
export function publishedInWords(
  which: 'baseline' | 'peak',
  { side, instanceType, bitsPerSecond }: PublishedLimit,
  { scaledModel }: Pick<ThroughputEvidence, 'scaledModel'>,
): string {
  const figure = `the ${which} of ${comparedRate(bitsPerSecond)}`;
  if (scaledModel === undefined) return `${figure} that EC2 publishes for the ${side} (${instanceType})`;
  const onEc2 = comparedRate(bitsPerSecond * scaledModel.rateDivisor);
  return `${figure} for the ${side} (${instanceType}; ${onEc2} at the scale of EC2)`;
}

export function isNear(bitsPerSecond: number, published: number): boolean {
  return Math.abs(bitsPerSecond / published - 1) <= PUBLISHED_TOLERANCE;
}

/** Whether a level, as far as it is known, is the rate that a published baseline carries. */
export function isAtBaseline(
  level: Interval,
  publishedBitsPerSecond: number,
  { segmentBytes = JUMBO_SEGMENT_BYTES }: Pick<ThroughputEvidence, 'segmentBytes'>,
): boolean {
  const error = Math.min(WIDEST_ERROR * level.value, (level.high - level.low) / 2);
  const goodput = payloadShare(segmentBytes) / payloadShare(JUMBO_SEGMENT_BYTES);
  return (
    level.value + error >= AT_BASELINE.least * goodput * publishedBitsPerSecond &&
    level.value - error <= AT_BASELINE.most * publishedBitsPerSecond
  );
}

/** EC2 counts whole frames, and a tool its payload. */
function payloadShare(segmentBytes: number): number {
  return segmentBytes / (segmentBytes + HEADER_BYTES);
}
