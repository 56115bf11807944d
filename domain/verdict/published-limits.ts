/** What the published figures of both ends allow. */
import type { InstanceTypeFacts } from '../model/instance-type';
import type { End, ThroughputEvidence } from './evidence';

export interface PublishedLimit {
  readonly bitsPerSecond: number;
  readonly side: End;
  readonly instanceType: string;
}

export const ENDS = ['sender', 'receiver'] as const satisfies readonly End[];

/** Goodput is up to 6 % below the published wire rate (headers at MTU 1500), and plateaus differ by placement. */
const PUBLISHED_TOLERANCE = 0.15;

type Ends = Pick<ThroughputEvidence, End>;

export function publishedLimits(ends: Ends, figure: 'baselineBitsPerSecond' | 'peakBitsPerSecond'): PublishedLimit[] {
  return ENDS.flatMap((side) => {
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
export function creditBaselines(ends: Ends): PublishedLimit[] {
  return publishedLimits(ends, 'baselineBitsPerSecond').filter(({ side }) => canHaveCredits(ends[side]));
}

/** A type has no credits only where its published baseline is its peak. */
export function canHaveCredits(facts: InstanceTypeFacts | undefined): boolean {
  const { baselineBitsPerSecond: baseline, peakBitsPerSecond: peak } = facts ?? {};
  return baseline === undefined || peak === undefined || baseline < 0.95 * peak;
}

export function isNear(bitsPerSecond: number, published: number): boolean {
  return Math.abs(bitsPerSecond / published - 1) <= PUBLISHED_TOLERANCE;
}
