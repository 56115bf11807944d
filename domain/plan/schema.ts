/**
 * The benchmark plan: what a user asks for. This schema is the one home of its rules; the JSON Schema that editors use
 * (`schemas/benchmark-plan.schema.json`) is generated from it (`npm run schema`) and a test holds them together.
 */
import * as z from 'zod';
import { DIRECTIONS, PLACEMENTS, PROTOCOLS, ZONE_RELATIONS } from '../measurement/measurement';

/** `c5.xlarge`, `u-6tb1.metal`, `m8g.metal-24xl`: EC2's own form, and nothing a shell could read as more. */
const instanceType = z
  .string()
  .regex(/^[a-z0-9-]{1,20}\.[a-z0-9-]{1,20}$/)
  .describe('EC2 instance type, e.g. "c5.xlarge"');

const durationSeconds = z.int().min(5).max(7200).describe('How long the tool runs, in seconds');

export const iperf3Measurement = z.strictObject({
  tool: z.literal('iperf3'),
  protocol: z.enum(PROTOCOLS).default('tcp'),
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

export const sockperfMeasurement = z.strictObject({
  tool: z.literal('sockperf'),
  protocol: z.enum(PROTOCOLS).default('tcp'),
  messageBytes: z.int().min(14).max(65_507).default(64).describe('Size of a ping-pong message'),
  durationSeconds,
});

export const measurementPlan = z.discriminatedUnion('tool', [iperf3Measurement, sockperfMeasurement]);

export const pairPlan = z.strictObject({
  clientType: instanceType,
  serverType: instanceType,
  zoneRelation: z.enum(ZONE_RELATIONS).default('same_zone').describe('Whether both hosts are in one zone'),
  placement: z.enum(PLACEMENTS).default('none').describe('Placement group strategy, one group per pair'),
});

export const benchmarkPlan = z.strictObject({
  $schema: z.string().optional().describe('For editors; ignored'),
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/)
    .describe('What this plan is for; shown in reports'),
  pairs: z.array(pairPlan).min(1).max(1000),
  measurements: z.array(measurementPlan).min(1).max(50).describe('Done on every pair, latency before throughput'),
  repetitions: z
    .int()
    .min(1)
    .max(100)
    .default(1)
    .describe('Each on a fresh pair, because a used one has spent its network credits'),
  concurrency: z.int().min(1).max(40).default(4).describe('How many pairs are measured at the same time'),
});

export type BenchmarkPlan = z.infer<typeof benchmarkPlan>;
export type PairPlan = z.infer<typeof pairPlan>;
export type MeasurementPlan = z.infer<typeof measurementPlan>;
