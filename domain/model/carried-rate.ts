/** Decides which rates a pair carries, and how long, for the report, the tables, the expectations and the queries. */
import { intervalAround, mapInterval, propagate, type Interval } from '../maths/interval';
import type { MeasurementResult } from './result';
import { drivenStatistics } from './statistics';
import { FULL_CREDITS_OF_ANOTHER_PAIR, holdSeconds } from './token-bucket';
import type { Verdict } from './verdict';

/**
 * A tool counts payload, but a type's rate includes headers: at an MTU of 1,500 bytes, a full TCP segment has 1,448
 * bytes of payload and takes 1,538 on the wire, which is 94 %. A measured rate of at least this share of a type's rate
 * therefore counts as that rate.
 */
const PAYLOAD_SHARE = 0.94;

function carries(measuredBitsPerSecond: number, bitsPerSecond: number): boolean {
  return measuredBitsPerSecond >= PAYLOAD_SHARE * bitsPerSecond;
}

export const RATE_BOUNDS = ['measured', 'at_most', 'at_least'] as const;

/**
 * The rate that is left without credits. If no drop was seen, it is not known: the measured rate is an upper bound if
 * the published baseline is lower, and a lower bound if the load offered no more.
 */
export interface SustainedRate extends Interval {
  readonly bound: (typeof RATE_BOUNDS)[number];
}

type RatedSettings = 'targetBitsPerSecond' | 'dutyCycle' | 'publishedClient' | 'publishedServer';
export type RatedResult = Pick<MeasurementResult, 'kind' | 'statistics' | 'verdict' | 'sampleCount' | RatedSettings>;

/**
 * Returns the sustained rate by the verdict; the first row that applies decides.
 *
 * | verdict                                                | the sustained rate |
 * | ------------------------------------------------------ | ------------------ |
 * | a drop of network credits                              | the level after it |
 * | a drop of any other cause                              | not known          |
 * | no drop, but the load had pauses                       | not known          |
 * | one level (steady, dips, noisy) above the published    | at most the mean   |
 * | baseline                                               |                    |
 * | one level, at the rate that the plan offered           | at least the mean  |
 * | one level otherwise, whatever limited it               | the mean           |
 * | any other: a ramp, a rise, an outage, too few samples  | not known          |
 */
export function sustainedRate(result: RatedResult): SustainedRate | undefined {
  const { verdict, dutyCycle } = result;
  if (verdict === null) return undefined;
  if (verdict.baseline !== null) {
    // A level that another cause leaves is not the rate of the type.
    return verdict.cause === 'network_credits' ? { ...verdict.baseline, bound: 'measured' } : undefined;
  }
  const mean = drivenStatistics(result)?.throughputBitsPerSecond?.mean;
  if (mean === undefined || dutyCycle !== undefined || !LEVEL_KINDS.has(verdict.kind)) return undefined;
  const bound = verdict.bucketBitsAtLeast !== null ? 'at_most' : isOffered(mean, result) ? 'at_least' : 'measured';
  return { ...intervalAround(mean, null), bound };
}

const LEVEL_KINDS: ReadonlySet<Verdict['kind']> = new Set(['steady', 'dips', 'noisy']);

/** Whether the load limited the rate: a type that carries all that is offered may carry more. */
function isOffered(mean: number, { targetBitsPerSecond: offered = 0 }: RatedResult): boolean {
  return offered > 0 && mean >= 0.9 * offered;
}

export const HOLD_KINDS = ['always', 'for', 'at_least', 'never'] as const;

/** How long a rate is held if credits are full at first. */
export type Hold =
  | { readonly kind: 'always' | 'never' }
  | { readonly kind: 'for'; readonly seconds: Interval }
  | { readonly kind: 'at_least'; readonly seconds: number };

/**
 * Decides how long a rate is held; the first row that applies decides. A rate is carried if the measured one reaches
 * `PAYLOAD_SHARE` of it. If credits ran out, the fastest and slowest seconds are the burst and the level after it; for
 * a steady rate, both are the mean; otherwise they are the 95th and 5th percentile, because a rate that scatters does
 * not hold its mean.
 *
 * | what was measured                                                  | the rate is held                         |
 * | ------------------------------------------------------------------ | ---------------------------------------- |
 * | no verdict, too few samples, an outage                             | not known                                |
 * | the fastest seconds don't carry it, and the load offered no more   | not known                                |
 * | the fastest seconds don't carry it                                 | never                                    |
 * | credits ran out, and the level after it carries it                 | always                                   |
 * | credits ran out, and a single bucket explains it                   | for bucket / (rate - baseline)           |
 * | credits ran out otherwise, and no pauses hide the bucket           | at least until the onset                 |
 * | the load had pauses, or the slowest seconds don't carry it         | not known                                |
 * | one level above the published baseline                             | at least until the measured volume above |
 * |                                                                    | the baseline is spent at this rate;      |
 * |                                                                    | always up to the published baseline      |
 * | one level, and the published baselines of both hosts are known     | always                                   |
 * | any other                                                          | at least as long as was measured         |
 * @returns undefined if the measurement does not show it
 */
