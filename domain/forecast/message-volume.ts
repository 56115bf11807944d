/** Forecasts the traffic of single messages and their replies: how many there are, and how much load they are. */
import { smallest } from '../maths/statistics';
import type { PairConditions } from '../model/conditions';
import { FRAGMENTS_PER_SECOND, LOWEST_BASELINE_BITS_PER_SECOND } from '../model/ec2-facts';
import { peakLimits, singleFlowCap } from '../model/flow-cap';
import type { InstanceTypeFacts } from '../model/instance-type';
import { fragmentsPerMessage } from '../model/packet-form';
import { range } from './range';
import type { MessageTraffic } from './traffic';

/** Ethernet, IP and TCP with its options. */
const HEADER_BYTES = 78;
/** The payload of a packet in a standard Ethernet frame. */
const PACKET_PAYLOAD_BYTES = 1448;

/** Usual and shortest round-trip times, which limit the rate if each message waits for the reply to the last one. */
const ROUND_TRIP_MICROS = { cluster: 60, same_zone: 150, other_zone: 700 } as const;
const SHORTEST_ROUND_TRIP_MICROS = 25;

/** The route between two hosts, and the facts of their types, which are absent for a type that was not looked up. */
export interface MessageRoute extends Pick<
  PairConditions,
  'zoneRelation' | 'placement' | 'path' | 'enaExpress' | 'enaExpressUdp' | 'mtuBytes'
> {
  readonly clientFacts?: BandwidthFacts;
  readonly serverFacts?: BandwidthFacts;
}
export type BandwidthFacts = Pick<InstanceTypeFacts, 'vcpuCount' | 'baselineBitsPerSecond' | 'peakBitsPerSecond'>;

type Messages = Omit<MessageTraffic, 'kind' | 'durationSeconds'>;

/** The load in each direction: messages one way, and as many replies of the same size the other way. */
function messageLoad(traffic: Messages, route: MessageRoute) {
  const { protocol, messageBytes, messagesPerSecond } = traffic;
  const packetBytes = messageBytes + Math.ceil(messageBytes / PACKET_PAYLOAD_BYTES) * HEADER_BYTES;
  // At most, every message is acknowledged by a packet of its own.
  const wireBytes = { expected: packetBytes, upper: packetBytes + HEADER_BYTES };
  const distance = route.zoneRelation === 'same_zone' && route.placement === 'cluster' ? 'cluster' : route.zoneRelation;
  const roundTripMicros = { expected: ROUND_TRIP_MICROS[distance], upper: SHORTEST_ROUND_TRIP_MICROS };
  // UDP does not slow down for a slower server; at most, the server replies to all that the client can send.
  const limiting = protocol === 'udp' ? [route.clientFacts] : [route.clientFacts, route.serverFacts];
  const peaks = peakLimits(limiting, route.path);
  const cap = singleFlowCap(protocol, route).bitsPerSecond;
  const mostBitsPerSecond = smallest([cap, ...peaks.filter((peak) => peak !== undefined)]);
  // EC2 drops the fragments beyond its limit, and a tool that waits for each reply then waits for its time-out.
  const withoutLoss = FRAGMENTS_PER_SECOND / (fragmentsPerMessage(traffic, route) ?? 0);
  const mostMessages = { expected: withoutLoss, upper: Infinity };
  return range((bound) => {
    const rate = messagesPerSecond ?? Math.min(1e6 / roundTripMicros[bound], mostMessages[bound]);
    const carried = Math.min(rate, mostBitsPerSecond / 8 / wireBytes[bound]);
    return { messagesPerSecond: carried, bitsPerSecond: carried * 8 * wireBytes[bound] };
  });
}

/** The number of messages, and the bytes of the messages and their replies. */
export function messageVolume({ durationSeconds, ...traffic }: Omit<MessageTraffic, 'kind'>, route: MessageRoute) {
  const load = messageLoad(traffic, route);
  return {
    messages: range((bound) => load[bound].messagesPerSecond * durationSeconds),
    bytes: range((bound) => (2 * load[bound].bitsPerSecond * durationSeconds) / 8),
  };
}

/** Some pairs have half the usual round-trip time, so that twice as many messages are sent as expected. */
const SAFE_SHARE = { offered: 1, waiting: 0.5 } as const;

/**
 * Whether messages use up network credits. A load below the lower baseline of the two hosts spends less than the hosts
 * earn. If a baseline is not published, the lowest baseline of any type counts.
 */
export function spendsMessageCredits(traffic: Messages, route: MessageRoute): boolean {
  const baselines = [route.clientFacts, route.serverFacts].map(
    (type) => type?.baselineBitsPerSecond ?? LOWEST_BASELINE_BITS_PER_SECOND,
  );
  const share = SAFE_SHARE[traffic.messagesPerSecond === undefined ? 'waiting' : 'offered'];
  return messageLoad(traffic, route).expected.bitsPerSecond > share * smallest(baselines);
}
