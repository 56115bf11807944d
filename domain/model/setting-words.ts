/** How each setting of a measurement is said in words. */
import { bytes, duration, gigabits, grouped, spaced } from '../text/format';
import type { MeasurementSettings } from './settings';

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
