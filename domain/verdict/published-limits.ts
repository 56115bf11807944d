/** What the published figures of both ends allow: the lower of the two, and who it belongs to. */
import type { InstanceTypeFacts } from '../model/instance-type';
import type { End } from './evidence';

export interface PublishedLimit {
  readonly bitsPerSecond: number;
  readonly side: End;
  readonly instanceType: string;
}

export const ENDS = ['sender', 'receiver'] as const satisfies readonly End[];

/**
 * Goodput is up to 6 % under the wire rate that is published (headers at MTU 1500), and plateaus scatter by placement.
 */
const PUBLISHED_TOLERANCE = 0.15;

interface Ends {
  readonly sender?: InstanceTypeFacts;
  readonly receiver?: InstanceTypeFacts;
}
type Figure = 'baselineBitsPerSecond' | 'peakBitsPerSecond';

export function publishedLimits(ends: Ends, figure: Figure): PublishedLimit[] {
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
  return publishedLimits(ends, 'baselineBitsPerSecond').filter((limit) => {
    return canHaveCredits(ends[limit.side]);
  });
}

/** Only a baseline that is published as the peak says that there are none. */
export function canHaveCredits(facts: InstanceTypeFacts | undefined): boolean {
  const { baselineBitsPerSecond: baseline, peakBitsPerSecond: peak } = facts ?? {};
  return baseline === undefined || peak === undefined || baseline < 0.95 * peak;
}

export function isNear(bitsPerSecond: number, published: number, tolerance = PUBLISHED_TOLERANCE): boolean {
  return Math.abs(bitsPerSecond / published - 1) <= tolerance;
}
