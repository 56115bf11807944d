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
  parametersOf,
  planProblems,
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
    .describe('Measures round trips with sockperf during the load, before and after the throttle onset'),
});
type Iperf3Plan = z.infer<typeof iperf3Plan>;
type Iperf3Settings = Omit<Iperf3Plan, 'tool'>;

const IP_AND_TCP_HEADER_BYTES = 40;
const IP_AND_UDP_HEADER_BYTES = 28;

/** The probe's server listens on its own port, apart from those of the pair's measurements. */
const PROBE_PORT_OFFSET = 1000;

const common = (measurement: Planned<Iperf3Settings>) => ({
  ...parametersOf(measurement, 'protocol', 'port', 'durationSeconds'),
  Runs: dutyCycleRuns(measurement),
  OnSeconds: measurement.dutyCycle?.onSeconds ?? 0,
  OffSeconds: measurement.dutyCycle?.offSeconds ?? 0,
  ProbePort: measurement.port + PROBE_PORT_OFFSET,
  ProbeMessagesPerSecond: measurement.latencyProbe?.messagesPerSecond ?? 0,
});

/** The longest datagram that EC2's networks within a Region carry as one packet. */
const LONGEST_WHOLE_DATAGRAM_BYTES = JUMBO_FRAME_BYTES - IP_AND_UDP_HEADER_BYTES;

/** A packet verdict needs one direction, one packet length, and a load without pauses. */
function packetProblems(plan: Iperf3Plan): ToolPlanProblem[] {
  const length = plan.protocol === 'udp' ? 'datagramBytes' : 'mssBytes';
  const given = `given with mode packets and protocol ${plan.protocol}, because it is the length of the packets`;
  const most = `at most ${LONGEST_WHOLE_DATAGRAM_BYTES} with mode packets, so that a datagram is one packet`;
  const unusable = ['dutyCycle', 'stopAfterThrottledSeconds', 'latencyProbe'] as const;
  return planProblems([
    [plan[length] === undefined, length, given],
    [(plan.datagramBytes ?? 0) > LONGEST_WHOLE_DATAGRAM_BYTES, 'datagramBytes', most],
    [plan.direction === 'bidirectional', 'direction', 'forward or reverse with mode packets'],
    ...unusable.map((key) => [plan[key] !== undefined, key, 'left out with mode packets'] as const),
  ]);
}

function problems(plan: Iperf3Plan): ToolPlanProblem[] {
  const { protocol: carrier, dutyCycle, durationSeconds: seconds, stopAfterThrottledSeconds: stopAfter = 0 } = plan;
  const isUdp = carrier === 'udp';
  const needed = dutyCycle === undefined ? 0 : 2 * dutyCycle.onSeconds + dutyCycle.offSeconds;
  const ofOther = isUdp ? (['mssBytes', 'congestionControl'] as const) : (['datagramBytes'] as const);
  return [
    ...(plan.mode === 'packets' ? packetProblems(plan) : []),
    ...planProblems([
      [
        isUdp && plan.mode === undefined && plan.targetBitsPerSecond === undefined,
        'targetBitsPerSecond',
        'given with protocol udp (without it, iperf3 sends 1 Mbit/s)',
      ],
      ...ofOther.map((key) => [plan[key] !== undefined, key, `left out with protocol ${carrier}`] as const),
      [
        seconds < needed,
        'dutyCycle',
        `a cycle that durationSeconds holds twice (${needed} s are needed, ${seconds} given)`,
      ],
      [
        stopAfter > 0 && dutyCycle !== undefined,
        'stopAfterThrottledSeconds',
        'left out beside dutyCycle, which is held to its end',
      ],
      [stopAfter >= seconds, 'stopAfterThrottledSeconds', `less than durationSeconds (${seconds})`],
      [
        stopAfter > 0 && isUdp && plan.direction !== 'reverse',
        'stopAfterThrottledSeconds',
        "absent where UDP is sent by the client, which can't see what arrives",
      ],
    ]),
  ];
}

/** A longer segment is never sent, yet the result would claim it; a longer datagram becomes several packets. */
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
  serve: common,
  measure: (measurement: Planned<Iperf3Settings>) => ({
    ...common(measurement),
    ...parametersOf(measurement, 'parallelStreams', 'direction', 'targetBitsPerSecond', 'datagramBytes', 'mssBytes'),
    ...parametersOf(measurement, 'socketBufferBytes', 'stopAfterThrottledSeconds'),
    CongestionControl: measurement.congestionControl ?? 'default',
    ProbeMessageBytes: measurement.latencyProbe?.messageBytes ?? 0,
  }),
  // Allows for connecting, the calibration of the latency probe's clock, and the output of its last window.
  overheadSeconds: 5,
  settings: ({ tool: _, ...settings }: Iperf3Plan): Iperf3Settings => settings,
  problems,
  ownFigures: ({ mode, protocol: carrier }: FigureSettings): ToolFigureName[] => {
    if (mode === 'packets') return [];
    return [carrier === 'udp' ? 'lossPercent' : 'retransmits'];
  },
  kind: ({ mode }: FigureSettings) => (mode === 'packets' ? ('packets' as const) : ('throughput' as const)),
  spendsCredits: () => true,
  printedSeries: iperf3Series,
  notApplicable,
  assemble: (streams, settings: Iperf3Settings) => {
    const assembled = assembleIperf3(streams, settings);
    if (settings.mode !== 'packets') return assembled;
    return inPackets(assembled, settings.direction === 'reverse' ? 'reverse' : 'forward');
  },
} satisfies ToolModule<Iperf3Plan, Iperf3Settings>;
