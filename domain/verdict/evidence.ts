/** Everything that a verdict may be based on. An absent part is unknown; it does not mean that nothing happened. */
import type { RateInterval } from '../series/rate-series';
import type { CpuCredits } from '../model/conditions';
import type { DrivenDirection, DutyCycle } from '../model/settings';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { SingleFlowCap } from '../model/flow-cap';
import type { ScaledModel } from '../model/scaled-model';
import type { Sample } from '../model/sample';
import type { Interval } from '../maths/interval';
import { JUMBO_SEGMENT_BYTES } from '../model/packet-form';
import { comparedRate } from '../text/format';

/** Growth of the ENA allowance counters of both hosts within each second. */
export type AllowanceGrowth = Pick<
  Sample,
  | 'hostRole'
  | 'startSeconds'
  | 'bwInAllowanceExceeded'
  | 'bwOutAllowanceExceeded'
  | 'ppsAllowanceExceeded'
  | 'conntrackAllowanceExceeded'
>;

/** The hosts by their role in the driven direction. */
export type Endpoint = 'sender' | 'receiver';

/** The CPU that the tool used while it measured, in percent of one core. */
export interface CpuUse {
  readonly senderPercent?: number;
  readonly receiverPercent?: number;
}

/** A part of a host's processor time, in percent of one processor. */
export interface ProcessorTime {
  readonly end: Endpoint;
  readonly startSeconds: number;
  readonly lengthSeconds: number;
  readonly percent: number;
}

export interface LostPackets {
  readonly startSeconds: number;
  readonly lostPackets: number;
  readonly sentPackets: number;
}

export interface ThroughputEvidence {
  readonly direction: DrivenDirection;
  readonly series: readonly RateInterval[];
  readonly allowance?: readonly AllowanceGrowth[];
  /** Published figures of the type that sends in this direction. */
  readonly sender?: InstanceTypeFacts;
  readonly receiver?: InstanceTypeFacts;
  readonly retransmits?: readonly { readonly startSeconds: number; readonly retransmits: number }[];
  /** For UDP, the datagrams that did not arrive, and all that were sent. */
  readonly lostPackets?: readonly LostPackets[];
  /** The longest TCP segment that the path carries; absent if unknown, as for most files. */
  readonly segmentBytes?: number;
  /** IP fragments that each UDP datagram is sent in; absent if it fits into one packet, or if that is unknown. */
  readonly fragmentsPerDatagram?: number;
  /** Flows that carried the series together. */
  readonly flowCount?: number;
  /** EC2's cap on one flow under the conditions of the pair; absent if they are unknown, as offline. */
  readonly singleFlowCap?: SingleFlowCap;
  /** The rate that the tool must not exceed; 0 or absent if it has no limit. */
  readonly targetBitsPerSecond?: number;
  /** Load was offered all the time but for the pauses of a duty cycle, so seconds without traffic are an outage. */
  readonly isLoadDriven?: boolean;
  /** The duty cycle of a load with pauses, in which the series has no samples. */
  readonly dutyCycle?: DutyCycle;
  readonly cpu?: CpuUse;
  /** Time that the hypervisor withheld from a host's processors while they had work. */
  readonly steal?: readonly ProcessorTime[];
  /** Time in which the tool's threads were ready to run and waited for a processor. */
  readonly waiting?: readonly ProcessorTime[];
  /** Which host's processors other work kept busy, in words; absent if none were, and if it is unknown. */
  readonly cpuContention?: string;
  /** The CPU credits that the hosts were launched with; absent if they are unknown, as offline. */
  readonly cpuCredits?: Partial<Record<Endpoint, CpuCredits>>;
  /** Why ENA Express, although requested, did not carry the traffic; absent if it did, or was not requested. */
  readonly enaExpressShortfall?: string;
  /** The published figures of all types, to name those that would fit a series whose hosts are unknown. */
  readonly publishedTypes?: readonly InstanceTypeFacts[];
  /** The scale of the published figures, but not of `singleFlowCap`; absent for EC2's own figures, and for a file. */
  readonly scaledModel?: ScaledModel;
  /** The version, in the tool's own form, which decides whether the tool's streams share one thread. */
  readonly toolVersion?: string;
  /** Whether the measurement ended early. */
  readonly truncated: boolean;
}

export interface PublishedLimit {
  readonly bitsPerSecond: number;
  readonly side: Endpoint;
  readonly instanceType: string;
}

export const ENDPOINTS = ['sender', 'receiver'] as const satisfies readonly Endpoint[];

/**
 * A rate without credits as a share of the published baseline, with jumbo frames: −1.6 to +0.8 % off in 85 of 85
 * recorded throttles of C5, C6g and C6gd instances, with a margin for the error of a level.
 */
const AT_BASELINE = { least: 0.975, most: 1.015 } as const;
/** The error of a level counts up to this share of the level, because a larger one would fit any baseline. */
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

/** Baselines of the hosts that have credits to spend: those below their own peak. */
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

/** Whether both hosts are published to sustain the rate: without credits to run out, a short series is enough. */
export function isSustained(bitsPerSecond: number | null, ends: Endpoints): boolean {
  const baseline = lowestLimit(publishedLimits(ends, 'baselineBitsPerSecond'));
  const hasCredits = creditBaselines(ends).length > 0;
  return baseline !== null && bitsPerSecond !== null && !hasCredits && isNear(bitsPerSecond, baseline.bitsPerSecond);
}

/** Whether a level, within its error, is the rate that a published baseline carries. */
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

/** A host whose credits are unknown, because its type is unknown or EC2 publishes no baseline for it. */
export function unpublishedEndpoint(ends: Endpoints): Endpoint | undefined {
  return ENDPOINTS.find((end) => ends[end]?.baselineBitsPerSecond === undefined);
}
