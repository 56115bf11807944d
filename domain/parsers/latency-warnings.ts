/** Warnings about measured round trips. */
import { unsupportedPercentiles } from '../model/percentiles';
import type { LatencyStatistics, RttQuantiles } from '../model/statistics';

export function latencyWarnings({ rttMicros, observations }: LatencyStatistics): string[] {
  const warnings: string[] = [];
  if (rttMicros === undefined || observations === undefined) return warnings;
  const unsupported = unsupportedPercentiles(rttMicros, observations);
  if (unsupported.length > 0) {
    const few = `${observations} ${observations === 1 ? 'observation' : 'observations'}`;
    warnings.push(`${unsupported.join(', ')}: not supported by ${few}`);
  }
  const quantum = timerQuantumMicros(rttMicros);
  if (quantum !== undefined) {
    warnings.push(
      `timer_quantised: the percentiles are multiples of ${quantum / 1000} ms, a timer of the hosts and not the network`,
    );
  }
  return warnings;
}

/** Kernels tick at 100, 250 or 1,000 Hz. */
const TICKS_MICROS = [10_000, 4_000, 1_000] as const;
/** How far a value may be from a multiple, as a share of the tick. By chance, one value in forty is that near. */
const TOLERANCE = 0.0125;
/** Only these percentiles are tested, because other causes dominate beyond the 99th. */
const BODY = ['p25', 'p50', 'p75', 'p90', 'p95', 'p99'] as const;
const MIN_PERCENTILES = 4;

/**
 * Percentiles that are multiples of a kernel's timer tick measure the hosts' timers and not the network: a sleeping
 * process was woken at the tick, some time after its message had arrived.
 * @returns the tick of which all of these percentiles, or all but one, are multiples; undefined if there is none
 */
export function timerQuantumMicros(rttMicros: RttQuantiles): number | undefined {
  const body = BODY.map((field) => rttMicros[field]).filter((value) => value !== undefined);
  if (body.length < MIN_PERCENTILES) return undefined;
  return TICKS_MICROS.find((tick) => {
    const multiples = body
      .map((value) => ({ value, multiple: Math.round(value / tick) }))
      .filter(({ value, multiple }) => multiple > 0 && Math.abs(value - multiple * tick) <= TOLERANCE * tick)
      .map(({ multiple }) => multiple);
    // A narrow distribution near a single multiple may be there by chance.
    return multiples.length >= body.length - 1 && new Set(multiples).size > 1;
  });
}
