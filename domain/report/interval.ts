/** A figure of the verdict as text, with the ends of its 95 % interval. */
import type { Verdict } from '../model/verdict';

export interface Interval {
  readonly value: string;
  readonly low?: string;
  readonly high?: string;
}

const FIGURES = {
  onset: ['onsetSeconds', 'onsetLowSeconds', 'onsetHighSeconds'],
  burst: ['burstBitsPerSecond', 'burstLowBitsPerSecond', 'burstHighBitsPerSecond'],
  baseline: ['baselineBitsPerSecond', 'baselineLowBitsPerSecond', 'baselineHighBitsPerSecond'],
  bucket: ['bucketBits', 'bucketLowBits', 'bucketHighBits'],
  refill: ['refillSeconds', 'refillLowSeconds', 'refillHighSeconds'],
} as const satisfies Record<string, readonly (keyof Verdict)[]>;

/** @returns undefined where the verdict has no such figure */
export function interval(
  verdict: Verdict | null,
  figure: keyof typeof FIGURES,
  format: (value: number | null | undefined) => string | undefined,
): Interval | undefined {
  const [value, low, high] = FIGURES[figure].map((key) => format(verdict?.[key]));
  return value === undefined ? undefined : { value, low, high };
}
