/** ping: round trips of single ICMP packets. The server's kernel answers them, so the server only streams counters. */
import * as z from 'zod';
import { assembleClientOutput } from '../../assembly/assemble-measurement';
import { spendsMessageCredits, type MessageRoute } from '../../forecast/message-volume';
import { SETTINGS, type MeasurementSettings } from '../../model/settings';
import type { PairConditions } from '../../model/conditions';
import { parsePingText, PING_FORM } from './text';
import {
  parametersOf,
  planProblems,
  repetitionsOnPair,
  type Planned,
  type ToolModule,
  type ToolPlanProblem,
} from '../tool-module';

const MAX_SECONDS = 7200;

const pingPlan = z.strictObject({
  tool: z.literal('ping'),
  count: SETTINGS.packetCount.schema.min(2).max(10_000).default(100).describe('How many packets'),
  intervalMillis: SETTINGS.intervalMillis.schema
    .min(2)
    .max(10_000)
    .default(200)
    .describe('Milliseconds from one packet to the next'),
  // A packet of less than 16 bytes has no room for its send time, so ping prints no round trip.
  packetBytes: SETTINGS.messageBytes.schema
    .min(16)
    .max(65_507)
    .default(56)
    .describe('Size of a packet, without its headers'),
  repetitions: repetitionsOnPair,
});
type PingPlan = z.infer<typeof pingPlan>;
type PingSettings = Required<
  Pick<MeasurementSettings, 'durationSeconds' | 'packetCount' | 'intervalMillis' | 'messageBytes'>
>;

const secondsOf = ({ count, intervalMillis }: Pick<PingPlan, 'count' | 'intervalMillis'>) =>
  Math.ceil((count * intervalMillis) / 1000);

function problems(plan: PingPlan): ToolPlanProblem[] {
  const seconds = secondsOf(plan);
  const allowed = `lower, because the packets may take at most ${MAX_SECONDS} s (they would take ${seconds} s)`;
  return planProblems([[seconds > MAX_SECONDS, 'count', allowed]]);
}

/** Returns how many packets the command line asks for. */
function packetCountOf(command: readonly string[]): number | undefined {
  // A shell's own `-c` may precede ping's.
  const count = Number(command[command.lastIndexOf('-c') + 1]);
  return Number.isInteger(count) ? count : undefined;
}

export const ping = {
  name: 'ping',
  plan: pingPlan,
  output: { inWords: 'ping (iputils)', forms: [PING_FORM] },
  programs: { ping: 'iputils-ping' },
  serve: (measurement) => parametersOf(measurement, 'durationSeconds', 'intervalMillis'),
  measure: (measurement: Planned<PingSettings>) => ({
    ...parametersOf(measurement, 'packetCount', 'intervalMillis'),
    PacketBytes: measurement.messageBytes,
  }),
  // ping waits for the last reply.
  overheadSeconds: 1,
  settings: (plan: PingPlan): PingSettings => ({
    durationSeconds: secondsOf(plan),
    packetCount: plan.count,
    intervalMillis: plan.intervalMillis,
    messageBytes: plan.packetBytes,
  }),
  problems,
  repetitionsOnPair: ({ repetitions }: PingPlan) => repetitions,
  kind: () => 'latency' as const,
  // Like UDP, ICMP has no acknowledgements and is cut into fragments.
  spendsCredits: ({ messageBytes, intervalMillis }: PingSettings, route: MessageRoute) =>
    spendsMessageCredits({ protocol: 'udp', messageBytes, messagesPerSecond: 1000 / intervalMillis }, route),
  notApplicable: (_: unknown, { path }: PairConditions) =>
    path === 'nlb' ? 'a Network Load Balancer forwards no ICMP' : undefined,
  assemble: (streams) => assembleClientOutput(streams, (text, command) => parsePingText(text, packetCountOf(command))),
} satisfies ToolModule<PingPlan, PingSettings>;
