/** The verdicts of a measurement. Each driven direction is judged by its receiver's series. */
import type { AssembledMeasurement } from '../assembly/assemble-measurement';
import type { DrivenDirection, DutyCycle } from '../model/settings';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { SingleFlowCap } from '../model/flow-cap';
import type { Verdict } from '../model/verdict';
import type { CpuUse, ThroughputEvidence } from '../verdict/evidence';
import { judgeThroughput } from '../verdict/judge';

export interface MeasurementContext {
  readonly clientType?: InstanceTypeFacts;
  readonly serverType?: InstanceTypeFacts;
  readonly singleFlowCap?: SingleFlowCap;
  readonly parallelStreams?: number;
  readonly targetBitsPerSecond?: number;
  readonly dutyCycle?: DutyCycle;
  readonly truncated: boolean;
}

export interface MeasurementVerdicts {
  /**
   * The more informative of both directions' verdicts; null where no throughput was measured, as always for latency.
   */
  readonly verdict: Verdict | null;
  /** Present where both directions were driven at once, because each has its own credits. */
  readonly otherDirection: Verdict | null;
}

export function judgeMeasurement(assembled: AssembledMeasurement, context: MeasurementContext): MeasurementVerdicts {
  const verdicts = (['forward', 'reverse'] as const)
    .filter((direction) => throughputOf(assembled, direction).length > 0)
    .map((direction) => judgeThroughput(evidenceOf(assembled, direction, context)));
  const verdict = verdicts.find((each) => each.onset !== null) ?? verdicts[0] ?? null;
  return { verdict, otherDirection: verdicts.find((each) => each !== verdict) ?? null };
}

function throughputOf(assembled: AssembledMeasurement, direction: DrivenDirection) {
  return assembled.samples.filter((sample) => sample.metric === 'throughput' && sample.direction === direction);
}

function evidenceOf(
  assembled: AssembledMeasurement,
  direction: DrivenDirection,
  context: MeasurementContext,
): ThroughputEvidence {
  const isForward = direction === 'forward';
  const allowance = assembled.samples.filter((sample) => sample.metric === 'allowance');
  const retransmits = assembled.samples.flatMap(
    ({ metric, direction: sampleDirection, stream, startSeconds, retransmits: count }) =>
      count !== undefined &&
      sampleDirection === direction &&
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
    allowance: allowance.length === 0 ? undefined : allowance,
    sender: isForward ? context.clientType : context.serverType,
    receiver: isForward ? context.serverType : context.clientType,
    retransmits: retransmits.length === 0 ? undefined : retransmits,
    flowCount: context.parallelStreams,
    singleFlowCap: context.singleFlowCap,
    targetBitsPerSecond: context.targetBitsPerSecond,
    dutyCycle: context.dutyCycle,
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
