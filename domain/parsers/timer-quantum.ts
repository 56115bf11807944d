/**
 * Percentiles that sit on multiples of a kernel's timer tick measure the hosts' timers and not the network: a sleeping
 * process was woken by the tick after its message had come.
 */
import type { RttQuantiles } from '../model/statistics';

/** Kernels tick at 100, 250 or 1,000 Hz. */
const TICKS_MICROS = [10_000, 4_000, 1_000] as const;
/** How near to a multiple is on it, as a share of the tick. Any value is so by chance one time in forty. */
const TOLERANCE = 0.0125;
/** The body of the distribution; the tail beyond is of other things. */
const BODY = ['p25', 'p50', 'p75', 'p90', 'p95', 'p99'] as const;
const MIN_PERCENTILES = 4;

/** @returns the tick that all percentiles of the body but one at most are multiples of; undefined when there is none */
export function timerQuantumMicros(rttMicros: RttQuantiles): number | undefined {
  const body = BODY.map((field) => rttMicros[field]).filter((value) => value !== undefined);
  if (body.length < MIN_PERCENTILES) return undefined;
  return TICKS_MICROS.find((tick) => {
    const multiples = body
      .map((value) => ({ value, multiple: Math.round(value / tick) }))
      .filter(({ value, multiple }) => multiple > 0 && Math.abs(value - multiple * tick) <= TOLERANCE * tick)
      .map(({ multiple }) => multiple);
    // A narrow distribution that happens to lie near one multiple is not quantised.
    return multiples.length >= body.length - 1 && new Set(multiples).size > 1;
  });
}
