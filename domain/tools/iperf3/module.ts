/** iperf3: throughput of TCP or UDP streams, second by second. */
import * as z from 'zod';
import { inPackets } from '../../assembly/packet-rate';
import { dutyCycleRuns, SETTINGS } from '../../model/settings';
import type { PairConditions } from '../../model/conditions';
import type { ToolFigureName } from '../../model/expectation';
import { ETHERNET_FRAME_BYTES, JUMBO_FRAME_BYTES, LOAD_BALANCER_LONGEST_IDLE_SECONDS } from '../../model/ec2-facts';
import { IPERF3_FORMS } from './forms';
import { assembleIperf3, iperf3Series } from './streams';
import {
  durationSeconds,
  protocol,
  type FigureSettings,
  type Planned,
  type ToolModule,
  type ToolPlanProblem,
} from '../tool-module';

const iperf3Plan = z.strictObject({
  tool: z.literal('iperf3'),
  mode: z
    .literal('packets')
    .optional()
    .describe('Finds how many packets per second the types carry; absent where their throughput is measured'),
  protocol,
  parallelStreams: SETTINGS.parallelStreams.schema
    .default(8)
    .describe('Flows driven at once; a single flow is capped at 5 Gbps outside a cluster placement group'),
  direction: SETTINGS.direction.schema
    .default('forward')
    .describe('Who sends: forward is client to server, reverse server to client'),
  durationSeconds,
  targetBitsPerSecond: SETTINGS.targetBitsPerSecond.schema
    .optional()
    .describe(
      'Offered load over all streams; required for UDP, where iperf3 would offer 1 Mbit/s by itself, except in mode ' +
        'packets, which sends as fast as it can',
    ),
  datagramBytes: SETTINGS.datagramBytes.schema
    .optional()
    .describe("UDP only: payload of a datagram (-l); iperf3's own choice fits the MTU"),
  mssBytes: SETTINGS.mssBytes.schema
    .optional()
    .describe('TCP only: longest segment, without headers (-M); the MTU allows at most its size less 40'),
  congestionControl: SETTINGS.congestionControl.schema
    .optional()
    .describe("TCP only: congestion control (-C), one that both hosts' kernels have, e.g. cubic, reno or bbr"),
  socketBufferBytes: SETTINGS.socketBufferBytes.schema
    .optional()
    .describe('Size of the socket buffers (-w); iperf3 ends with an error where the kernel grants less'),
  dutyCycle: SETTINGS.dutyCycle.schema
    .optional()
    .describe('Load and silence in turn, within durationSeconds; both whole seconds'),
  stopAfterThrottledSeconds: SETTINGS.stopAfterThrottledSeconds.schema
    .optional()
    .describe(
      'Ends this long after the client saw a throttle in every driven direction; durationSeconds is then the maximum',
    ),
  latencyProbe: SETTINGS.latencyProbe.schema
    .optional()
    .describe('Measures round trips with sockperf beside the load, before and after the throttle onset'),
});
type Iperf3Plan = z.infer<typeof iperf3Plan>;
type Iperf3Settings = Omit<Iperf3Plan, 'tool'>;

const IP_AND_TCP_HEADER_BYTES = 40;
const IP_AND_UDP_HEADER_BYTES = 28;

/** The probe's server listens on a port of its own, apart from the ports of a pair's measurements. */
const PROBE_PORT_OFFSET = 1000;

/** The documents take 0 for a setting that the plan leaves out. */
const common = (measurement: Planned<Iperf3Settings>) => ({
  Protocol: measurement.protocol,
  Port: String(measurement.port),
  DurationSeconds: String(measurement.durationSeconds),
  Runs: String(dutyCycleRuns(measurement)),
  OnSeconds: String(measurement.dutyCycle?.onSeconds ?? 0),
  OffSeconds: String(measurement.dutyCycle?.offSeconds ?? 0),
  ProbePort: String(measurement.port + PROBE_PORT_OFFSET),
  ProbeMessagesPerSecond: String(measurement.latencyProbe?.messagesPerSecond ?? 0),
});

/** The longest datagram that the packets of a Region's networks carry whole. */
const LONGEST_WHOLE_DATAGRAM_BYTES = JUMBO_FRAME_BYTES - IP_AND_UDP_HEADER_BYTES;

/** A packet verdict needs one direction, one length of packets, and a load without pauses. */
function packetProblems(plan: Iperf3Plan): ToolPlanProblem[] {
  const length = plan.protocol === 'udp' ? 'datagramBytes' : 'mssBytes';
  const unusable = (['dutyCycle', 'stopAfterThrottledSeconds', 'latencyProbe'] as const).filter(
    (key) => plan[key] !== undefined,
  );
  return [
    ...(plan[length] === undefined
      ? [
          {
            key: length,
            allowed: `given with mode packets and protocol ${plan.protocol}, because it is the length of the packets`,
          },
        ]
      : []),
    ...((plan.datagramBytes ?? 0) > LONGEST_WHOLE_DATAGRAM_BYTES
      ? [
          {
            key: 'datagramBytes',
            allowed: `at most ${LONGEST_WHOLE_DATAGRAM_BYTES} with mode packets, so that a datagram is one packet`,
          },
        ]
      : []),
    ...(plan.direction === 'bidirectional'
      ? [{ key: 'direction', allowed: 'forward or reverse with mode packets' }]
      : []),
    ...unusable.map((key) => ({ key, allowed: 'left out with mode packets' })),
  ];
}

