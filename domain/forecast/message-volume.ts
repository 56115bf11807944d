/** The traffic of single messages and their replies: little, but charged by public address and between zones. */
import type { PlannedPair } from '../model/planned-run';
import { flowCap, peakLimits } from './bandwidth';
import type { ForecastInput } from './inputs';
import type { MessageTraffic } from './traffic';

/** Ethernet, IP and TCP with its options. */
const HEADER_BYTES = 78;
/** The payload of a packet in a standard Ethernet frame. */
const PACKET_PAYLOAD_BYTES = 1448;

/**
 * Where a message follows the reply to the one before, the round trip sets the rate: what is usual by distance, and
 * what no network undercuts.
 */
const ROUND_TRIP_MICROS = { cluster: 60, same_zone: 150, other_zone: 700 } as const;
const SHORTEST_ROUND_TRIP_MICROS = 25;

export interface VolumeForecast {
  /** Messages and replies. */
  readonly expectedBytes: number;
  readonly upperBytes: number;
  readonly expectedMessages: number;
  readonly upperMessages: number;
}

export function messageVolume(
  traffic: MessageTraffic,
  pair: PlannedPair,
  { instanceTypes }: Pick<ForecastInput, 'instanceTypes'>,
): VolumeForecast {
  const { messageBytes, messagesPerSecond, durationSeconds } = traffic;
  const wireBytes = messageBytes + Math.ceil(messageBytes / PACKET_PAYLOAD_BYTES) * HEADER_BYTES;
  const distance = pair.zoneRelation === 'same_zone' && pair.placement === 'cluster' ? 'cluster' : pair.zoneRelation;
  const peaks = peakLimits([instanceTypes[pair.clientType], instanceTypes[pair.serverType]], pair.path);
  const fastest = Math.min(flowCap(traffic, pair), ...peaks.filter((peak) => peak !== undefined));
  const atMost = (rate: number, headers: number) => Math.min(rate, fastest / 8 / (wireBytes + headers));
  const expectedRate = atMost(messagesPerSecond ?? 1e6 / ROUND_TRIP_MICROS[distance], 0);
  // At most, every message is acknowledged by a packet of its own.
  const upperRate = atMost(messagesPerSecond ?? 1e6 / SHORTEST_ROUND_TRIP_MICROS, HEADER_BYTES);
  return {
    expectedMessages: expectedRate * durationSeconds,
    upperMessages: upperRate * durationSeconds,
    expectedBytes: 2 * expectedRate * durationSeconds * wireBytes,
    upperBytes: 2 * upperRate * durationSeconds * (wireBytes + HEADER_BYTES),
  };
}
