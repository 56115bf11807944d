/** Errors of the calls that make a path, as far as the path decides on them. */
import { ConnectFailedError } from '../../domain/workflow/error-names';
import type { AwsErrorName } from '../errors/aws-error-names';
import { errorText, isNamed } from '../errors/error-text';

/** Something with the name, or the port, is there, with other settings than those asked for. */
const DUPLICATES = new Set<AwsErrorName>([
  'DuplicateListenerException',
  'DuplicateLoadBalancerNameException',
  'DuplicateTargetGroupNameException',
]);
const ZONE_NOT_SUPPORTED = new Set<AwsErrorName>(['AvailabilityZoneNotSupportedException']);

/** What was refused as a duplicate is not listed yet: an earlier call has made it, and its answer was lost. */
export class NotListedYetError extends Error {}

export interface Creation<Resource> {
  /** In words, with its name. */
  readonly what: string;
  readonly create: () => Promise<Resource>;
  /** Looks the resource up by its name. */
  readonly find: () => Promise<Resource | undefined>;
  /** Whether the resource of that name carries the tags of the pair. */
  readonly isOwn: () => Promise<boolean>;
}

/**
 * @returns what was made now, or by an earlier call of this pair whose answer was lost
 * @throws `NotListedYetError` when it is there but can't be found yet, and `ConnectFailedError` when it isn't the pair's
 */
export async function createOrTakeOwn<Resource>(creation: Creation<Resource>): Promise<Resource> {
  const { what, create, find, isOwn } = creation;
  try {
    return await create();
  } catch (error) {
    if (!isNamed(error, DUPLICATES)) throw error;
    const found = await find();
    if (found === undefined) throw new NotListedYetError(what);
    if (await isOwn()) return found;
    throw new ConnectFailedError(`${what} exists already and isn't this pair's; delete it (${errorText(error)})`);
  }
}

/** Elastic Load Balancing is not in every zone that has instances, and says so only when asked. */
export function refusedLoadBalancer(error: unknown, zone: string): unknown {
  if (!isNamed(error, ZONE_NOT_SUPPORTED)) return error;
  return new ConnectFailedError(
    `no load balancer can be created in ${zone}: measure by another path there, or deploy into other zones ` +
      `(${errorText(error)})`,
  );
}
