/** Evidence for the judge: a series that throttles after half a minute, and what else may be known. */
import { singleFlowCap, type FlowRoute, type SingleFlowCap } from '../../domain/model/flow-cap';
import type { InstanceTypeFacts } from '../../domain/model/instance-type';
import type { Protocol } from '../../domain/model/settings';
import type { Verdict, Witness } from '../../domain/model/verdict';
import type { AllowanceGrowth, ThroughputEvidence } from '../../domain/verdict/evidence';
import { judgeThroughput } from '../../domain/verdict/judge';
import { stretches } from './rates';

export const GIGA = 1e9;

export function facts(instanceType: string, baselineGiga?: number, peakGiga?: number): InstanceTypeFacts {
  return {
    instanceType,
    architecture: 'x86_64',
    vcpuCount: 4,
    isBurstableCpu: false,
    supportsClusterPlacement: true,
    supportsEnaExpress: true,
    ...(baselineGiga === undefined ? {} : { baselineBitsPerSecond: baselineGiga * GIGA }),
    ...(peakGiga === undefined ? {} : { peakBitsPerSecond: peakGiga * GIGA }),
  };
}

//   2 ┤▔▔▔▔▔▔▔╮
// 0.5 ┤       ╰▁▁▁▁▁▁▁▁▁▁▁▁▁     30.4 s, a bucket of 45.6 Gbit
export const throttledSeries = stretches([30.4, 2 * GIGA], [59.6, 0.5 * GIGA]);
/** The type whose baseline that is. */
export const bursting = facts('c5.xlarge', 0.5, 2);
/** A type without credits. */
export const sustained = facts('c5.18xlarge', 2.5, 2.5);

export function judge(evidence: Partial<ThroughputEvidence>): Verdict {
  return judgeThroughput({ direction: 'forward', series: throttledSeries, truncated: false, ...evidence });
}

/**
 * The cap of one flow between hosts in one zone, by private address and without a placement group unless said
 * otherwise.
 */
export function flowCapBetweenHosts(
  conditions: Partial<Exclude<FlowRoute, 'object_store'>> = {},
  protocol: Protocol = 'tcp',
): SingleFlowCap {
  const ordinary = { placement: 'none', path: 'private', enaExpress: 'off', enaExpressUdp: false } as const;
  return singleFlowCap(protocol, { ...ordinary, ...conditions });
}

export function witness(verdict: Verdict, name: string): Witness | undefined {
  return verdict.witnesses.find((candidate) => candidate.name === name);
}

/** The confidence of a verdict that has one. */
export function confidenceOf({ kind, confidence }: Verdict): number {
  if (confidence === null) throw new Error(`confidence: must be a number, got null for ${kind}`);
  return confidence;
}

type Counter = 'bwInAllowanceExceeded' | 'bwOutAllowanceExceeded' | 'ppsAllowanceExceeded';

/** A counter of one host, read every second, that grows from a second on. */
export function growth(
  counter: Counter,
  hostRole: 'client' | 'server',
  fromSecond: number,
  packets = 120,
): AllowanceGrowth[] {
  return throttledSeries.map(({ startSeconds }) => ({
    hostRole,
    startSeconds,
    [counter]: startSeconds >= fromSecond ? packets : 0,
  }));
}
