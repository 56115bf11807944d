/** iperf3: throughput of TCP or UDP streams, second by second. */
import * as z from 'zod';
import { DIRECTIONS } from '../measurement/measurement';
import type { PlannedMeasurement } from '../plan/planned-run';
import { assembleIperf3 } from './iperf3-streams';
import { durationSeconds, protocol } from './plan-fields';
import type { ToolModule } from './tool-module';

const plan = z.strictObject({
  tool: z.literal('iperf3'),
  protocol,
  parallelStreams: z
    .int()
    .min(1)
    .max(64)
    .default(8)
    .describe('Flows driven at once; a single flow is capped at 5 Gbps outside a cluster placement group'),
  direction: z
    .enum(DIRECTIONS)
    .default('forward')
    .describe('Who sends: forward is client to server, reverse server to client'),
  durationSeconds,
  targetBitsPerSecond: z
    .int()
    .min(1_000)
    .max(400_000_000_000)
    .optional()
    .describe('Offered load over all streams; required for UDP, where iperf3 would offer 1 Mbit/s by itself'),
});
type Iperf3Plan = z.infer<typeof plan>;

const common = (measurement: PlannedMeasurement) => ({
  Protocol: measurement.protocol ?? 'tcp',
  Port: String(measurement.port),
  DurationSeconds: String(measurement.durationSeconds),
});

export const iperf3 = {
  name: 'iperf3',
  plan,
  packages: ['iperf3'],
  programs: ['iperf3'],
  serve: { document: 'serve-iperf3', parameters: common },
  measure: {
    document: 'measure-iperf3',
    parameters: (measurement: PlannedMeasurement) => ({
      ...common(measurement),
      ParallelStreams: String(measurement.parallelStreams ?? 1),
      Direction: measurement.direction ?? 'forward',
      TargetBitsPerSecond: String(measurement.targetBitsPerSecond ?? 0),
    }),
  },
  overheadSeconds: 2,
  printsSeries: true,
  settings: ({ tool, ...settings }: Iperf3Plan) => settings,
  problems: ({ protocol: carrier, targetBitsPerSecond }: Iperf3Plan) =>
    carrier === 'udp' && targetBitsPerSecond === undefined
      ? [
          {
            key: 'targetBitsPerSecond',
            allowed: 'given with protocol udp (iperf3 would offer 1 Mbit/s by itself)',
          },
        ]
      : [],
  kind: () => 'throughput' as const,
  spendsCredits: () => true,
  hasServerStream: () => true,
  assemble: assembleIperf3,
} satisfies ToolModule<Iperf3Plan>;
