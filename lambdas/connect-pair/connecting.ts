/** What all network paths between two hosts share: the AWS calls that create them, and the result of a call. */
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

export interface PairToConnect extends PairIdentity {
  readonly pair: PlannedPair;
  readonly hosts: PairHosts;
  readonly tags: Tags;
}

/** The address at which the client reaches the server, or what the path still waits for. */
export type Connection = { readonly serverAddress: string } | { readonly waitingFor: string };

/** Returns the security group that launch-pair has created for a pair whose path needs rules of its own. */
export function pairSecurityGroup({ hosts, pairId }: PairToConnect): string {
  if (hosts.securityGroupId === undefined) {
    throw new Error(`${pairId}: must have a security group of its own, got none`);
  }
  return hosts.securityGroupId;
}

/** AWS returns these errors if a resource with this name or port exists with other settings. */
const DUPLICATES = new Set<AwsErrorName>([
  'DuplicateListenerException',
  'DuplicateLoadBalancerNameException',
  'DuplicateTargetGroupNameException',
]);
const ZONE_NOT_SUPPORTED = new Set<AwsErrorName>(['AvailabilityZoneNotSupportedException']);

/** AWS refuses a resource as a duplicate but does not list it yet: the response of an earlier call was lost. */
export class NotListedYetError extends Error {}

export interface Creation<Resource> {
  /** The kind and the name of the resource, for messages. */
  readonly what: string;
  readonly create: () => Promise<Resource>;
  readonly find: () => Promise<Resource | undefined>;
  /** Whether the resource with this name carries the tags of the pair. */
  readonly isOwn: () => Promise<boolean>;
}

/**
 * @returns the resource, created now or by an earlier call for this pair whose response was lost
 * @throws `NotListedYetError` if the resource is not listed yet, `ConnectFailedError` if it belongs to another pair
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

/** Elastic Load Balancing lacks some zones that have instances, and reports this only when one is created there. */
export function refusedLoadBalancer(error: unknown, zone: string): unknown {
  if (!isNamed(error, ZONE_NOT_SUPPORTED)) return error;
  return new ConnectFailedError(
    `no load balancer can be created in ${zone}: measure by another path there, or deploy into other zones ` +
      `(${errorText(error)})`,
  );
}
