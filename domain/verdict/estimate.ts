/** A value with the ends of its 95 % interval, and what becomes of the interval when values are combined. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The interval of a function of independent estimates: each is moved to the ends of its own interval while the others stay,
 * and the swings add as the root of their squares (JCGM 100:2008, 5.1.2 and its note; uneven intervals stay uneven).
 * Assumption that may fail: the inputs err independently. A burst's level, the baseline's and the onset do to first order,
 * because they rest on different samples.
 */
export function propagate(inputs: readonly Estimate[], of: (...values: readonly number[]) => number): Estimate {
  const values = inputs.map((input) => input.value);
  const value = of(...values);
  let below = 0;
  let above = 0;
  inputs.forEach((input, index) => {
    const moved = [input.low, input.high].map((end) => of(...values.with(index, end)) - value);
    below += Math.min(0, ...moved) ** 2;
    above += Math.max(0, ...moved) ** 2;
  });
  return { value, low: value - Math.sqrt(below), high: value + Math.sqrt(above) };
}

/** Rate, volume and time are none of them negative. */
export function notNegative({ value, low, high }: Estimate): Estimate {
  return { value: Math.max(0, value), low: Math.max(0, low), high: Math.max(0, high) };
}
