/** A latency probe's round trips, one sample per second. */
import { groupBy } from '../maths/group-by';
import { ascending, nearestRank } from '../maths/quantiles';
import type { Sample } from '../model/sample';
import type { DrivenDirection } from '../model/settings';
import type { RoundTrip } from '../parsers/tool-output';

/** @param direction of the load that the round trips were measured beside */
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
