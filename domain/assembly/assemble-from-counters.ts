/**
 * A throughput series out of an interface's byte counters, for tools that print none or only averages, which hide a
 * throttle. Whole packets are counted, their headers included: some percent more than what a tool calls throughput.
 */
import type { RawStream } from './assemble-measurement';
import { counterSamples } from './counter-samples';
import type { DrivenDirection } from '../model/settings';
import type { Sample } from '../model/sample';
import { roundMicros } from '../series/second-grid';

export interface CountedLoad {
  readonly direction: DrivenDirection;
  /** What the host of the stream does with the measured traffic. */
  readonly counted: 'received' | 'sent';
  /** Unix time at which the load began, by the clock of this host; `startSeconds` of the samples counts from here. */
  readonly originSeconds: number;
  /** The load was on from here, counted from the origin. @default 0 */
  readonly fromSeconds?: number;
  /** And until here. @default as long as the host counted */
  readonly toSeconds?: number;
  /** @default 'throughput' */
  readonly metric?: 'throughput' | 'sent_throughput';
}

/**
 * Only seconds that lie within the load as a whole: one that it began or ended in looks like a slow one.
 *
 * @returns nothing but zeros where nothing was carried: whether the tool measured at all is for the caller to know
 */
export function throughputFromCounters(stream: RawStream, load: CountedLoad): Sample[] {
  const { direction, counted, originSeconds, fromSeconds = 0, toSeconds = Infinity, metric = 'throughput' } = load;
  const { hostRole } = stream.header;
  return counterSamples(stream.lines, { hostRole, direction, originSeconds, fromSeconds, toSeconds }).flatMap(
    ({ metric: of, startSeconds, lengthSeconds, receivedBitsPerSecond, sentBitsPerSecond }): Sample[] => {
      const throughputBitsPerSecond = counted === 'received' ? receivedBitsPerSecond : sentBitsPerSecond;
      const isWithin = startSeconds >= fromSeconds && roundMicros(startSeconds + lengthSeconds) <= toSeconds;
      if (of !== 'interface' || throughputBitsPerSecond === undefined || !isWithin) return [];
      return [{ metric, hostRole, direction, stream: 'sum', startSeconds, lengthSeconds, throughputBitsPerSecond }];
    },
  );
}
