/**
 * The JSON form of a verdict, which is a contract: `summary.json`, the stored result of a measurement and `analyse
 * --json` have each interval as three flat fields, with null for what is not known and for an upper bound that does not
 * exist. In the code an interval is one value; only this file knows both forms.
 */
import type { Interval } from '../maths/interval';
import type { MeasurementResult } from './result';
import type { HoldTime, Verdict } from './verdict';

export interface VerdictJson extends Omit<
  Verdict,
  'onset' | 'burst' | 'baseline' | 'bucket' | 'refill' | 'refillSecondsAtLeast' | 'holdTimes'
> {
  readonly onsetSeconds: number | null;
  readonly onsetLowSeconds: number | null;
  readonly onsetHighSeconds: number | null;
  readonly burstBitsPerSecond: number | null;
  readonly burstLowBitsPerSecond: number | null;
  readonly burstHighBitsPerSecond: number | null;
  readonly baselineBitsPerSecond: number | null;
  readonly baselineLowBitsPerSecond: number | null;
  readonly baselineHighBitsPerSecond: number | null;
  readonly bucketBits: number | null;
  readonly bucketLowBits: number | null;
  readonly bucketHighBits: number | null;
  readonly refillSeconds: number | null;
  /** Alone, without `refillSeconds`: the lower bound that belongs to `bucketBitsAtLeast`. */
  readonly refillLowSeconds: number | null;
  readonly refillHighSeconds: number | null;
  readonly holdTimes: readonly HoldTimeJson[];
}

export interface HoldTimeJson {
  readonly bitsPerSecond: number;
  /** null where no drop was seen: only the lower bound is known. */
  readonly seconds: number | null;
  /** The lower end of the 95 % interval, or the lower bound. */
  readonly lowSeconds: number;
  /** null where there is no upper bound. */
  readonly highSeconds: number | null;
}

type Verdicts = Pick<MeasurementResult, 'verdict' | 'otherDirection'>;

interface VerdictsJson {
  readonly verdict: VerdictJson | null;
  readonly otherDirection?: VerdictJson;
}

/** A result, or the part of one that a summary has, with its verdicts in their JSON form. */
export type WithVerdictJson<Result extends Verdicts> = Omit<Result, keyof Verdicts> & VerdictsJson;

/** The result of a measurement as it is stored: `reports/<run id>/measurements/<measurement id>.json`. */
export type MeasurementResultJson = WithVerdictJson<MeasurementResult>;

/** The keys stand in the order in which readers of the JSON have always found them. */
export function verdictToJson(verdict: Verdict): VerdictJson {
  const { kind, seriesClass, direction, onset, burst, baseline, bucket, bucketBitsAtLeast, refill } = verdict;
  const { refillSecondsAtLeast, holdTimes, throttledBy, throttledBucket, confidence, witnesses, explanation } = verdict;
  return {
    kind,
    seriesClass,
    direction,
    onsetSeconds: onset?.value ?? null,
    onsetLowSeconds: onset?.low ?? null,
    onsetHighSeconds: highOf(onset),
    burstBitsPerSecond: burst?.value ?? null,
    burstLowBitsPerSecond: burst?.low ?? null,
    burstHighBitsPerSecond: highOf(burst),
    baselineBitsPerSecond: baseline?.value ?? null,
    baselineLowBitsPerSecond: baseline?.low ?? null,
    baselineHighBitsPerSecond: highOf(baseline),
    bucketBits: bucket?.value ?? null,
    bucketLowBits: bucket?.low ?? null,
    bucketHighBits: highOf(bucket),
    bucketBitsAtLeast,
    refillSeconds: refill?.value ?? null,
    refillLowSeconds: refill?.low ?? refillSecondsAtLeast,
    refillHighSeconds: highOf(refill),
    holdTimes: holdTimes.map(holdTimeToJson),
    throttledBy,
    throttledBucket,
    confidence,
    witnesses,
    explanation,
  };
}

export function verdictFromJson(json: VerdictJson): Verdict {
  const { kind, seriesClass, direction, bucketBitsAtLeast, throttledBy, throttledBucket } = json;
  const { confidence, witnesses, explanation } = json;
  return {
    kind,
    seriesClass,
    direction,
    onset: readInterval('onset', json.onsetSeconds, json.onsetLowSeconds, json.onsetHighSeconds),
    burst: readInterval('burst', json.burstBitsPerSecond, json.burstLowBitsPerSecond, json.burstHighBitsPerSecond),
    baseline: readInterval(
      'baseline',
      json.baselineBitsPerSecond,
      json.baselineLowBitsPerSecond,
      json.baselineHighBitsPerSecond,
    ),
    bucket: readInterval('bucket', json.bucketBits, json.bucketLowBits, json.bucketHighBits),
    bucketBitsAtLeast,
    refill: readInterval('refill', json.refillSeconds, json.refillLowSeconds, json.refillHighSeconds),
    refillSecondsAtLeast: json.refillSeconds === null ? json.refillLowSeconds : null,
    holdTimes: json.holdTimes.map(holdTimeFromJson),
    throttledBy,
    throttledBucket,
    confidence,
    witnesses,
    explanation,
  };
}

/** Every other key keeps its place, and an absent `otherDirection` stays out of the JSON. */
export function resultToJson<Result extends Verdicts>(result: Result): WithVerdictJson<Result> {
  const { verdict, otherDirection } = result;
  return {
    ...result,
    verdict: verdict && verdictToJson(verdict),
    otherDirection: otherDirection && verdictToJson(otherDirection),
  };
}

export function resultFromJson<Json extends VerdictsJson>(json: Json): Omit<Json, keyof VerdictsJson> & Verdicts {
  const { verdict, otherDirection } = json;
  return {
    ...json,
    verdict: verdict && verdictFromJson(verdict),
    otherDirection: otherDirection && verdictFromJson(otherDirection),
  };
}

function holdTimeToJson(hold: HoldTime): HoldTimeJson {
  const { bitsPerSecond } = hold;
  if (hold.seconds === null) {
    return { bitsPerSecond, seconds: null, lowSeconds: hold.atLeastSeconds, highSeconds: null };
  }
  const { value, low } = hold.seconds;
  return { bitsPerSecond, seconds: value, lowSeconds: low, highSeconds: highOf(hold.seconds) };
}

function holdTimeFromJson({ bitsPerSecond, seconds, lowSeconds, highSeconds }: HoldTimeJson): HoldTime {
  if (seconds === null) return { bitsPerSecond, seconds, atLeastSeconds: lowSeconds };
  const interval = { value: seconds, low: lowSeconds, high: highSeconds ?? Infinity };
  return { bitsPerSecond, seconds: interval, atLeastSeconds: null };
}

/** JSON has no Infinity. */
function highOf(interval: Interval | null): number | null {
  return interval === null || interval.high === Infinity ? null : interval.high;
}

function readInterval(name: string, value: number | null, low: number | null, high: number | null): Interval | null {
  if (value === null) return null;
  if (low === null) throw new Error(`verdict: ${name} must have a lower end, as it has the value ${value}`);
  return { value, low, high: high ?? Infinity };
}