function problems(plan: Iperf3Plan): ToolPlanProblem[] {
  const isUdp = plan.protocol === 'udp';
  const found = plan.mode === 'packets' ? packetProblems(plan) : [];
  const mustBe = (key: keyof Iperf3Plan, allowed: string) => found.push({ key, allowed });
  if (isUdp && plan.mode === undefined && plan.targetBitsPerSecond === undefined) {
    mustBe('targetBitsPerSecond', 'given with protocol udp (without it, iperf3 sends 1 Mbit/s)');
  }
  for (const key of isUdp ? (['mssBytes', 'congestionControl'] as const) : (['datagramBytes'] as const)) {
    if (plan[key] !== undefined) mustBe(key, `left out with protocol ${plan.protocol}`);
  }
  if (plan.dutyCycle !== undefined && dutyCycleRuns(plan) < 2) {
    const needed = 2 * plan.dutyCycle.onSeconds + plan.dutyCycle.offSeconds;
    const given = `${needed} s are needed, ${plan.durationSeconds} given`;
    mustBe('dutyCycle', `a cycle that durationSeconds holds twice (${given})`);
  }
  if (plan.stopAfterThrottledSeconds === undefined) return found;
  if (plan.dutyCycle !== undefined)
    mustBe('stopAfterThrottledSeconds', 'left out beside dutyCycle, which is held to its end');
  if (plan.stopAfterThrottledSeconds >= plan.durationSeconds) {
    mustBe('stopAfterThrottledSeconds', `less than durationSeconds (${plan.durationSeconds})`);
  }
  if (isUdp && plan.direction !== 'reverse') {
    mustBe('stopAfterThrottledSeconds', "absent where UDP is sent by the client, which can't see what arrives");
  }
  return found;
}

/**
 * A longer segment would never be sent, and the measurement would be taken for one of that length. A longer datagram
 * would be sent as several packets, which matters where packets are counted.
 */
function tooLongForMtu(
  { mode, mssBytes, datagramBytes }: Iperf3Settings,
  { path, mtuBytes }: PairConditions,
): string | undefined {
  const packetBytes = path === 'public' ? Math.min(mtuBytes, ETHERNET_FRAME_BYTES) : mtuBytes;
  const reason = (what: string, lengthBytes: number | undefined, headerBytes: number) => {
    const longestBytes = packetBytes - headerBytes;
    if (lengthBytes === undefined || lengthBytes <= longestBytes) return undefined;
    return `${what} of ${lengthBytes} bytes don't fit into packets of ${packetBytes} bytes, which carry ${longestBytes}`;
  };
  return (
    reason('segments', mssBytes, IP_AND_TCP_HEADER_BYTES) ??
    (mode === 'packets' ? reason('datagrams', datagramBytes, IP_AND_UDP_HEADER_BYTES) : undefined)
  );
}

function notApplicable(settings: Iperf3Settings, conditions: PairConditions): string | undefined {
  const tooLong = tooLongForMtu(settings, conditions);
  if (tooLong !== undefined || conditions.path !== 'nlb') return tooLong;
  if (settings.latencyProbe !== undefined) {
    return "the load balancer listens on iperf3's port only, not on the latency probe's";
  }
  const silentSeconds = settings.dutyCycle?.onSeconds ?? settings.durationSeconds;
  const longest = LOAD_BALANCER_LONGEST_IDLE_SECONDS[settings.protocol];
  if (silentSeconds <= longest) return undefined;
  return (
    `${silentSeconds} s outlast the load balancer's longest idle timeout (${longest} s for ${settings.protocol.toUpperCase()}): ` +
    "iperf3's control connection is silent while it measures"
  );
}

export const iperf3 = {
  name: 'iperf3',
  plan: iperf3Plan,
  output: { inWords: 'iperf3 (text, -J or --json-stream)', forms: Object.values(IPERF3_FORMS) },
  // sockperf is the latency probe.
  programs: { iperf3: 'iperf3', sockperf: 'sockperf' },
  serve: { document: 'serve-iperf3', parameters: common },
  measure: {
    document: 'measure-iperf3',
    parameters: (measurement: Planned<Iperf3Settings>) => ({
      ...common(measurement),
      ParallelStreams: String(measurement.parallelStreams),
      Direction: measurement.direction,
      TargetBitsPerSecond: String(measurement.targetBitsPerSecond ?? 0),
      DatagramBytes: String(measurement.datagramBytes ?? 0),
      MssBytes: String(measurement.mssBytes ?? 0),
      CongestionControl: measurement.congestionControl ?? 'default',
      SocketBufferBytes: String(measurement.socketBufferBytes ?? 0),
      StopAfterThrottledSeconds: String(measurement.stopAfterThrottledSeconds ?? 0),
      ProbeMessageBytes: String(measurement.latencyProbe?.messageBytes ?? 0),
    }),
  },
  // Besides connecting, the latency probe's clock is calibrated first, and its last window is printed at the end.
  overheadSeconds: 5,
  settings: ({ tool: _, ...settings }: Iperf3Plan): Iperf3Settings => settings,
  problems,
  ownFigures: ({ mode, protocol: carrier }: FigureSettings): ToolFigureName[] => {
    if (mode === 'packets') return [];
    return [carrier === 'udp' ? 'lossPercent' : 'retransmits'];
  },
  kind: ({ mode }: FigureSettings) => (mode === 'packets' ? ('packets' as const) : ('throughput' as const)),
  spendsCredits: () => true,
  hasServerStream: () => true,
  printedSeries: iperf3Series,
  notApplicable,
  assemble: (streams, settings: Iperf3Settings) => {
    const assembled = assembleIperf3(streams, settings);
    if (settings.mode !== 'packets') return assembled;
    return inPackets(assembled, settings.direction === 'reverse' ? 'reverse' : 'forward');
  },
} satisfies ToolModule<Iperf3Plan, Iperf3Settings>;
