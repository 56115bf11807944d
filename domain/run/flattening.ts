/** The number of parallel streams beyond which more streams add nothing that matters. */
import { mean } from '../maths/statistics';
import { differenceOfMeans } from '../maths/difference';

export interface StreamsMeasured {
  readonly streams: number;
  /** The throughput of all streams together, one value for each repetition; at least one value. */
  readonly throughputsBitsPerSecond: readonly number[];
}

/** A smaller gain is nothing that an application would notice. */
const SMALLEST_NOTICEABLE_GAIN = 0.05;

/**
 * The smallest number of streams that no greater number beats by more than 5 %. Where both were repeated, the gain must
 * also be beyond the noise of the repetitions.
 * @param measured ascending by streams
 * @returns undefined where even the greatest number still gained, or where only one number was measured
 */
export function flattensAtStreams(measured: readonly StreamsMeasured[]): number | undefined {
  return measured
    .slice(0, -1)
    .find((few, index) => measured.slice(index + 1).every((many) => !gains(few.throughputsBitsPerSecond, many)))
    ?.streams;
}

function gains(few: readonly number[], { throughputsBitsPerSecond: many }: StreamsMeasured): boolean {
  const needed = SMALLEST_NOTICEABLE_GAIN * mean(few);
  // A single measurement says nothing about noise, so the difference itself has to decide.
  const least = few.length > 1 && many.length > 1 ? differenceOfMeans(few, many).low : mean(many) - mean(few) - needed;
  return mean(many) - mean(few) > needed && least > 0;
}
