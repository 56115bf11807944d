/** What the paths between two hosts have in common: the calls that make them, and how far a call got. */
import type { PlannedPair } from '../../domain/model/planned-run';
import type { PairHosts } from '../../domain/workflow/contracts';
import type * as ec2Calls from '../adapters/ec2-path';
import type { Tags } from '../adapters/ec2-tags';
import type * as loadBalancerCalls from '../adapters/elb-load-balancers';
import type * as taggedCalls from '../adapters/elb-removal';
import type { ResultReader } from '../result-store/reader';
import type { ResultWriter } from '../result-store/writer';
import type { Log } from '../shared/runtime';
import type { PairIdentity } from '../shared/pair-identity';
import { ConnectFailedError } from '../../domain/workflow/error-names';
import { type AwsErrorName, errorText, isNamed } from '../errors/aws-errors';

type PathCalls = typeof ec2Calls &
  typeof loadBalancerCalls &
  Pick<typeof taggedCalls, 'findLoadBalancers' | 'findTargetGroups'>;

export interface ConnectPairDependencies extends PathCalls {
  readonly bucketName: string;
  readonly payloadBucketName: string;
  readonly stackName: string;
  readonly vpcId: string;
  readonly store: Pick<ResultReader & ResultWriter, 'plannedPair' | 'hosts' | 'writeProbedPath'>;
  readonly log: Log;
}

/** A pair whose hosts run and are prepared. */
export interface PairToConnect extends PairIdentity {
  readonly pair: PlannedPair;
  readonly hosts: PairHosts;
  readonly tags: Tags;
}

/** The address at which the client reaches the server, or what the path still waits for. */
export type Connection = { readonly serverAddress: string } | { readonly waitingFor: string };

/** The group that launch-pair gave the hosts of a pair whose path needs rules of its own. */
export function pairSecurityGroup({ hosts, pairId }: PairToConnect): string {
  if (hosts.securityGroupId === undefined) {
    throw new Error(`${pairId}: must have a security group of its own, got none`);
  }
  return hosts.securityGroupId;
}

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
