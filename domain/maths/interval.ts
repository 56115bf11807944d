import { largest, smallest } from './statistics';

export interface Bounds {
  readonly low: number;
  /** The upper bound; Infinity if there is none. */
  readonly high: number;
}

/** A value with the ends of its 95 % interval. */
export interface Interval extends Bounds {
  readonly value: number;
}

/** Applies an increasing function to the value and to both ends. */
export function mapInterval({ value, low, high }: Interval, increasing: (value: number) => number): Interval {
  return { value: increasing(value), low: increasing(low), high: increasing(high) };
}

/** Cuts an interval off at 0, because rates, volumes and times are never negative. */
export function notNegative(interval: Interval): Interval {
  return mapInterval(interval, (value) => Math.max(0, value));
}

/** Widens the bounds until they contain a value that was found in another way; without bounds they are the value. */
export function intervalAround(value: number, bounds: Bounds | null): Interval {
  if (bounds === null) return { value, low: value, high: value };
  return { value, low: Math.min(value, bounds.low), high: Math.max(value, bounds.high) };
}

type ValuesOf<Inputs> = { readonly [Index in keyof Inputs]: number };

/**
 * The interval of a function of independent values: each value is moved to the ends of its own interval while the
 * others stay, and the swings add as the root of their squares (JCGM 100:2008, 5.1.2 and its note; asymmetric intervals
 * stay asymmetric). Assumption that may fail: the inputs err independently. The levels of burst and baseline and the
 * onset do to first order, because they come from different samples.
 */
export function propagate<const Inputs extends readonly Interval[]>(
  inputs: Inputs,
  combine: (values: ValuesOf<Inputs>) => number,
): Interval {
  const combined = (values: readonly number[]) => combine(values as ValuesOf<Inputs>);
  const values = inputs.map((input) => input.value);
  const value = combined(values);
  let below = 0;
  let above = 0;
  inputs.forEach((input, index) => {
    const swings = [input.low, input.high].map((end) => combined(values.with(index, end)) - value);
    below += smallest([0, ...swings]) ** 2;
    above += largest([0, ...swings]) ** 2;
  });
  return { value, low: value - Math.sqrt(below), high: value + Math.sqrt(above) };
}
