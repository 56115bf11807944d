/** The verdicts of a measurement. Each driven direction is judged by its receiver's series. */
import type { AssembledMeasurement } from '../assembly/assemble-measurement';
import type { CpuCredits } from '../model/conditions';
import type { DrivenDirection } from '../model/settings';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { LatencyVerdict, PacketVerdict, Verdict } from '../model/verdict';
import type { ThroughputEvidence } from '../verdict/evidence';
import { judgeThroughput } from '../verdict/judge';
import { judgePackets } from '../verdict/judge-packets';
import type { HostRole } from '../model/host-role';
import type { Sample } from '../model/sample';
import { latencyOf, packetsOf, toolCpuOf } from '../model/statistics';
import { judgeLatency, type LatencySecond } from '../verdict/judge-latency';

interface MeasurementContext extends Pick<
  ThroughputEvidence,
  | 'singleFlowCap'
  | 'flowCount'
  | 'targetBitsPerSecond'
  | 'dutyCycle'
  | 'cpuContention'
  | 'segmentBytes'
  | 'fragmentsPerDatagram'
  | 'enaExpressShortfall'
  | 'publishedTypes'
  | 'scaledModel'
  | 'truncated'
> {
  readonly clientType?: InstanceTypeFacts;
  readonly serverType?: InstanceTypeFacts;
  readonly clientCpuCredits?: CpuCredits;
  readonly serverCpuCredits?: CpuCredits;
}

interface MeasurementVerdicts {
  /** The more informative verdict of both directions; null if no throughput was measured, as always for latency. */
  readonly verdict: Verdict | null;
  /** The verdict on the other direction if both were driven at once, because each has its own credits. */
  readonly otherDirection: Verdict | null;
}

export function judgeMeasurement(assembled: AssembledMeasurement, context: MeasurementContext): MeasurementVerdicts {
  const verdicts = (['forward', 'reverse'] as const)
    .filter((direction) => throughputOf(assembled, direction).length > 0)
    .map((direction) => judgeThroughput(evidenceOf(assembled, direction, context)));
  const verdict = verdicts.find((each) => each.onset !== null) ?? verdicts[0] ?? null;
  return { verdict, otherDirection: verdicts.find((each) => each !== verdict) ?? null };
}

interface PacketContext extends MeasurementContext {
  readonly direction: DrivenDirection;
  /** The payload of a datagram, which converts an offered load in bits into packets. */
  readonly datagramBytes?: number;
}

export function judgePacketRate(
  assembled: AssembledMeasurement,
  { direction, datagramBytes, targetBitsPerSecond, ...context }: PacketContext,
): PacketVerdict {
  const { series: _, ...evidence } = evidenceOf(assembled, direction, context);
  return judgePackets({
    ...evidence,
    series: assembled.samples.flatMap(({ metric, startSeconds, lengthSeconds, packetsPerSecond }) =>
      metric !== 'packets' || packetsPerSecond === undefined ? [] : [{ startSeconds, lengthSeconds, packetsPerSecond }],
    ),
    sentPacketsPerSecond: packetsOf({ kind: 'packets', statistics: assembled.statistics })?.sentPacketsPerSecond,
    targetPacketsPerSecond:
      targetBitsPerSecond === undefined || datagramBytes === undefined
        ? undefined
        : targetBitsPerSecond / 8 / datagramBytes,
  });
}

export function judgeRoundTrips(
  { samples, statistics }: AssembledMeasurement,
  { clientType, serverType, cpuContention, fragmentsPerDatagram }: MeasurementContext,
): LatencyVerdict {
  const { observations = 0, ...measured } = latencyOf({ kind: 'latency', statistics }) ?? {};
  const { clientCpu, serverCpu } = toolCpuOf({ statistics });
  return judgeLatency({
    ...measured,
    seconds: latencySeconds(samples),
    types: { client: clientType, server: serverType },
    fragmentsPerMessage: fragmentsPerDatagram,
    roundTrips: observations,
    isProcessorUseKnown: clientCpu !== undefined && serverCpu !== undefined,
    cpuContention,
  });
}

