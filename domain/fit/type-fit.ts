/** What instance types make of a trace. */
import { elementAt } from '../maths/elements';
import type { Bounds, Interval } from '../maths/interval';
import { largest, smallest } from '../maths/statistics';
import { BASELINE_OF_ANOTHER_PAIR, EARNED_AT_REST } from '../model/token-bucket';
import type { ExaminedType } from './examined-type';
import {
  carry,
  largestTransfer,
  neededCredits,
  stretchesOf,
  type Carried,
  type Corner,
  type Stretches,
} from './credits';
import type { Trace, TraceSeries } from './traces/trace';

export const THROTTLED = ['never', 'perhaps', 'certainly'] as const;
export type Throttled = (typeof THROTTLED)[number];

/** A figure whose value is not known where the bucket is not, but only between which bounds it is. */
export interface BoundedFigure extends Bounds {
  readonly value: number | null;
}

/** What a type makes of one direction of one host. Times are in seconds from the beginning of the trace. */
export interface SeriesFit extends Pick<TraceSeries, 'instance' | 'direction'> {
  readonly throttled: Throttled;
  /** The averages exceed the peak itself, which no credits help. */
  readonly isAbovePeak: boolean;
  /** The credits that keep it from being throttled. */
  readonly neededBits: Interval;
  /** null where the bucket is not known. */
  readonly lowestCreditBits: Interval | null;
  /** null where it is never throttled, or where nothing is known of when. */
  readonly firstThrottleSeconds: BoundedFigure | null;
  readonly heldBackSeconds: BoundedFigure;
  /** The share of the traffic that need not wait. */
  readonly onTimeShare: BoundedFigure;
  /** The largest stretch above the baseline: how much, how long it took, and how long it then takes. */
  readonly transfer: {
    readonly bits: number;
    readonly recordedSeconds: number;
    readonly seconds: BoundedFigure;
  } | null;
}

export interface TypeFit extends ExaminedType {
  readonly throttled: Throttled;
  /** The lowest share of all directions and hosts that surely need not wait. */
  readonly onTimeShareAtLeast: number;
  /** The series that decides first, then the others. */
  readonly series: readonly [SeriesFit, ...SeriesFit[]];
}

/** @returns a fit for each of the types, in their order */
export function fitTypes(trace: Trace, types: readonly ExaminedType[]): readonly TypeFit[] {
  const loads = trace.series.map((each) => ({ ...each, stretches: stretchesOf(each.intervals) }));
  // Many types have the same figures.
  const known = new Map<string, TypeFit['series']>();
  return types.map((type): TypeFit => {
    const key = JSON.stringify([type.baselineBitsPerSecond, type.peakBitsPerSecond, type.bucketBits]);
    const series = known.get(key) ?? decisiveFirst(loads.map((load) => fitSeries(load, trace.startSeconds, type)));
    known.set(key, series);
    const onTimeShareAtLeast = smallest(series.map(({ onTimeShare }) => onTimeShare.low));
    return { ...type, throttled: series[0].throttled, onTimeShareAtLeast, series };
  });
}

function decisiveFirst(series: readonly SeriesFit[]): TypeFit['series'] {
  const rank = ({ throttled }: SeriesFit) => THROTTLED.indexOf(throttled);
  const most = (a: SeriesFit, b: SeriesFit, of: 'value' | 'high') => a.neededBits[of] - b.neededBits[of];
  const sorted = [...series].sort((a, b) => rank(b) - rank(a) || most(b, a, 'value') || most(b, a, 'high'));
  return [elementAt(sorted, 0), ...sorted.slice(1)];
}

/** The share of the traffic that a type must carry without a wait to hold nearly all of it. */
export const NEARLY_ALL_SHARE = 0.99;

/** @returns the cheapest that is never throttled, and the cheapest that certainly carries nearly all without a wait */
export function chosen(fits: readonly TypeFit[]): {
  readonly certainly: TypeFit | null;
  readonly nearlyAll: TypeFit | null;
} {
  const priced = fits.filter(({ usdPerMonth }) => usdPerMonth !== null);
  return {
    certainly: priced.find(({ throttled }) => throttled === 'never') ?? null,
    nearlyAll: priced.find(({ onTimeShareAtLeast }) => onTimeShareAtLeast >= NEARLY_ALL_SHARE) ?? null,
  };
}

