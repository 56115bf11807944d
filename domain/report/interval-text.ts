/** A figure of the verdict as text, with the ends of its 95 % interval. */
import type { Interval } from '../maths/interval';

export interface IntervalText {
  readonly value: string;
  readonly low?: string;
  readonly high?: string;
}

/** @returns undefined where the verdict lacks the figure */
export function intervalText(
  interval: Interval | null | undefined,
  format: (value: number) => string | undefined,
): IntervalText | undefined {
  if (!interval) return undefined;
  const value = format(interval.value);
  return value === undefined ? undefined : { value, low: format(interval.low), high: format(interval.high) };
}