/** The interface counters are read a moment before the driver's counters of the same reading. */
const SAME_READING_SECONDS = 0.5;

function latencySeconds(samples: readonly Sample[]): LatencySecond[] {
  const interfaceOf = (hostRole: HostRole) =>
    samples.filter((sample) => sample.metric === 'interface' && sample.hostRole === hostRole);
  const carried = { client: interfaceOf('client'), server: interfaceOf('server') };
  return samples
    .filter(({ metric }) => metric === 'allowance')
    .map((sample) => {
      const beside = carried[sample.hostRole].find(
        ({ startSeconds }) => Math.abs(startSeconds - sample.startSeconds) < SAME_READING_SECONDS,
      );
      const { sentBitsPerSecond, receivedBitsPerSecond, sentPacketsPerSecond, receivedPacketsPerSecond } = beside ?? {};
      return { ...sample, sentBitsPerSecond, receivedBitsPerSecond, sentPacketsPerSecond, receivedPacketsPerSecond };
    });
}

function throughputOf(assembled: AssembledMeasurement, direction: DrivenDirection) {
  return assembled.samples.filter((sample) => sample.metric === 'throughput' && sample.direction === direction);
}

function evidenceOf(
  assembled: AssembledMeasurement,
  direction: DrivenDirection,
  { clientType, serverType, clientCpuCredits, serverCpuCredits, ...context }: MeasurementContext,
): ThroughputEvidence {
  const isForward = direction === 'forward';
  const endsOf = <Fact>(client: Fact, server: Fact) =>
    isForward ? { sender: client, receiver: server } : { sender: server, receiver: client };
  const processorTime = (field: 'stealCpuPercent' | 'waitingCpuPercent') =>
    unlessEmpty(
      assembled.samples.flatMap(({ hostRole, startSeconds, lengthSeconds, [field]: percent }) => {
        const end = (hostRole === 'client') === isForward ? 'sender' : 'receiver';
        return percent === undefined ? [] : [{ end, startSeconds, lengthSeconds, percent } as const];
      }),
    );
  const arrived = throughputOf(assembled, direction);
  const lostPackets = arrived.flatMap(({ startSeconds, lostPackets: lost, sentPackets }) =>
    lost === undefined || sentPackets === undefined ? [] : [{ startSeconds, lostPackets: lost, sentPackets }],
  );
  const retransmits = assembled.samples
    .filter(({ metric }) => metric === 'sent_throughput' || metric === 'throughput')
    .flatMap(({ startSeconds, retransmits: count, ...sample }) =>
      count !== undefined && sample.direction === direction && sample.stream === 'sum'
        ? [{ startSeconds, retransmits: count }]
        : [],
    );
  const cpu = endsOf(assembled.cpu?.clientPercent, assembled.cpu?.serverPercent);
  return {
    direction,
    isLoadDriven: true,
    series: arrived.flatMap(({ startSeconds, lengthSeconds, throughputBitsPerSecond: bitsPerSecond }) =>
      bitsPerSecond === undefined ? [] : [{ startSeconds, lengthSeconds, bitsPerSecond }],
    ),
    allowance: unlessEmpty(assembled.samples.filter((sample) => sample.metric === 'allowance')),
    ...endsOf(clientType, serverType),
    retransmits: unlessEmpty(retransmits),
    cpu: assembled.cpu && { senderPercent: cpu.sender, receiverPercent: cpu.receiver },
    lostPackets: unlessEmpty(lostPackets),
    steal: processorTime('stealCpuPercent'),
    waiting: processorTime('waitingCpuPercent'),
    cpuCredits: endsOf(clientCpuCredits, serverCpuCredits),
    toolVersion: assembled.toolVersion,
    ...context,
  };
}

/** An empty list becomes undefined, because evidence that was not measured is absent. */
function unlessEmpty<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}
