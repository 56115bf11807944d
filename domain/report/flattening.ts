/** From how many parallel streams on more of them add nothing that counts. */
import { mean } from '../maths/statistics';
import { differenceOfMeans } from '../maths/difference';

export interface StreamsMeasured {
  readonly streams: number;
  /** Throughput of all streams together, of each repetition; at least one. */
  readonly throughputsBitsPerSecond: readonly number[];
}

/** A gain that an application would notice. */
const GAIN_THAT_COUNTS = 0.05;

/**
 * The smallest number of streams that no greater one beats by more than 5 %, beyond the noise where repetitions tell it.
 *
 * @param measured ascending by streams
 * @returns undefined where even the greatest number still gained, or where there is only one
 */
export function flattensAtStreams(measured: readonly StreamsMeasured[]): number | undefined {
  return measured
    .slice(0, -1)
    .find((few, index) => measured.slice(index + 1).every((many) => !gains(few.throughputsBitsPerSecond, many)))
    ?.streams;
}

function gains(few: readonly number[], { throughputsBitsPerSecond: many }: StreamsMeasured): boolean {
  const needed = GAIN_THAT_COUNTS * mean(few);
  // A single measurement says nothing about noise: then the difference itself has to do.
  const least = few.length > 1 && many.length > 1 ? differenceOfMeans(few, many).low : mean(many) - mean(few) - needed;
  return mean(many) - mean(few) > needed && least > 0;
}
