/** How a tool's payload is cut into packets on the way between the hosts of a pair. */
import { ETHERNET_FRAME_BYTES, JUMBO_FRAME_BYTES } from './ec2-facts';
import type { PairConditions } from './conditions';
import type { MeasurementSettings } from './settings';

const IP_HEADER_BYTES = 20;
const UDP_HEADER_BYTES = 8;
/** IP and TCP, with the timestamps that Linux sends. */
const TCP_HEADER_BYTES = 52;
/** TCP payload of a jumbo frame, which EC2 carries within a Region, and of an ordinary Ethernet frame. */
export const JUMBO_SEGMENT_BYTES = JUMBO_FRAME_BYTES - TCP_HEADER_BYTES;
export const ETHERNET_SEGMENT_BYTES = ETHERNET_FRAME_BYTES - TCP_HEADER_BYTES;
/** Fragments begin at multiples of this (RFC 791). */
const FRAGMENT_UNIT_BYTES = 8;

type Route = Pick<PairConditions, 'path' | 'mtuBytes'>;

/** The largest packet that the path carries; undefined for the user's own route, which only a probe can measure. */
function pathMtuBytes({ path, mtuBytes }: Route): number | undefined {
  if (path === 'own') return undefined;
  // EC2 user guide, "Network maximum transmission unit": an internet gateway carries no jumbo frames.
  return path === 'public' ? ETHERNET_FRAME_BYTES : mtuBytes;
}

/** The longest TCP segment; undefined if the path's MTU is unknown. */
export function segmentBytes(route: Route): number | undefined {
  const mtu = pathMtuBytes(route);
  return mtu && mtu - TCP_HEADER_BYTES;
}

type Load = Pick<MeasurementSettings, 'protocol' | 'datagramBytes' | 'messageBytes'>;

/**
 * The number of IP fragments in which each UDP datagram or message is sent. Undefined if it fits into one packet, if
 * TCP cuts it into segments, or if its size or the MTU is unknown. A ping has no protocol, and its header is as long as
 * UDP's.
 */
export function fragmentsPerMessage({ protocol, datagramBytes, messageBytes }: Load, route: Route): number | undefined {
  const payloadBytes = protocol === 'tcp' ? undefined : (datagramBytes ?? messageBytes);
  const mtu = pathMtuBytes(route);
  if (payloadBytes === undefined || mtu === undefined) return undefined;
  if (payloadBytes + UDP_HEADER_BYTES + IP_HEADER_BYTES <= mtu) return undefined;
  const perFragment = Math.floor((mtu - IP_HEADER_BYTES) / FRAGMENT_UNIT_BYTES) * FRAGMENT_UNIT_BYTES;
  return Math.ceil((payloadBytes + UDP_HEADER_BYTES) / perFragment);
}
