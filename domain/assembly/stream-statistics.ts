/** Parallel streams side by side, each a program of its own: how fast each was, and which of them lagged behind. */
import { median } from '../maths/statistics';
import type { StreamStatistics } from '../model/statistics';

/**
 * A stream is a straggler when it is slower than two thirds of the median of the others. The median, so that one fast or one
 * slow stream among them does not matter; of the others, so that it says something of two; two thirds, because flows that
 * share a link fairly differ by a tenth to a fifth over minutes, and the stragglers that were seen on S3 ran at half the
 * speed.
 */
const STRAGGLER_SHARE = 2 / 3;

/** @param rates bits per second of each stream, by its number. */
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
