/** How a tool's payload is cut into packets on the way between the hosts of a pair. */
import { ETHERNET_FRAME_BYTES, JUMBO_FRAME_BYTES } from './ec2-facts';
import type { PairConditions } from './conditions';
import type { MeasurementSettings } from './settings';

const IP_HEADER_BYTES = 20;
const UDP_HEADER_BYTES = 8;
/** IP and TCP, with the time stamps that Linux sends. */
const TCP_HEADER_BYTES = 52;
/** TCP segments of a jumbo frame, which EC2 has within a Region, and of Ethernet's own. */
export const JUMBO_SEGMENT_BYTES = JUMBO_FRAME_BYTES - TCP_HEADER_BYTES;
export const ETHERNET_SEGMENT_BYTES = ETHERNET_FRAME_BYTES - TCP_HEADER_BYTES;
/** Fragments begin at multiples of this (RFC 791). */
const FRAGMENT_UNIT_BYTES = 8;

type Route = Pick<PairConditions, 'path' | 'mtuBytes'>;

/** The largest packet that the path carries; undefined for a route of the user's own, of which only a probe knows. */
function pathMtuBytes({ path, mtuBytes }: Route): number | undefined {
  if (path === 'own') return undefined;
  // EC2 user guide, "Network maximum transmission unit": an internet gateway carries no jumbo frames.
  return path === 'public' ? ETHERNET_FRAME_BYTES : mtuBytes;
}

/** The longest TCP segment; undefined where the path's MTU is not known. */
export function segmentBytes(route: Route): number | undefined {
  const mtu = pathMtuBytes(route);
  return mtu && mtu - TCP_HEADER_BYTES;
}

type Load = Pick<MeasurementSettings, 'protocol' | 'datagramBytes' | 'messageBytes'>;

/**
 * IP fragments that each UDP datagram or message of a measurement is sent in; undefined where it fits into one packet,
 * where TCP cuts it into segments, and where its size or the MTU is not known. A ping has no protocol, and its header is
 * as long as UDP's.
 */
export function fragmentsPerMessage({ protocol, datagramBytes, messageBytes }: Load, route: Route): number | undefined {
  const payloadBytes = protocol === 'tcp' ? undefined : (datagramBytes ?? messageBytes);
  const mtu = pathMtuBytes(route);
  if (payloadBytes === undefined || mtu === undefined) return undefined;
  if (payloadBytes + UDP_HEADER_BYTES + IP_HEADER_BYTES <= mtu) return undefined;
  const perFragment = Math.floor((mtu - IP_HEADER_BYTES) / FRAGMENT_UNIT_BYTES) * FRAGMENT_UNIT_BYTES;
  return Math.ceil((payloadBytes + UDP_HEADER_BYTES) / perFragment);
}
