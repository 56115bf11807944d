/** sockperf: round trips of single messages, one at a time or beside a load, and one-way throughput of messages. */
import * as z from 'zod';
import {
  assembleClientOutput,
  clientFacts,
  NO_CLIENT_STREAM,
  nothingAssembled,
  type AssembledMeasurement,
} from '../../assembly/assemble-measurement';
import { timeOfLine, toolText, type MeasurementStreams, type RawStream } from '../../assembly/raw-streams';
import { countersOfHosts, throughputFromCounters, type LoadSpan } from '../../assembly/counter-samples';
import { throughputStatistics } from '../../assembly/throughput-statistics';
import { spendsMessageCredits, type MessageRoute } from '../../forecast/message-volume';
import type { PairConditions } from '../../model/conditions';
import { SETTINGS } from '../../model/settings';
import { roundMicros } from '../../series/second-grid';
import { contextOfCommand, parseSockperfRoundTrips, parseSockperfThroughput, SOCKPERF_FORM } from './text';
import {
  durationSeconds,
  parametersOf,
  planProblems,
  protocol,
  repetitionsOnPair,
  type FigureSettings,
  type Planned,
  type ToolModule,
} from '../tool-module';

/** sockperf allocates 16 bytes per message before it sends any, and a small host has half a gigabyte of memory. */
const MAX_MESSAGES = 16_000_000;
/** By default, sockperf requests a reply to every hundredth message, so a slow load would have almost none. */
const REPLIES_PER_SECOND = 1000;

const sockperfPlan = z.strictObject({
  tool: z.literal('sockperf'),
  mode: z
    .enum(['ping_pong', 'under_load', 'throughput'])
    .default('ping_pong')
    .describe(
      'ping_pong waits for each reply, under_load offers a load, throughput sends all that it can in one direction',
    ),
  protocol,
  messageBytes: SETTINGS.messageBytes.schema.min(14).max(65_507).default(64).describe('Size of a message'),
  messagesPerSecond: SETTINGS.messagesPerSecond.schema.optional().describe('The offered load of mode under_load'),
  parallelStreams: SETTINGS.parallelStreams.schema
    .optional()
    .describe('Mode under_load only: over how many flows the messages are sent in turn; one flow without it'),
  durationSeconds,
  repetitions: repetitionsOnPair,
});
type SockperfPlan = z.infer<typeof sockperfPlan>;
type SockperfSettings = Omit<SockperfPlan, 'tool' | 'repetitions'> & {
  readonly direction?: typeof THROUGHPUT_SETTINGS.direction;
};

const THROUGHPUT_SETTINGS = { direction: 'forward', parallelStreams: 1 } as const;
const isThroughput = ({ mode }: FigureSettings) => mode === 'throughput';

/** Above the ports of all measurements and their probes, and below those that the kernel assigns to connections. */
const FLOW_PORTS = { first: 10_000, measurements: 256, perMeasurement: 64 } as const;

function firstFlowPort({ port }: { readonly port: number }): number {
  return FLOW_PORTS.first + (port % FLOW_PORTS.measurements) * FLOW_PORTS.perMeasurement;
}

const common = (measurement: Planned<SockperfSettings>) => ({
  ...parametersOf(measurement, 'protocol', 'port', 'durationSeconds'),
  ParallelStreams: measurement.parallelStreams ?? 1,
  FirstFlowPort: firstFlowPort(measurement),
});

function problems({ mode, messagesPerSecond = 0, parallelStreams = 0, durationSeconds: seconds }: SockperfPlan) {
  const isLoad = mode === 'under_load';
  const tooMany = `at most ${Math.floor(MAX_MESSAGES / seconds)} over ${seconds} s: sockperf keeps every message in memory`;
  return planProblems([
    [isLoad && messagesPerSecond === 0, 'messagesPerSecond', 'given with mode under_load, because it is the load'],
    [
      !isLoad && messagesPerSecond > 0,
      'messagesPerSecond',
      `left out with mode ${mode}, which sends as fast as it can`,
    ],
    [!isLoad && parallelStreams > 0, 'parallelStreams', `left out with mode ${mode}, which has one flow`],
    [messagesPerSecond * seconds > MAX_MESSAGES, 'messagesPerSecond', tooMany],
  ]);
}

