/** What one measurement shows about the rates that its pair carries: for how long, and which one to the end. */
import { intervalAround, mapInterval, propagate, type Interval } from '../../maths/interval';
import type { MeasurementResult } from '../../model/result';
import { FULL_CREDITS_OF_ANOTHER_PAIR, holdSeconds } from '../../model/token-bucket';
import type { Verdict } from '../../model/verdict';
import { drivenStatistics } from '../verdict-table';

/**
 * A tool counts payload, and a type's rate includes headers: at an MTU of 1,500 bytes, 1,448 of the 1,538 bytes that a
 * full TCP segment takes on the wire are payload, which is 94 %. A measured rate from this share on is the rate itself.
 */
const PAYLOAD_SHARE = 0.94;

export function carries(measuredBitsPerSecond: number, bitsPerSecond: number): boolean {
  return measuredBitsPerSecond >= PAYLOAD_SHARE * bitsPerSecond;
}

/**
 * The rate that is left when no credits are. Where no drop was seen it is not known: the measured rate is an upper bound
 * if the type is published to sustain less, and a lower bound if the load offered no more.
 */
export interface SustainedRate extends Interval {
  readonly bound: 'measured' | 'at_most' | 'at_least';
}

/**
 * | verdict                                                        | the sustained rate              |
 * | -------------------------------------------------------------- | ------------------------------- |
 * | a fall of network credits                                      | the level after it              |
 * | a fall of any other cause                                      | not known                       |
 * | none, at a rate above the published baseline                   | at most the mean                |
 * | none, at the rate that the plan offered                        | at least the mean               |
 * | one level: steady, with dips, noisy, or at a limit that is named | the mean                        |
 * | any other: a ramp, a rise, a series that is too short          | not known                       |
 */
export function sustainedRate(result: MeasurementResult): SustainedRate | undefined {
  const { verdict, targetBitsPerSecond: offered } = result;
  const mean = drivenStatistics(result)?.throughputBitsPerSecond?.mean;
  if (verdict === null || mean === undefined) return undefined;
  if (verdict.baseline !== null) {
    // What another cause leaves is no rate of the type.
    return verdict.cause === 'network_credits' ? { ...verdict.baseline, bound: 'measured' } : undefined;
  }
  const bound = verdict.bucketBitsAtLeast !== null ? 'at_most' : isOffered(mean, offered) ? 'at_least' : 'measured';
  return LEVEL_KINDS.has(verdict.kind) ? { ...intervalAround(mean, null), bound } : undefined;
}

const LEVEL_KINDS: ReadonlySet<Verdict['kind']> = new Set(['steady', 'dips', 'noisy']);

/** A type that carries all of what is offered may carry more. */
function isOffered(mean: number, offered: number | undefined): boolean {
  return offered !== undefined && offered > 0 && mean >= 0.9 * offered;
}

/**
 * How long a rate is held, from full credits:
 *
 * | kind       |                                                               |
 * | ---------- | ------------------------------------------------------------- |
 * | `always`   | the rate is sustained                                         |
 * | `for`      | so long, by the model of the token bucket (`token-bucket.ts`) |
 * | `at_least` | so long, and no drop was seen                                 |
 * | `never`    | the pair does not reach the rate                              |
 */
export type Hold =
  | { readonly kind: 'always' | 'never' }
  | { readonly kind: 'for'; readonly seconds: Interval }
  | { readonly kind: 'at_least'; readonly seconds: number };

/** @returns undefined where the measurement does not show it */
export function holdOf(result: MeasurementResult, bitsPerSecond: number): Hold | undefined {
  const sustained = sustainedRate(result);
  const highest = highestRate(result);
  if (sustained === undefined || highest === undefined) return undefined;
  if (!carries(highest, bitsPerSecond)) return sustained.bound === 'at_least' ? undefined : { kind: 'never' };
  // Where the credits decide, a rate that the tool counts without headers is that of the burst.
  const rate = Math.min(bitsPerSecond, highest);
  if (sustained.bound === 'at_most') return leastHold(result, rate);
  if (!carries(sustained.value, bitsPerSecond)) return bucketHold(result, rate);
  return isShownToLast(result) ? { kind: 'always' } : { kind: 'at_least', seconds: result.sampleCount ?? 0 };
}

/** Without a fall, only the published baselines can say that there are no credits left to run out. */
function isShownToLast({ verdict, publishedClient, publishedServer }: MeasurementResult): boolean {
  const arePublished = [publishedClient, publishedServer].every((facts) => facts?.baselineBitsPerSecond !== undefined);
  return verdict?.baseline !== null || arePublished;
}

/** The burst, or the mean where there is none. */
function highestRate(result: MeasurementResult): number | undefined {
  return result.verdict?.burst?.value ?? drivenStatistics(result)?.throughputBitsPerSecond?.mean;
}

/** Only a verdict that has hold times of its own found that one bucket explains the series. */
function bucketHold({ verdict }: MeasurementResult, bitsPerSecond: number): Hold | undefined {
  if (!verdict?.bucket || !verdict.baseline || !verdict.holdTimes.some(({ seconds }) => seconds !== null)) {
    return undefined;
  }
  const inputs = [verdict.bucket, verdict.baseline, FULL_CREDITS_OF_ANOTHER_PAIR] as const;
  const seconds = propagate(inputs, ([bucketBits, baselineBitsPerSecond, share]) =>
    holdSeconds({ bucketBits: share * bucketBits, baselineBitsPerSecond }, bitsPerSecond),
  );
  return { kind: 'for', seconds: mapInterval(seconds, (end) => Math.max(0, end)) };
}

/** By the same published baseline as the verdict's own hold times, which it follows from. */
function leastHold({ verdict }: MeasurementResult, bitsPerSecond: number): Hold | undefined {
  const known = verdict?.holdTimes.at(-1);
  const bucketBits = verdict?.bucketBitsAtLeast;
  if (known?.seconds !== null || typeof bucketBits !== 'number') return undefined;
  const baselineBitsPerSecond = known.bitsPerSecond - bucketBits / known.atLeastSeconds;
  const seconds = holdSeconds({ bucketBits, baselineBitsPerSecond }, bitsPerSecond);
  return seconds === Infinity ? { kind: 'always' } : { kind: 'at_least', seconds };
}
