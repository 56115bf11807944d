/** Round trips measured beside a load, before its throttle onset and after it: what a throttle costs in latency. */
import type { LoadedLatency, RttStatistics, Statistics, ThroughputStatistics } from '../model/statistics';
import type { RoundTrip } from '../parsers/tool-output';
import { withoutAbsent } from '../parsers/tool-series';
import { ascending, nearestRank } from '../maths/quantiles';

/** A percentile of fewer observations is just the longest of them. */
const PERCENTILES = [
  ['p25', 25, 4],
  ['p50', 50, 2],
  ['p75', 75, 4],
  ['p90', 90, 10],
  ['p95', 95, 20],
  ['p99', 99, 100],
  ['p99_5', 99.5, 200],
  ['p99_9', 99.9, 1_000],
  ['p99_99', 99.99, 10_000],
  ['p99_999', 99.999, 100_000],
] as const;

/** @param onsetSeconds null: nothing was throttled, so that all of them are `before`. */
export function loadedLatency(roundTrips: readonly RoundTrip[], onsetSeconds: number | null): LoadedLatency {
  const isBefore = ({ startSeconds }: RoundTrip) => onsetSeconds === null || startSeconds < onsetSeconds;
  return withoutAbsent({
    before: rttStatistics(roundTrips.filter(isBefore)),
    after: rttStatistics(roundTrips.filter((trip) => !isBefore(trip))),
  });
}

/** Of both directions driven at once it stands with the forward one, of which the measurement's columns are. */
export function withLoadedLatency(
  statistics: Statistics,
  roundTrips: readonly RoundTrip[] | undefined,
  onsetSeconds: number | null,
): Statistics {
  if (roundTrips === undefined || roundTrips.length === 0) return statistics;
  const latency = loadedLatency(roundTrips, onsetSeconds);
  if ('forward' in statistics) return { ...statistics, forward: { ...statistics.forward, loadedLatency: latency } };
  return { ...(statistics as ThroughputStatistics), loadedLatency: latency };
}

function rttStatistics(roundTrips: readonly RoundTrip[]): RttStatistics | undefined {
  const sorted = ascending(roundTrips.map((trip) => trip.rttMicros));
  const observations = sorted.length;
  if (observations === 0) return undefined;
  const mean = sorted.reduce((sum, micros) => sum + micros, 0) / observations;
  const variance = sorted.reduce((sum, micros) => sum + (micros - mean) ** 2, 0) / observations;
  const percentiles = PERCENTILES.filter(([, , needed]) => observations >= needed).map(
    ([key, percent]) => [key, nearestRank(sorted, percent)] as const,
  );
  return {
    rttMicros: {
      mean,
      stdDev: Math.sqrt(variance),
      min: sorted[0]!,
      ...Object.fromEntries(percentiles),
      max: sorted.at(-1)!,
    },
    observations,
  };
}