/** Mode throughput prints only the sender's average, so the series comes from the receiver's interface counters. */
function assembleSockperfThroughput({ client, server }: MeasurementStreams): AssembledMeasurement {
  if (client === undefined) return nothingAssembled(NO_CLIENT_STREAM);
  const output = parseSockperfThroughput(toolText(client));
  const span = loadSpan(client);
  const counted = span ? countedSeries(client, server, span, output.protocol === 'udp') : { samples: [], warnings: [] };
  const sinceStart = {
    direction: THROUGHPUT_SETTINGS.direction,
    originSeconds: client.header.startedAtSeconds,
    fromSeconds: 0,
  } as const;
  const counters = countersOfHosts({ client, server }, span ?? sinceStart);
  return {
    samples: [...counted.samples, ...counters],
    statistics: throughputStatistics([output], {
      directions: [THROUGHPUT_SETTINGS.direction],
      samples: counted.samples,
      sentDirections: [],
    }).statistics,
    ...clientFacts(output, client),
    warnings: [...output.warnings, ...counted.warnings],
  };
}

/** Returns the span of the load by the client's lines; undefined if it never began. Both clocks agree to the ms. */
function loadSpan(client: RawStream): LoadSpan | undefined {
  const began = timeOfLine(client, (line) => line.includes('Starting test...'));
  if (began === undefined) return undefined;
  // A client that was killed was sending until the last line that its host streamed.
  const ended = timeOfLine(client, (line) => line.includes('Test end (')) ?? client.lines.at(-1)?.time ?? began;
  return {
    direction: THROUGHPUT_SETTINGS.direction,
    originSeconds: began,
    fromSeconds: 0,
    toSeconds: roundMicros(ended - began),
  };
}

function countedSeries(client: RawStream, server: RawStream | undefined, span: LoadSpan, isUdp: boolean) {
  const received = server === undefined ? [] : throughputFromCounters(server, span, 'received');
  if (received.length > 0) {
    return {
      samples: [...received, ...throughputFromCounters(client, span, 'sent', 'sent_throughput')],
      warnings: ["throughput is what the receiver's interface counted, packet headers included"],
    };
  }
  return {
    samples: throughputFromCounters(client, span, 'sent', isUdp ? 'sent_throughput' : 'throughput'),
    warnings: [
      isUdp
        ? "nothing was counted by the receiver: only what the sender's interface offered is here, not what arrived"
        : "nothing was counted by the receiver: throughput is what the sender's interface counted",
    ],
  };
}

export const sockperf = {
  name: 'sockperf',
  plan: sockperfPlan,
  output: { inWords: 'sockperf', forms: [SOCKPERF_FORM] },
  programs: { sockperf: 'sockperf' },
  // The server prints nothing about a measurement, but its host counts what arrived and what exceeded allowances.
  serve: common,
  measure: (measurement: Planned<SockperfSettings>) => ({
    ...common(measurement),
    ...parametersOf(measurement, 'mode', 'messageBytes', 'messagesPerSecond'),
    ReplyEvery: Math.max(1, Math.round((measurement.messagesPerSecond ?? 0) / REPLIES_PER_SECOND)),
  }),
  // sockperf waits for its last messages.
  overheadSeconds: 3,
  settings: ({ tool: _tool, repetitions: _repetitions, ...settings }: SockperfPlan): SockperfSettings =>
    isThroughput(settings) ? { ...settings, ...THROUGHPUT_SETTINGS } : settings,
  problems,
  repetitionsOnPair: ({ repetitions }: SockperfPlan) => repetitions,
  kind: (settings: FigureSettings) => (isThroughput(settings) ? ('throughput' as const) : ('latency' as const)),
  ownFigures: ({ mode }: FigureSettings) => (mode === 'ping_pong' ? ['transactionsPerSecond'] : []),
  spendsCredits: (settings: SockperfSettings, route: MessageRoute) =>
    isThroughput(settings) || spendsMessageCredits(settings, route),
  notApplicable: ({ parallelStreams = 1 }: SockperfSettings, { path }: PairConditions) =>
    path === 'nlb' && parallelStreams > 1
      ? 'the load balancer listens on one port, and each flow needs a port of its own'
      : undefined,
  assemble: (streams, settings: SockperfSettings) =>
    isThroughput(settings)
      ? assembleSockperfThroughput(streams)
      : assembleClientOutput(streams, (text, command) => parseSockperfRoundTrips(text, contextOfCommand(command))),
} satisfies ToolModule<SockperfPlan, SockperfSettings>;
