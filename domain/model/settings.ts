/**
 * The table of a measurement's settings: what a tool is asked to do. Adding a setting is one entry here, and its use in
 * the tool that has it. The plan's schema, the columns of `measurements`, the words of reports, the identity of a
 * measurement (`cell.ts`), the summary and the forecast follow from this table.
 */
import * as z from 'zod';
import { bytes, counted, duration, grouped, spaced, threeDigits } from '../text/format';
import { setting, wordsOf, type ValuesOf } from './setting';

/** What a tool measures; a measurement's verdict, report section and statistics follow from it. */
export type MetricKind = 'throughput' | 'latency' | 'conditions';

const PROTOCOLS = ['tcp', 'udp'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** Who sends: forward is client to server, reverse server to client. */
const DIRECTIONS = ['forward', 'reverse', 'bidirectional'] as const;
export type Direction = (typeof DIRECTIONS)[number];
export type DrivenDirection = Exclude<Direction, 'bidirectional'>;

const dutyCycle = z.strictObject({
  onSeconds: z.int().min(2).max(3600).describe('How long each run of the tool takes'),
  offSeconds: z.int().min(1).max(3600).describe('How long nothing is sent between two runs'),
});
export type DutyCycle = Readonly<z.infer<typeof dutyCycle>>;

const latencyProbe = z.strictObject({
  messageBytes: z.int().min(14).max(1400).default(64).describe('Size of a message, which fits into one packet'),
  // Slower probes cannot be placed on the time axis to a tenth of a second; faster ones are a load of their own.
  messagesPerSecond: z.int().min(10).max(1000).default(100).describe('How many round trips are measured each second'),
});
export type LatencyProbe = Readonly<z.infer<typeof latencyProbe>>;

/** Three digits where they are the whole rate, else every digit: two different settings never have the same words. */
function exactRate(bitsPerSecond: number): string {
  const inGigabits = threeDigits(bitsPerSecond / 1e9);
  return Math.round(Number(inGigabits) * 1e9) === bitsPerSecond
    ? `${inGigabits} Gbit/s`
    : `${grouped(bitsPerSecond)} bit/s`;
}

/**
 * In the order in which a reader wants them: what is done, how much of it, and last for how long. Absent means that the
 * tool has no such setting, or that the plan left it out.
 */
export const SETTINGS = {
  mode: setting(
    z.string(),
    { column: 'mode', type: 'string', comment: 'Which of its measurements the tool made, e.g. ping_pong' },
    spaced,
  ),
  protocol: setting(
    z.enum(PROTOCOLS),
    { column: 'protocol', type: 'string', comment: 'Transport protocol: tcp or udp' },
    (protocol) => protocol.toUpperCase(),
  ),
  scheme: setting(
    z.enum(['http', 'https']),
    { column: 'scheme', type: 'string', comment: 'http, or https with its encryption' },
    (scheme) => scheme.toUpperCase(),
  ),
  parallelStreams: setting(
    z.int().min(1).max(64),
    { column: 'parallel_streams', type: 'bigint', comment: 'Number of flows driven at once' },
    (count) => counted(count, 'stream'),
  ),
  messageBytes: setting(
    z.int(),
    { column: 'message_bytes', type: 'bigint', comment: 'Size of a message or packet, without its headers' },
    (size) => `messages of ${bytes(size)}`,
  ),
  messagesPerSecond: setting(
    z.int().min(10).max(1_000_000),
    { column: 'messages_per_second', type: 'bigint', comment: 'Offered rate of messages' },
    (rate) => `${grouped(rate)} messages/s`,
  ),
  objectBytes: setting(
    z.int(),
    { column: 'object_bytes', type: 'bigint', comment: 'Size of a transferred object' },
    (size) => `objects of ${bytes(size)}`,
  ),
  rangeBytes: setting(
    z.int(),
    { column: 'range_bytes', type: 'bigint', comment: 'How much of the object one request asked for' },
    (size) => `ranges of ${bytes(size)}`,
  ),
  targetBitsPerSecond: setting(
    z.int().min(1_000).max(400_000_000_000),
    { column: 'target_bits_per_second', type: 'bigint', comment: 'Offered load of all streams together' },
    (rate) => `${exactRate(rate)} offered`,
  ),
  packetCount: setting(
    z.int(),
    { column: 'packet_count', type: 'bigint', comment: 'How many packets were to be sent' },
    (count) => `${grouped(count)} packets`,
  ),
  intervalMillis: setting(
    z.int(),
    { column: 'interval_millis', type: 'bigint', comment: 'Milliseconds from one packet to the next' },
    (interval) => `every ${interval} ms`,
  ),
  dutyCycle: {
    schema: dutyCycle,
    columns: [
      {
        column: 'duty_on_seconds',
        type: 'bigint' as const,
        comment: 'Duty cycle: seconds with load in each cycle',
        value: (cycle: DutyCycle) => cycle.onSeconds,
      },
      {
        column: 'duty_off_seconds',
        type: 'bigint' as const,
        comment: 'Duty cycle: seconds without load between two cycles',
        value: (cycle: DutyCycle) => cycle.offSeconds,
      },
    ],
    words: (cycle: DutyCycle) => `${cycle.onSeconds} s on, ${cycle.offSeconds} s off`,
  },
  latencyProbe: {
    schema: latencyProbe,
    columns: [
      {
        column: 'probe_message_bytes',
        type: 'bigint' as const,
        comment: 'Latency probe beside the load: size of a message',
        value: (probe: LatencyProbe) => probe.messageBytes,
      },
      {
        column: 'probe_messages_per_second',
        type: 'bigint' as const,
        comment: 'Latency probe beside the load: round trips measured each second',
        value: (probe: LatencyProbe) => probe.messagesPerSecond,
      },
    ],
    words: (probe: LatencyProbe) =>
      `with a latency probe of ${bytes(probe.messageBytes)}, ${grouped(probe.messagesPerSecond)} a second`,
  },
  stopAfterThrottledSeconds: setting(
    z.int().min(10).max(3600),
    {
      column: 'stop_after_throttled_seconds',
      type: 'bigint',
      comment: 'The measurement ended this long after a throttle was seen',
    },
    (afterSeconds) => `until throttled + ${afterSeconds} s`,
  ),
  direction: setting(
    z.enum(DIRECTIONS),
    { column: 'direction', type: 'string', comment: 'Who sends: forward, reverse or bidirectional' },
    (direction) => direction,
  ),
  durationSeconds: setting(
    z.int(),
    { column: 'duration_seconds', type: 'bigint', comment: 'How long the tool was to measure, at most' },
    duration,
  ),
};

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

type SettingValues = ValuesOf<typeof SETTINGS>;

/**
 * The settings of any tool: those that a tool does not have are absent. `ToolSettings` (domain/tools/catalogue.ts) is
 * the same as a union by tool, for code that knows which tool it has.
 */
export type MeasurementSettings = Partial<SettingValues> & Pick<SettingValues, 'durationSeconds'>;

/** `TCP, 8 streams, forward, 3 min` */
export function settingsInWords(settings: MeasurementSettings): string {
  return wordsOf(SETTINGS, settings).join(', ');
}

/** How many whole cycles fit into the duration; the silence after the last one is no part of the measurement. */
export function dutyCycleRuns({ durationSeconds, dutyCycle }: MeasurementSettings): number {
  if (dutyCycle === undefined) return 1;
  const { onSeconds, offSeconds } = dutyCycle;
  return Math.floor((durationSeconds + offSeconds) / (onSeconds + offSeconds));
}
