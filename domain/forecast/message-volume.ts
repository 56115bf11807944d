/** The traffic of single messages and their replies: little, but charged by public address and between zones. */
import { singleFlowCap } from '../model/flow-cap';
import type { PlannedPair } from '../model/planned-run';
import { peakLimits } from './bandwidth';
import type { ForecastInput } from './inputs';
import { range } from './range';
import type { MessageTraffic } from './traffic';
import { smallest } from '../maths/extremes';

/** Ethernet, IP and TCP with its options. */
const HEADER_BYTES = 78;
/** The payload of a packet in a standard Ethernet frame. */
const PACKET_PAYLOAD_BYTES = 1448;

/** Where each message waits for the reply to the last, the round trip limits the rate: the usual, and the shortest. */
const ROUND_TRIP_MICROS = { cluster: 60, same_zone: 150, other_zone: 700 } as const;
const SHORTEST_ROUND_TRIP_MICROS = 25;

/** The number of messages, and the bytes of the messages and their replies. */
export function messageVolume(
  { protocol, messageBytes, messagesPerSecond, durationSeconds }: MessageTraffic,
  pair: PlannedPair,
  { instanceTypes }: Pick<ForecastInput, 'instanceTypes'>,
) {
  const packetBytes = messageBytes + Math.ceil(messageBytes / PACKET_PAYLOAD_BYTES) * HEADER_BYTES;
  // At most, every message is acknowledged by a packet of its own.
  const wireBytes = { expected: packetBytes, upper: packetBytes + HEADER_BYTES };
  const distance = pair.zoneRelation === 'same_zone' && pair.placement === 'cluster' ? 'cluster' : pair.zoneRelation;
  const roundTripMicros = { expected: ROUND_TRIP_MICROS[distance], upper: SHORTEST_ROUND_TRIP_MICROS };
  // UDP does not slow down for a slower server; at most, the server replies to all that the client can send.
  const limiting = protocol === 'udp' ? [pair.clientType] : [pair.clientType, pair.serverType];
  const peaks = peakLimits(
    limiting.map((type) => instanceTypes[type]),
    pair.path,
  );
  const cap = singleFlowCap(protocol, pair).bitsPerSecond;
  const bitsPerSecond = smallest([cap, ...peaks.filter((peak) => peak !== undefined)]);
  const messages = range((bound) => {
    const rate = messagesPerSecond ?? 1e6 / roundTripMicros[bound];
    return Math.min(rate, bitsPerSecond / 8 / wireBytes[bound]) * durationSeconds;
  });
  return { messages, bytes: range((bound) => 2 * messages[bound] * wireBytes[bound]) };
}
