/** What single messages and their replies carry: little, but a public address or another zone asks for it. */
import { flowCap, peakLimits } from './bandwidth';
import type { ForecastInput, ForecastPair } from './inputs';
import type { MessageTraffic } from './traffic';

/** Ethernet, IP and TCP with its options; a packet of a standard frame carries so much beside them. */
const HEADER_BYTES = 78;
const PACKET_PAYLOAD_BYTES = 1448;

/**
 * Round trips, where each message follows the reply to the one before. What is usual today by distance, and what no
 * network is faster than.
 */
const ROUND_TRIP_MICROS = { cluster: 60, same_zone: 150, other_zone: 700 } as const;
const SHORTEST_ROUND_TRIP_MICROS = 25;

export interface VolumeForecast {
  /** Both ways. */
  readonly expectedBytes: number;
  readonly upperBytes: number;
  readonly expectedMessages: number;
  readonly upperMessages: number;
}

export function messageVolume(
  traffic: MessageTraffic,
  pair: ForecastPair,
  { instanceTypes }: Pick<ForecastInput, 'instanceTypes'>,
): VolumeForecast {
  const { messageBytes, messagesPerSecond, durationSeconds } = traffic;
  const wireBytes = messageBytes + Math.ceil(messageBytes / PACKET_PAYLOAD_BYTES) * HEADER_BYTES;
  const distance = pair.zoneRelation === 'same_zone' && pair.placement === 'cluster' ? 'cluster' : pair.zoneRelation;
  const peaks = peakLimits([instanceTypes[pair.clientType], instanceTypes[pair.serverType]], pair.path);
  const fastest = Math.min(flowCap(traffic, pair), ...peaks.filter((peak) => peak !== undefined));
  const atMost = (rate: number, headers: number) => Math.min(rate, fastest / 8 / (wireBytes + headers));
  const expectedRate = atMost(messagesPerSecond ?? 1e6 / ROUND_TRIP_MICROS[distance], 0);
  // At most, each message has an acknowledgement to itself.
  const upperRate = atMost(messagesPerSecond ?? 1e6 / SHORTEST_ROUND_TRIP_MICROS, HEADER_BYTES);
  return {
    expectedMessages: expectedRate * durationSeconds,
    upperMessages: upperRate * durationSeconds,
    expectedBytes: 2 * expectedRate * durationSeconds * wireBytes,
    upperBytes: 2 * upperRate * durationSeconds * (wireBytes + HEADER_BYTES),
  };
}
