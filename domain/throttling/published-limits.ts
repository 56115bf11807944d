/** What the published figures of both ends allow: the lower of the two, and who it belongs to. */
import type { InstanceTypeFacts } from '../measurement/measurement';

export interface PublishedLimit {
  readonly bitsPerSecond: number;
  readonly side: 'sender' | 'receiver';
  readonly instanceType: string;
}

/** Goodput is up to 6 % under the wire rate that is published (headers at MTU 1500), and plateaus scatter by placement. */
export const PUBLISHED_TOLERANCE = 0.15;

interface Ends {
  readonly sender?: InstanceTypeFacts;
  readonly receiver?: InstanceTypeFacts;
}
type Figure = 'baselineBitsPerSecond' | 'peakBitsPerSecond';

export function publishedLimits(ends: Ends, figure: Figure): PublishedLimit[] {
  return (['sender', 'receiver'] as const).flatMap((side) => {
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
  return publishedLimits(ends, 'baselineBitsPerSecond').filter((limit) => {
    const peak = ends[limit.side]?.peakBitsPerSecond;
    return peak === undefined || limit.bitsPerSecond < 0.95 * peak;
  });
}

export function isNear(bitsPerSecond: number, published: number, tolerance = PUBLISHED_TOLERANCE): boolean {
  return Math.abs(bitsPerSecond / published - 1) <= tolerance;
}
