/** What an error of RunInstances means for a launch: another zone, or (where it does not pass) the end. */
import { errorCode } from '../shared/error-text';

/**
 * This zone has no room for this type, another may. `Unsupported` is what EC2 says of a type that a zone does not offer;
 * see "Error codes for the Amazon EC2 API".
 */
const NO_ROOM = new Set([
  'InsufficientInstanceCapacity',
  'InsufficientHostCapacity',
  'InsufficientCapacity',
  'InsufficientFreeAddressesInSubnet',
  'Unsupported',
  // Not EC2's word but our adapter's: this attempt's host was launched and terminated before, by a retry's predecessor.
  'TerminatedHost',
]);

export function isNoRoom(error: unknown): boolean {
  return NO_ROOM.has(errorCode(error));
}
