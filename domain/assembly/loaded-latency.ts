/** Round trips that a latency probe measured beside a load. */
import { groupBy } from '../maths/elements';
import { ascending, mean, nearestRank, squaredDeviations } from '../maths/statistics';
import { supportedPercentiles } from '../model/percentiles';
import type { Sample } from '../model/sample';
import type { DrivenDirection } from '../model/settings';
import { withSharedFigures, type LoadedLatency, type RttStatistics, type Statistics } from '../model/statistics';
import type { RoundTrip } from '../parsers/tool-output';

/** One sample per second, with the direction of the load. */
export function roundTripSamples(roundTrips: readonly RoundTrip[], direction: DrivenDirection): Sample[] {
  const seconds = groupBy(roundTrips, ({ startSeconds }) => Math.floor(startSeconds));
  return [...seconds].map(([startSeconds, group]) => {
    const sorted = ascending(group.map(({ rttMicros }) => rttMicros));
    return {
      metric: 'round_trip',
      hostRole: 'client',
      direction,
      stream: 'sum',
      startSeconds,
      lengthSeconds: 1,
      rttMedianMicros: nearestRank(sorted, 50),
      rttMaxMicros: nearestRank(sorted, 100),
      observations: sorted.length,
    };
  });
}

/**
 * The cost of a throttle in latency: round trips before its onset and after it.
 *
 * @param onsetSeconds null if nothing was throttled: then all round trips are `before`
 */
export function loadedLatency(roundTrips: readonly RoundTrip[], onsetSeconds: number | null): LoadedLatency {
  const isBefore = ({ startSeconds }: RoundTrip) => onsetSeconds === null || startSeconds < onsetSeconds;
  return {
    before: rttStatistics(roundTrips.filter(isBefore)),
    after: rttStatistics(roundTrips.filter((trip) => !isBefore(trip))),
  };
}

/** Adds what the latency probe measured beside the load; without a probe, the statistics are unchanged. */
export function withLoadedLatency(
  statistics: Statistics,
  roundTrips: readonly RoundTrip[] = [],
  onsetSeconds: number | null,
): Statistics {
  if (roundTrips.length === 0) return statistics;
  return withSharedFigures(statistics, { loadedLatency: loadedLatency(roundTrips, onsetSeconds) });
}

function rttStatistics(roundTrips: readonly RoundTrip[]): RttStatistics | undefined {
  const sorted = ascending(roundTrips.map(({ rttMicros }) => rttMicros));
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (min === undefined || max === undefined) return undefined;
  const stdDev = Math.sqrt(squaredDeviations(sorted) / sorted.length);
  return {
    rttMicros: { mean: mean(sorted), stdDev, min, ...supportedPercentiles(sorted), max },
    observations: sorted.length,
  };
}
