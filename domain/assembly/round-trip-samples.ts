/** A latency probe's round trips, one sample per second. */
import type { RoundTrip } from '../parsers/tool-output';
import { ascending, nearestRank } from '../maths/quantiles';
import type { DrivenDirection } from '../model/settings';
import type { Sample } from '../model/sample';

/** @param direction in which the load is driven that they were measured beside. */
export function roundTripSamples(roundTrips: readonly RoundTrip[], direction: DrivenDirection): Sample[] {
  const seconds = new Map<number, number[]>();
  for (const { startSeconds, rttMicros } of roundTrips) {
    const second = Math.floor(startSeconds);
    const group = seconds.get(second);
    if (group) group.push(rttMicros);
    else seconds.set(second, [rttMicros]);
  }
  return [...seconds].map(([startSeconds, micros]) => {
    const sorted = ascending(micros);
    return {
      metric: 'round_trip',
      hostRole: 'client',
      direction,
      stream: 'sum',
      startSeconds,
      lengthSeconds: 1,
      rttMedianMicros: nearestRank(sorted, 50),
      rttMaxMicros: sorted.at(-1)!,
      observations: sorted.length,
    };
  });
}
