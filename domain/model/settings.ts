/**
 * The table of a measurement's settings: what a tool is asked to do. The plan's schema, the columns of `measurements`,
 * the words of reports, the identity of a measurement (`cell.ts`), the summary and the forecast are derived from it.
 */
import * as z from 'zod';
import { bytes, counted, duration, grouped, spaced, threeDigits } from '../text/format';
import { setting, wordsOf, type ValuesOf } from './setting';

/** What a tool measures; it decides the form of the verdict, the report section and the statistics. */
export type MetricKind = 'throughput' | 'latency' | 'conditions' | 'packets';

const dutyCycle = z.strictObject({
  onSeconds: z.int().min(2).max(3600).describe('How long each run of the tool takes'),
  offSeconds: z.int().min(1).max(3600).describe('How long nothing is sent between two runs'),
});

const latencyProbe = z.strictObject({
  messageBytes: z.int().min(14).max(1400).default(64).describe('Size of a message, which fits into one packet'),
  // Slower probes cannot be placed on the time axis to a tenth of a second; faster ones are a load of their own.
  messagesPerSecond: z.int().min(10).max(1000).default(100).describe('How many round trips are measured each second'),
});

/** The name of a kernel module, as `sysctl net.ipv4.tcp_congestion_control` takes it. */
export const CONGESTION_CONTROL = /^[a-z][a-z0-9_]{0,14}$/;

/** Rounds to three digits only if no digit is lost, so that two different settings never have the same words. */
function exactRate(bitsPerSecond: number): string {
  const inGigabits = threeDigits(bitsPerSecond / 1e9);
  return Math.round(Number(inGigabits) * 1e9) === bitsPerSecond
    ? `${inGigabits} Gbit/s`
    : `${grouped(bitsPerSecond)} bit/s`;
}

/** In the order for a reader. A setting is absent if the tool does not have it, or if the plan left it out. */
export const SETTINGS = {
  mode: setting(z.string(), 'Which of its measurements the tool made, e.g. ping_pong', spaced),
  protocol: setting(z.enum(['tcp', 'udp']), 'Transport protocol: tcp or udp', (protocol) => protocol.toUpperCase()),
  scheme: setting(z.enum(['http', 'https']), 'http, or https with its encryption', (scheme) => scheme.toUpperCase()),
  parallelStreams: setting(z.int().min(1).max(64), 'Number of flows driven at once', (count) =>
    counted(count, 'stream'),
  ),
  messageBytes: setting(
    z.int(),
    'Size of a message or packet, without its headers',
    (size) => `messages of ${bytes(size)}`,
  ),
  messagesPerSecond: setting(
    z.int().min(10).max(1_000_000),
    'Offered rate of messages',
    (rate) => `${grouped(rate)} messages/s`,
  ),
  objectBytes: setting(z.int(), 'Size of a transferred object', (size) => `objects of ${bytes(size)}`),
  rangeBytes: setting(z.int(), 'How much of the object one request asked for', (size) => `ranges of ${bytes(size)}`),
  targetBitsPerSecond: setting(
    z.int().min(1_000).max(400_000_000_000),
    'Offered load of all streams together',
    (rate) => `${exactRate(rate)} offered`,
  ),
  datagramBytes: setting(
    z.int().min(16).max(65_507),
    'Payload of a UDP datagram; NULL where the tool chose it',
    (size) => `datagrams of ${bytes(size)}`,
  ),
  mssBytes: setting(
    z.int().min(88).max(8_961),
    'Longest TCP segment, without headers; NULL where the route decided',
    (size) => `MSS ${bytes(size)}`,
  ),
  congestionControl: setting(
    z.string().regex(CONGESTION_CONTROL),
    "TCP congestion control that was asked for; NULL for the host's own",
    (algorithm) => algorithm,
  ),
  socketBufferBytes: setting(
    z.int().min(4_096).max(536_870_912),
    "Socket buffers that were asked for; NULL for the host's own",
    (size) => `socket buffers of ${bytes(size)}`,
  ),
  packetCount: setting(z.int(), 'How many packets were to be sent', (count) => `${grouped(count)} packets`),
  intervalMillis: setting(z.int(), 'Milliseconds from one packet to the next', (interval) => `every ${interval} ms`),
  dutyCycle: setting(
    dutyCycle,
    {
      onSeconds: ['duty_on_seconds', 'Duty cycle: seconds with load in each cycle'],
      offSeconds: ['duty_off_seconds', 'Duty cycle: seconds without load between two cycles'],
    },
    ({ onSeconds, offSeconds }) => `${onSeconds} s on, ${offSeconds} s off`,
  ),
  latencyProbe: setting(
    latencyProbe,
    {
      messageBytes: ['probe_message_bytes', 'Latency probe during the load: size of a message'],
      messagesPerSecond: [
        'probe_messages_per_second',
        'Latency probe during the load: round trips measured each second',
      ],
    },
    (probe) => `with a latency probe of ${bytes(probe.messageBytes)}, ${grouped(probe.messagesPerSecond)} a second`,
  ),
  stopAfterThrottledSeconds: setting(
    z.int().min(10).max(3600),
    'The measurement ended this long after a throttle was seen',
    (afterSeconds) => `until throttled + ${afterSeconds} s`,
  ),
  direction: setting(
    z.enum(['forward', 'reverse', 'bidirectional']),
    'Who sends: forward, reverse or bidirectional',
    (direction) => direction,
  ),
  durationSeconds: setting(z.int(), 'How long the tool was to measure, at most', duration),
};

export type SettingName = keyof typeof SETTINGS;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

type SettingValues = ValuesOf<typeof SETTINGS>;
export type Protocol = SettingValues['protocol'];
export type DutyCycle = SettingValues['dutyCycle'];
/** Who sends: forward is client to server, reverse server to client. */
export type DrivenDirection = Exclude<SettingValues['direction'], 'bidirectional'>;

export type MeasurementSettings = Partial<SettingValues> & Pick<SettingValues, 'durationSeconds'>;

/** Returns the settings in words: `TCP, 8 streams, forward, 3 min`. */
export function settingsInWords(settings: MeasurementSettings): string {
  return wordsOf(SETTINGS, settings).join(', ');
}

/** The number of whole cycles within the duration; the pause after the last one is not part of the measurement. */
export function dutyCycleRuns({ durationSeconds, dutyCycle }: MeasurementSettings): number {
  if (dutyCycle === undefined) return 1;
  const { onSeconds, offSeconds } = dutyCycle;
  return Math.floor((durationSeconds + offSeconds) / (onSeconds + offSeconds));
}
