/**
 * The JSON form of a verdict, which is a contract: `summary.json`, the stored result of a measurement and `analyse
 * --json` have each interval as three flat fields, with null for an unknown figure and for a missing upper bound. In
 * the code an interval is one value; only this file knows both forms.
 */
import type { Interval } from '../maths/interval';
import type { MeasurementResult } from './result';
import type { CreditFigures, HoldTime, Verdict } from './verdict';

/** The value and both ends of each interval. A `refillLowSeconds` without a value is `refillSecondsAtLeast`. */
const INTERVAL_FIELDS = {
  onset: ['onsetSeconds', 'onsetLowSeconds', 'onsetHighSeconds'],
  burst: ['burstBitsPerSecond', 'burstLowBitsPerSecond', 'burstHighBitsPerSecond'],
  baseline: ['baselineBitsPerSecond', 'baselineLowBitsPerSecond', 'baselineHighBitsPerSecond'],
  bucket: ['bucketBits', 'bucketLowBits', 'bucketHighBits'],
  refill: ['refillSeconds', 'refillLowSeconds', 'refillHighSeconds'],
} as const;
type IntervalName = keyof typeof INTERVAL_FIELDS;
type IntervalJson<Name extends IntervalName> = Readonly<Record<(typeof INTERVAL_FIELDS)[Name][number], number | null>>;

export type VerdictJson = Omit<Verdict, IntervalName | 'refillSecondsAtLeast' | 'holdTimes' | 'ifNetworkCredits'> &
  IntervalJson<IntervalName> & {
    readonly holdTimes: readonly HoldTimeJson[];
    readonly ifNetworkCredits: CreditFiguresJson | null;
  };

type CreditFiguresJson = IntervalJson<'bucket' | 'refill'> & { readonly holdTimes: readonly HoldTimeJson[] };

interface HoldTimeJson {
  readonly bitsPerSecond: number;
  /** null if no drop was seen; `lowSeconds` is then a lower bound. */
  readonly seconds: number | null;
  readonly lowSeconds: number;
  /** The upper end of the interval; null if it has none. */
  readonly highSeconds: number | null;
}

type Verdicts = Pick<MeasurementResult, 'verdict' | 'otherDirection'>;

interface VerdictsJson {
  readonly verdict: VerdictJson | null;
  readonly otherDirection?: VerdictJson;
}

/** A result, or a summary's part of one, with its verdicts in JSON form. */
export type WithVerdictJson<Result extends Verdicts> = Omit<Result, keyof Verdicts> & VerdictsJson;

export type MeasurementResultJson = WithVerdictJson<MeasurementResult>;

/** The order of the keys is kept for readers of the JSON. */
export function verdictToJson(verdict: Verdict): VerdictJson {
  return {
    kind: verdict.kind,
    cause: verdict.cause,
    direction: verdict.direction,
    ...intervalToJson('onset', verdict.onset),
    ...intervalToJson('burst', verdict.burst),
    ...intervalToJson('baseline', verdict.baseline),
    ...intervalToJson('bucket', verdict.bucket),
    bucketBitsAtLeast: verdict.bucketBitsAtLeast,
    ...intervalToJson('refill', verdict.refill, verdict.refillSecondsAtLeast),
    holdTimes: verdict.holdTimes.map(holdTimeToJson),
    ifNetworkCredits: verdict.ifNetworkCredits && creditFiguresToJson(verdict.ifNetworkCredits),
    throttledBy: verdict.throttledBy,
    throttledBucket: verdict.throttledBucket,
    confidence: verdict.confidence,
    causes: verdict.causes,
    witnesses: verdict.witnesses,
    explanation: verdict.explanation,
  };
}

const FLAT_FIELDS: ReadonlySet<string> = new Set(Object.values(INTERVAL_FIELDS).flat());

export function verdictFromJson(json: VerdictJson): Verdict {
  const others = Object.entries(json).filter(([name]) => !FLAT_FIELDS.has(name));
  return {
    ...(Object.fromEntries(others) as Omit<VerdictJson, keyof IntervalJson<IntervalName>>),
    ...creditFiguresFromJson(json),
    onset: intervalFromJson('onset', json),
    burst: intervalFromJson('burst', json),
    baseline: intervalFromJson('baseline', json),
    refillSecondsAtLeast: json.refillSeconds === null ? json.refillLowSeconds : null,
    ifNetworkCredits: json.ifNetworkCredits && creditFiguresFromJson(json.ifNetworkCredits),
  };
}

function creditFiguresToJson({ bucket, refill, holdTimes }: CreditFigures): CreditFiguresJson {
  return {
    ...intervalToJson('bucket', bucket),
    ...intervalToJson('refill', refill),
    holdTimes: holdTimes.map(holdTimeToJson),
  };
}

function creditFiguresFromJson(json: CreditFiguresJson): CreditFigures {
  return {
    bucket: intervalFromJson('bucket', json),
    refill: intervalFromJson('refill', json),
    holdTimes: json.holdTimes.map(holdTimeFromJson),
  };
}

/** Keeps every other key in its place; an absent `otherDirection` stays absent. */
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

/** Returns null for Infinity, which JSON lacks. */
function highOf(interval: Interval): number | null {
  return interval.high === Infinity ? null : interval.high;
}

function intervalToJson<Name extends IntervalName>(name: Name, interval: Interval | null, atLeast?: number | null) {
  const [value, low, high] = INTERVAL_FIELDS[name];
  const fields = [
    [value, interval?.value ?? null],
    [low, interval?.low ?? atLeast ?? null],
    [high, interval && highOf(interval)],
  ];
  return Object.fromEntries(fields) as IntervalJson<Name>;
}

function intervalFromJson<Name extends IntervalName>(name: Name, json: IntervalJson<Name>): Interval | null {
  const [value, low, high] = INTERVAL_FIELDS[name].map(
    (field) => (json as Readonly<Record<string, number | null>>)[field] ?? null,
  ) as [number | null, number | null, number | null];
  if (value === null) return null;
  if (low === null) throw new Error(`verdict: ${name} must have a lower end, as it has the value ${value}`);
  return { value, low, high: high ?? Infinity };
}
