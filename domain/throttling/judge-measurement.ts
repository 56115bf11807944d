/** The verdict of a whole measurement: each driven direction is judged by its receiver's series, and the more telling one stands. */
import type { AssembledMeasurement } from '../measurement/assemble-measurement';
import type { DrivenDirection, InstanceTypeFacts, Placement, Verdict } from '../measurement/measurement';
import { judgeThroughput, type CpuUse, type ThroughputEvidence } from './judge';

export interface MeasurementContext {
  readonly clientType?: InstanceTypeFacts;
  readonly serverType?: InstanceTypeFacts;
  readonly placement?: Placement;
  readonly parallelStreams?: number;
  readonly targetBitsPerSecond?: number;
  readonly truncated: boolean;
}

/** @returns null where no throughput was measured, which is always so for latency */
export function judgeMeasurement(assembled: AssembledMeasurement, context: MeasurementContext): Verdict | null {
  const verdicts = (['forward', 'reverse'] as const)
    .filter((direction) => throughputOf(assembled, direction).length > 0)
    .map((direction) => judgeThroughput(evidenceOf(assembled, direction, context)));
  const [first] = verdicts;
  if (first === undefined) return null;
  return verdicts.find((verdict) => verdict.onsetSeconds !== null) ?? first;
}

function throughputOf(assembled: AssembledMeasurement, direction: DrivenDirection) {
  return assembled.samples.filter((sample) => sample.metric === 'throughput' && sample.direction === direction);
}

export function evidenceOf(
  assembled: AssembledMeasurement,
  direction: DrivenDirection,
  context: MeasurementContext,
): ThroughputEvidence {
  const isForward = direction === 'forward';
  const allowance = assembled.samples.filter((sample) => sample.metric === 'allowance');
  const retransmits = assembled.samples.flatMap(
    ({ metric, direction: of, stream, startSeconds, retransmits: count }) =>
      count !== undefined &&
      of === direction &&
      stream === 'sum' &&
      (metric === 'sent_throughput' || metric === 'throughput')
        ? [{ startSeconds, retransmits: count }]
        : [],
  );
  return {
    direction,
    series: throughputOf(assembled, direction).flatMap(({ startSeconds, lengthSeconds, throughputBitsPerSecond }) =>
      throughputBitsPerSecond === undefined
        ? []
        : [{ startSeconds, lengthSeconds, bitsPerSecond: throughputBitsPerSecond }],
    ),
    ...(allowance.length === 0 ? {} : { allowance }),
    sender: isForward ? context.clientType : context.serverType,
    receiver: isForward ? context.serverType : context.clientType,
    ...(retransmits.length === 0 ? {} : { retransmits }),
    flowCount: context.parallelStreams,
    placement: context.placement,
    targetBitsPerSecond: context.targetBitsPerSecond,
    cpu: cpuOf(assembled, direction),
    toolVersion: assembled.toolVersion,
    truncated: context.truncated,
  };
}

function cpuOf({ cpu }: AssembledMeasurement, direction: DrivenDirection): CpuUse | undefined {
  if (cpu === undefined) return undefined;
  return direction === 'forward'
    ? { senderPercent: cpu.clientPercent, receiverPercent: cpu.serverPercent }
    : { senderPercent: cpu.serverPercent, receiverPercent: cpu.clientPercent };
}
