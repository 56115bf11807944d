/** sockperf: round trips of single messages. */
import * as z from 'zod';
import { assembleLatency } from '../measurement/assemble-latency';
import { parseSockperfText } from '../parsers/sockperf-text';
import type { PlannedMeasurement } from '../plan/planned-run';
import { durationSeconds, protocol, repetitionsOnPair } from './plan-fields';
import type { ToolModule } from './tool-module';

const plan = z.strictObject({
  tool: z.literal('sockperf'),
  protocol,
  messageBytes: z.int().min(14).max(65_507).default(64).describe('Size of a ping-pong message'),
  durationSeconds,
  repetitions: repetitionsOnPair,
});
type SockperfPlan = z.infer<typeof plan>;

const common = (measurement: PlannedMeasurement) => ({
  Protocol: measurement.protocol ?? 'tcp',
  Port: String(measurement.port),
  DurationSeconds: String(measurement.durationSeconds),
});

export const sockperf = {
  name: 'sockperf',
  plan,
  packages: ['sockperf'],
  programs: ['sockperf'],
  serve: { document: 'serve-sockperf', parameters: common },
  measure: {
    document: 'measure-sockperf',
    parameters: (measurement: PlannedMeasurement) => ({
      ...common(measurement),
      MessageBytes: String(measurement.messageBytes),
    }),
  },
  overheadSeconds: 2,
  printsSeries: false,
  settings: ({ tool, repetitions, ...settings }: SockperfPlan) => settings,
  repetitionsOnPair: ({ repetitions }: SockperfPlan) => repetitions,
  kind: () => 'latency' as const,
  spendsCredits: () => false,
  // sockperf's server prints nothing about the measurement.
  hasServerStream: () => false,
  assemble: (streams) => assembleLatency(streams, parseSockperfText),
} satisfies ToolModule<SockperfPlan>;
