/**
 * A throughput series from an interface's byte counters, for tools that print none, or only averages, which hide a
 * throttle. Interfaces count whole packets with their headers: some percent more than what a tool calls throughput.
 */
import type { Sample } from '../model/sample';
import { roundMicros } from '../series/second-grid';
import { counterSamples, type CounterContext } from './counter-samples';
import type { MeasurementStreams, RawStream } from './raw-streams';

/** When the load ran, counted from the origin; without an end, for as long as the host counted. */
export type LoadSpan = Omit<CounterContext, 'hostRole'> & { readonly fromSeconds: number };

/** Samples of all counters of both hosts. */
export function countersOfHosts({ client, server }: MeasurementStreams, span: LoadSpan): Sample[] {
  return [client, server].flatMap((stream) =>
    stream === undefined ? [] : counterSamples(stream.lines, { ...span, hostRole: stream.header.hostRole }),
  );
}

/**
 * Omits seconds that the load only partly covers, because they look slow.
 *
 * @param counted what the host of the stream does with the measured traffic
 * @returns zeros alone where nothing was carried: whether the tool measured at all is for the caller to decide
 */
export function throughputFromCounters(
  stream: RawStream,
  span: LoadSpan,
  counted: 'received' | 'sent',
  metric: 'throughput' | 'sent_throughput' = 'throughput',
): Sample[] {
  const { hostRole } = stream.header;
  const { direction, fromSeconds, toSeconds = Infinity } = span;
  return counterSamples(stream.lines, { ...span, hostRole }).flatMap((sample): Sample[] => {
    const { startSeconds, lengthSeconds } = sample;
    const throughputBitsPerSecond = counted === 'received' ? sample.receivedBitsPerSecond : sample.sentBitsPerSecond;
    const isWithin = startSeconds >= fromSeconds && roundMicros(startSeconds + lengthSeconds) <= toSeconds;
    if (sample.metric !== 'interface' || throughputBitsPerSecond === undefined || !isWithin) return [];
    return [{ metric, hostRole, direction, stream: 'sum', startSeconds, lengthSeconds, throughputBitsPerSecond }];
  });
}
