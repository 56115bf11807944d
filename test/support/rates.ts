/** Hand-written series: stretches of seconds at a rate, with a small deterministic scatter. */
import type { RateInterval } from '../../domain/series/rate-series';

/** [seconds, bits per second] stretches in order; a stretch may end within a second, which then gets the mixture. */
export function stretches(...parts: readonly (readonly [number, number])[]): RateInterval[] {
  return stretchesWith(0.006, ...parts);
}

/** The same with another scatter, relative to the rate. */
export function stretchesWith(scatter: number, ...parts: readonly (readonly [number, number])[]): RateInterval[] {
  const total = parts.reduce((sum, [seconds]) => sum + seconds, 0);
  const bitsUntil = (second: number) => {
    let bits = 0;
    let left = second;
    for (const [seconds, rate] of parts) {
      bits += Math.min(left, seconds) * rate;
      left = Math.max(0, left - seconds);
    }
    return bits;
  };
  return Array.from({ length: Math.floor(total) }, (_, second) => ({
    startSeconds: second,
    lengthSeconds: 1,
    bitsPerSecond: (bitsUntil(second + 1) - bitsUntil(second)) * (1 + scatter * Math.sin(12.9898 * (second + 1) ** 2)),
  }));
}