export function holdOf(result: RatedResult, bitsPerSecond: number): Hold | undefined {
  const { verdict } = result;
  // With too few samples, or an outage, no second shows the rate of the type.
  if (verdict === null || verdict.kind === 'insufficient' || verdict.kind === 'outage') return undefined;
  const seen = seenRates(result, verdict);
  if (seen === undefined) return undefined;
  if (!carries(seen.fastest, bitsPerSecond)) return isOffered(seen.fastest, result) ? undefined : { kind: 'never' };
  // A nominal rate includes headers and may exceed the payload rate of the burst, which is then what spends credits.
  const rate = Math.min(bitsPerSecond, seen.fastest);
  const isSlowestEnough = carries(seen.slowest, bitsPerSecond);
  if (verdict.cause === 'network_credits' && verdict.baseline !== null) {
    return isSlowestEnough ? { kind: 'always' } : creditHold(result, verdict, rate);
  }
  if (result.dutyCycle !== undefined || !isSlowestEnough) return undefined;
  if (verdict.bucketBitsAtLeast !== null) return leastHold(verdict, rate);
  const { sampleCount = 0 } = result;
  return isLevelToLast(result, verdict) ? { kind: 'always' } : { kind: 'at_least', seconds: sampleCount };
}

function seenRates(result: RatedResult, { kind, cause, burst, baseline }: Verdict) {
  const { mean, p5, p95 } = drivenStatistics(result)?.throughputBitsPerSecond ?? {};
  if (burst !== null && baseline !== null && cause === 'network_credits') {
    return { fastest: burst.value, slowest: baseline.value };
  }
  if (kind === 'steady') return mean === undefined ? undefined : { fastest: mean, slowest: mean };
  return p5 === undefined || p95 === undefined ? undefined : { fastest: Math.max(p95, burst?.value ?? 0), slowest: p5 };
}

/** Whether the measured level lasts: without a drop, only published baselines show that no credits can run out. */
function isLevelToLast({ publishedClient, publishedServer }: RatedResult, { kind }: Verdict): boolean {
  const published = [publishedClient, publishedServer];
  return LEVEL_KINDS.has(kind) && published.every((facts) => facts?.baselineBitsPerSecond !== undefined);
}

/** One bucket explains the series only if the verdict has hold times of its own. */
function creditHold({ dutyCycle }: RatedResult, verdict: Verdict, rate: number): Hold | undefined {
  const { bucket, baseline, holdTimes, onset } = verdict;
  if (bucket === null || baseline === null) return undefined;
  if (!holdTimes.some(({ seconds }) => seconds !== null)) {
    return onset === null || dutyCycle !== undefined ? undefined : { kind: 'at_least', seconds: onset.low };
  }
  const inputs = [bucket, baseline, FULL_CREDITS_OF_ANOTHER_PAIR] as const;
  const seconds = propagate(inputs, ([bucketBits, baselineBitsPerSecond, share]) =>
    holdSeconds({ bucketBits: share * bucketBits, baselineBitsPerSecond }, rate),
  );
  return { kind: 'for', seconds: mapInterval(seconds, (end) => Math.max(0, end)) };
}

/** Uses the same published baseline as the verdict's own hold times, by computing it back from them. */
function leastHold({ holdTimes, bucketBitsAtLeast: bucketBits }: Verdict, rate: number): Hold | undefined {
  const known = holdTimes.at(-1);
  if (known?.seconds !== null || bucketBits === null) return undefined;
  const baselineBitsPerSecond = known.bitsPerSecond - bucketBits / known.atLeastSeconds;
  // The baseline that was computed back has a rounding error, and the baseline itself is held forever.
  if (rate <= baselineBitsPerSecond * (1 + 1e-9)) return { kind: 'always' };
  return { kind: 'at_least', seconds: holdSeconds({ bucketBits, baselineBitsPerSecond }, rate) };
}

/** Returns Infinity for a rate that is always held, 0 for one that is never reached, a lower bound for `at_least`. */
export function holdSecondsOf(hold: Hold): number {
  if (hold.kind === 'for') return hold.seconds.value;
  if (hold.kind === 'at_least') return hold.seconds;
  return hold.kind === 'always' ? Infinity : 0;
}
