/** Errors of launch calls: what each means for the launch of a pair, and which calls are repeated. */
import { isPassing } from '../adapters/retries';
import type { DecidedErrorName } from '../errors/aws-error-names';
import { isNamed } from '../errors/error-text';

const NO_ROOM = new Set<DecidedErrorName>([
  'InsufficientInstanceCapacity',
  'InsufficientHostCapacity',
  'InsufficientCapacity',
  'InsufficientFreeAddressesInSubnet',
  'Unsupported',
  'TerminatedHost',
]);

export type LaunchDecision = 'next_zone' | 'repeat' | 'refuse';

/**
 * What launch-pair does about an error of a launch call. The codes are those of "Error codes for the Amazon EC2 API".
 *
 * | error                                         | meaning                                          | decision    |
 * | --------------------------------------------- | ------------------------------------------------ | ----------- |
 * | `InsufficientInstanceCapacity`,               | the zone has no room for this type now; sent     | `next_zone` |
 * | `InsufficientHostCapacity`,                   | with a 5xx, so this row goes before the one of   |             |
 * | `InsufficientCapacity`                        | the 5xx                                          |             |
 * | `InsufficientFreeAddressesInSubnet`           | the zone's subnet is full                        | `next_zone` |
 * | `Unsupported`                                 | the zone does not offer this type                | `next_zone` |
 * | `TerminatedHost`, a name of our adapter       | an earlier attempt launched this host and        | `next_zone` |
 * |                                               | terminated it, so its client token is used up    |             |
 * | throttling (`RequestLimitExceeded`, …),       | says nothing against the call                    | `repeat`    |
 * | other 5xx, a broken connection                |                                                  |             |
 * | `InvalidGroup.NotFound`,                      | what was made a moment ago is not known          | `repeat`    |
 * | `InvalidSecurityGroupID.NotFound`,            | everywhere yet                                   |             |
 * | `InvalidPlacementGroup.Unknown`               |                                                  |             |
 * | any other (`VcpuLimitExceeded`,               | holds in every zone                              | `refuse`    |
 * | `UnauthorizedOperation`, `InvalidAMIID.…`, …) |                                                  |             |
 *
 * - `next_zone`: what was launched of the pair is terminated, and the next candidate subnets are tried. After the last
 *   ones the launch fails with the refusals of all zones.
 * - `repeat`: the same call, with the same client token, after 1, 2, 4, 8 and 16 s; then the launch is refused.
 * - `refuse`: what was launched of the pair is terminated, and the launch fails at once with EC2's words.
 */
export function launchDecision(error: unknown): LaunchDecision {
  if (isNamed(error, NO_ROOM)) return 'next_zone';
  return isPassing(error) ? 'repeat' : 'refuse';
}

const ATTEMPTS = 6;
const FIRST_PAUSE_MILLISECONDS = 1_000;

/** Makes a launch call, again and again while its decision is `repeat`: 31 s of pauses at most. */
export async function repeatWhilePassing<T>(
  sleep: (milliseconds: number) => Promise<void>,
  call: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (launchDecision(error) !== 'repeat' || attempt === ATTEMPTS) throw error;
      await sleep(FIRST_PAUSE_MILLISECONDS * 2 ** (attempt - 1));
    }
  }
}
