/** Parallel streams that are programs of their own: how fast each was, and which of them lagged behind. */
import { median } from '../maths/statistics';
import type { StreamStatistics } from '../model/statistics';

/**
 * A stream is a straggler when it is slower than this share of the median of the others, in which one fast or slow stream
 * does not matter; without the stream itself the rule works for two. Flows that share a link fairly differ by a tenth to
 * a fifth over minutes, and the stragglers seen on S3 ran at half the speed.
 */
const STRAGGLER_SHARE = 2 / 3;

/** @param rates bits per second of each stream, by its number */
export function streamStatistics(rates: ReadonlyMap<number, number>): StreamStatistics[] {
  return [...rates]
    .sort(([left], [right]) => left - right)
    .map(([stream, throughputBitsPerSecond]) => {
      const others = [...rates].flatMap(([other, rate]) => (other === stream ? [] : [rate]));
      return {
        stream: String(stream),
        throughputBitsPerSecond,
        isStraggler: others.length > 0 && throughputBitsPerSecond < STRAGGLER_SHARE * median(others),
      };
    });
}