const UNKNOWN: Bounds = { low: 0, high: Infinity };

type Load = TraceSeries & { readonly stretches: Stretches };

function fitSeries({ instance, direction, stretches }: Load, startSeconds: number, type: ExaminedType): SeriesFit {
  const { bucketBits } = type;
  const bucket = bucketBits ?? UNKNOWN;
  const needed = neededCredits(stretches, type.peakBitsPerSecond, baselinesOf(type), bucket);
  const { low, value, high } = needed.bits;
  const isAbovePeak = needed.abovePeakSeconds !== null;
  const throttled = isAbovePeak || low > bucket.high ? 'certainly' : high <= bucket.low ? 'never' : 'perhaps';
  const transfer = largestTransfer(stretches, type.baselineBitsPerSecond);
  const sentSeconds = transfer?.endSeconds ?? startSeconds;
  const carried: readonly (Carried | null)[] =
    throttled === 'never'
      ? [{ firstThrottleSeconds: null, heldBackSeconds: 0, onTimeShare: 1, sentSeconds }]
      : cornersOf(type).map((corner) => corner && carry(stretches, corner, sentSeconds));
  const figure = (of: (carried: Carried) => number): BoundedFigure => {
    const known = carried.flatMap((each) => (each ? [of(each)] : []));
    return { value: carried[0] ? of(carried[0]) : null, low: smallest(known), high: largest(known) };
  };
  const first = earliest(needed.abovePeakSeconds, carried[0]?.firstThrottleSeconds);
  const isTimeKnown = throttled !== 'never' && (bucketBits !== null || isAbovePeak);
  const left = (bits: number) => Math.max(0, bits);
  return {
    instance,
    direction,
    throttled,
    isAbovePeak,
    neededBits: needed.bits,
    lowestCreditBits: bucketBits && {
      value: left(bucketBits.value - value),
      low: left(bucketBits.low - high),
      high: left(bucketBits.high - low),
    },
    firstThrottleSeconds: isTimeKnown
      ? {
          value: first === null ? null : first - startSeconds,
          low: (earliest(needed.soonestSeconds, first) ?? startSeconds) - startSeconds,
          high: (earliest(needed.latestSeconds, needed.abovePeakSeconds) ?? Infinity) - startSeconds,
        }
      : null,
    heldBackSeconds: figure(({ heldBackSeconds }) => heldBackSeconds),
    onTimeShare: figure(({ onTimeShare }) => onTimeShare),
    transfer: transfer && {
      bits: transfer.bits,
      recordedSeconds: transfer.endSeconds - transfer.startSeconds,
      seconds: figure((each) => each.sentSeconds - transfer.startSeconds),
    },
  };
}

const earliest = (one: number | null, other: number | null = null) =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** The baseline that another pair may have; a type whose baseline is its peak has no other. */
export function baselinesOf({ baselineBitsPerSecond: value, peakBitsPerSecond: peak }: ExaminedType): Interval {
  const { low, high } = value < peak ? BASELINE_OF_ANOTHER_PAIR : { low: 1, high: 1 };
  return { value, low: low * value, high: Math.min(peak, high * value) };
}

/** @returns null for an unknown bucket */
export const expectedCorner = (type: ExaminedType) => cornersOf(type)[0] ?? null;

/** As expected, which is null for an unknown bucket; then the favourable and the unfavourable corner. */
function cornersOf(type: ExaminedType): (Corner | null)[] {
  const { peakBitsPerSecond, bucketBits } = type;
  const { value, low, high } = baselinesOf(type);
  const bucket = bucketBits ?? UNKNOWN;
  const corner = (baselineBitsPerSecond: number, bits: number, earnedAtRest: number, unknownBitsPerSecond: number) => ({
    ...{ peakBitsPerSecond, baselineBitsPerSecond, bucketBits: bits, earnedAtRest, unknownBitsPerSecond },
  });
  return [
    bucketBits && corner(value, bucketBits.value, 1, value),
    corner(high, bucket.high, EARNED_AT_REST.high, 0),
    corner(low, bucket.low, 1, peakBitsPerSecond),
  ];
}
