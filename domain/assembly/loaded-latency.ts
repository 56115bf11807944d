/** Round trips measured beside a load, before its throttle onset and after it: the cost of a throttle in latency. */
import { ascending } from '../maths/quantiles';
import { supportedPercentiles } from '../model/percentiles';
import { withSharedFigures } from '../model/statistics';
import type { LoadedLatency, RttStatistics, Statistics } from '../model/statistics';
import type { RoundTrip } from '../parsers/tool-output';

/** @param onsetSeconds null where nothing was throttled: then all round trips are `before` */
export function loadedLatency(roundTrips: readonly RoundTrip[], onsetSeconds: number | null): LoadedLatency {
  const isBefore = ({ startSeconds }: RoundTrip) => onsetSeconds === null || startSeconds < onsetSeconds;
  return {
    before: rttStatistics(roundTrips.filter(isBefore)),
    after: rttStatistics(roundTrips.filter((trip) => !isBefore(trip))),
  };
}

/** The statistics with what the latency probe measured beside the load; unchanged where there was no probe. */
export function withLoadedLatency(
  statistics: Statistics,
  roundTrips: readonly RoundTrip[] | undefined,
  onsetSeconds: number | null,
): Statistics {
  if (roundTrips === undefined || roundTrips.length === 0) return statistics;
  return withSharedFigures(statistics, { loadedLatency: loadedLatency(roundTrips, onsetSeconds) });
}

function rttStatistics(roundTrips: readonly RoundTrip[]): RttStatistics | undefined {
  const sorted = ascending(roundTrips.map((trip) => trip.rttMicros));
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) return undefined;
  const observations = sorted.length;
  const mean = sorted.reduce((sum, micros) => sum + micros, 0) / observations;
  const variance = sorted.reduce((sum, micros) => sum + (micros - mean) ** 2, 0) / observations;
  return {
    rttMicros: { mean, stdDev: Math.sqrt(variance), min, ...supportedPercentiles(sorted), max },
    observations,
  };
}
