/**
 * The answer of a run: for each pair of instance types, path, placement or setting that the plan compares, the figures
 * that a reader came for. It is computed once (`domain/answer/run-answer.ts`); the report, `summary.json`, the view
 * `answers`, the notification and the terminal show it. All of it is JSON.
 */
import type { RATE_BOUNDS, HOLD_KINDS } from './carried-rate';
import type { ContendedShare } from './contended';
import type { ScaledModel } from './scaled-model';
import type { Cause, VerdictKind } from './verdict';

/** A figure over all measurements that show it. */
export interface AnswerFigure {
  /** The mean, or the centre of the lowest mode where the values form several modes. */
  readonly value: number;
  /**
   * The range in which another pair has to be expected, 95 times in 100, where it is recorded how far pairs differ;
   * otherwise the smallest and largest value or, of a single measurement, its 95 % interval. null: not known, no end.
   */
  readonly low: number | null;
  readonly high: number | null;
  /** How many measurements show the figure. */
  readonly count: number;
  /** The centres of several modes, in ascending order; absent for a single mode. */
  readonly modes?: readonly number[];
}

export interface SustainedFigure extends AnswerFigure {
  readonly bound: (typeof RATE_BOUNDS)[number];
}

/** How long a rate is held from full credits. */
export interface AnsweredHold {
  readonly bitsPerSecond: number;
  /**
   * `always`: by nine in ten of the measurements. `for`: the mean of those that ended, or
   * the centre of the lowest of several modes. `at_least`: by all, as long
   * as was measured. `never`: no pair reached the rate.
   */
  readonly kind: (typeof HOLD_KINDS)[number];
  /** null for `always` and `never`. */
  readonly seconds: number | null;
  /** Of `for`: the range in which another pair has to be expected; null where there is none, or no end. */
  readonly lowSeconds: number | null;
  readonly highSeconds: number | null;
  /** Of how many pairs it is known whether they reached the rate, and how many did. */
  readonly reachedPairCount: number;
  readonly pairCount: number;
  /** At which of the settings; absent where the row has only one. */
  readonly setting?: string;
}

/** Round trips by one tool, protocol and size of message. */
export interface AnsweredRoundTrips {
  /** `sockperf, ping pong, TCP, messages of 64 bytes`, or `beside the load`. */
  readonly name: string;
  readonly p50Micros: AnswerFigure | null;
  /** null where there were too few round trips to know it. */
  readonly p99Micros: AnswerFigure | null;
}

export interface AnswerRow {
  /** The facts in which the row differs from the others: `c5.xlarge`, `VPC peering`, `8 streams`. */
  readonly label: string;
  readonly clientType: string;
  readonly serverType: string;
  /** Of the measurements behind the figures, the row's own setting first. */
  readonly measurementIds: readonly string[];
  readonly pairCount: number;
  /** In how many settings of throughput the row was measured; only the duration may differ within one. */
  readonly settingCount: number;
  /** The setting of the figures below, which sustains the most; absent where the row has only one. */
  readonly setting?: string;
  /** The lowest and highest sustained rate of all settings; absent where the row has only one. */
  readonly otherSettings?: { readonly low: number; readonly high: number };
  readonly sustained: SustainedFigure | null;
  readonly burst: AnswerFigure | null;
  /** The throttle onset. */
  readonly burstSeconds: AnswerFigure | null;
  readonly bucketBits: AnswerFigure | null;
  /** Where no drop was seen: the bucket is at least so large. */
  readonly bucketBitsAtLeast: number | null;
  /** Over the whole measurement, for transfers that are too short for a sustained rate. */
  readonly meanBitsPerSecond: AnswerFigure | null;
  /** In the order of the answer's `askedBitsPerSecond`; without those that the row does not show. */
  readonly holds: readonly AnsweredHold[];
  readonly roundTrips: readonly AnsweredRoundTrips[];
  /** The price of both hosts; null where it is not known. */
  readonly pairHourlyUsd: number | null;
  /** The measured sustained rate for each USD that the pair costs an hour, at the scale of EC2. */
  readonly sustainedBitsPerSecondPerUsd: number | null;
  /** Each kind and cause among the measurements, the most frequent first. */
  readonly verdicts: readonly { readonly kind: VerdictKind; readonly cause: Cause | null; readonly count: number }[];
  /** The median confidence of the verdicts; null without a verdict. */
  readonly confidence: number | null;
  readonly contended: ContendedShare;
}

/** What the rows of an answer differ in. */
export type Question = 'types' | 'conditions' | 'settings' | 'none';

export interface RunAnswer {
  readonly question: Question;
  /** What all rows share, in words. */
  readonly shared: string;
  readonly askedBitsPerSecond: readonly number[];
  /** The first is the answer in one sentence; the others tell more. Plain text. */
  readonly sentences: readonly string[];
  readonly rows: readonly AnswerRow[];
  /** Absent on EC2 itself. */
  readonly scaledModel?: ScaledModel;
}

/** Nine in ten pairs must have reached a rate before a type is recommended for it, or said to hold it always. */
export const NEARLY_ALL = 0.9;

export function isReached({ kind, reachedPairCount, pairCount }: AnsweredHold): boolean {
  return kind !== 'never' && reachedPairCount >= NEARLY_ALL * pairCount;
}

export function holdAt<Hold extends Pick<AnsweredHold, 'bitsPerSecond'>>(
  { holds }: { readonly holds: readonly Hold[] },
  bitsPerSecond: number,
): Hold | undefined {
  return holds.find((hold) => hold.bitsPerSecond === bitsPerSecond);
}

/** Infinity for a rate that is always held, 0 for one that is never reached, a lower bound for `at_least`. */
export function heldSeconds(hold: Pick<AnsweredHold, 'kind'> & { readonly seconds?: number | null }): number {
  const { kind, seconds } = hold;
  return seconds ?? (kind === 'always' ? Infinity : 0);
}
