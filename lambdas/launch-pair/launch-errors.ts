/** What an error of RunInstances means for a launch: another zone, the same call again, or the end. */

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

/** The same call succeeds a little later. */
const PASSING = new Set([
  'RequestLimitExceeded',
  'Throttling',
  'ThrottlingException',
  'RequestThrottled',
  // A group that was made a moment ago is not known everywhere at once.
  'InvalidGroup.NotFound',
  'InvalidSecurityGroupID.NotFound',
  'InvalidPlacementGroup.Unknown',
]);

export function isNoRoom(error: unknown): boolean {
  return NO_ROOM.has(codeOf(error));
}

export function isPassing(error: unknown): boolean {
  return PASSING.has(codeOf(error));
}

export function launchErrorText(error: unknown): string {
  return `${codeOf(error)}: ${error instanceof Error ? error.message : String(error)}`;
}

/** The SDK gives EC2's error code as the error's name. */
function codeOf(error: unknown): string {
  return error instanceof Error ? error.name : 'UnknownError';
}
