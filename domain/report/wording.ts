/** The words of the data model as a reader of the report sees them: the same words, with spaces and arrows. */
import type { MeasurementResult, MeasurementSettings } from '../measurement/measurement';
import { bytes, duration, gigabits, grouped } from './format';

/** `burst_then_throttle` is shown as "burst then throttle": the word that queries use stays recognisable. */
export function spaced(word: string): string {
  return word.replaceAll('_', ' ');
}

/** Arrow in the direction in which data flows. */
export function pairOfTypes(result: Pick<MeasurementResult, 'clientType' | 'serverType' | 'direction'>): string {
  const arrow = result.direction === 'reverse' ? '←' : result.direction === 'forward' ? '→' : '⇄';
  return `${result.clientType} ${arrow} ${result.serverType}`;
}

/** Of the hosts that were there, each zone once. */
export function zoneNames({ client, server }: MeasurementResult): string {
  return [...new Set([client?.zone, server?.zone])].filter(Boolean).join(', ');
}

export function zones(result: MeasurementResult): string {
  return [spaced(result.zoneRelation), zoneNames(result)].filter(Boolean).join(': ');
}

type SettingWords = (settings: MeasurementSettings) => string | undefined;

/** How each setting of a measurement is said, in the order in which they are; the duration comes last. */
export const SETTING_WORDS: readonly SettingWords[] = [
  ({ mode }) => present(mode, spaced),
  ({ protocol }) => protocol?.toUpperCase(),
  ({ scheme }) => scheme?.toUpperCase(),
  ({ parallelStreams }) => present(parallelStreams, streamsWords),
  ({ messageBytes }) => present(messageBytes, (value) => `messages of ${bytes(value)}`),
  ({ messagesPerSecond }) => present(messagesPerSecond, (value) => `${grouped(value)} messages/s`),
  ({ objectBytes }) => present(objectBytes, (value) => `objects of ${bytes(value)}`),
  ({ rangeBytes }) => present(rangeBytes, (value) => `ranges of ${bytes(value)}`),
  ({ targetBitsPerSecond }) => present(targetBitsPerSecond, (value) => `${gigabits(value)} Gbit/s offered`),
  ({ packetCount }) => present(packetCount, (value) => `${grouped(value)} packets`),
  ({ dutyCycle }) => present(dutyCycle, (value) => `${value.onSeconds} s on, ${value.offSeconds} s off`),
  ({ latencyProbe }) => present(latencyProbe, () => 'with a latency probe'),
  ({ stopAfterThrottledSeconds }) => present(stopAfterThrottledSeconds, (value) => `until throttled + ${value} s`),
  ({ direction }) => direction,
  ({ durationSeconds }) => duration(durationSeconds),
];

function present<T>(value: T | undefined, words: (value: T) => string): string | undefined {
  return value === undefined ? undefined : words(value);
}

export const streamsWords = (count: number) => `${count} stream${count === 1 ? '' : 's'}`;

/** `TCP, 8 streams, forward, 3 min` */
export function load(settings: MeasurementSettings): string {
  return SETTING_WORDS.flatMap((words) => words(settings) ?? []).join(', ');
}

/** The bottleneck of two published figures: the lower, if both are known. */
export function publishedLimit(
  result: MeasurementResult,
  key: 'baselineBitsPerSecond' | 'peakBitsPerSecond',
): number | undefined {
  const client = result.publishedClient?.[key];
  const server = result.publishedServer?.[key];
  return client === undefined || server === undefined ? undefined : Math.min(client, server);
}
