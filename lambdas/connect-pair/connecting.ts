/** What the paths between two hosts have in common: the calls that make them, and how far a call got. */
import type { PlannedPair } from '../../domain/model/planned-run';
import type { PairHosts } from '../../domain/workflow/contracts';
import type * as addressCalls from '../adapters/ec2-addresses';
import type * as securityGroupCalls from '../adapters/ec2-security-groups';
import type { Tags } from '../adapters/ec2-tags';
import type * as loadBalancerCalls from '../adapters/elb-load-balancers';
import type * as taggedCalls from '../adapters/elb-removal';
import type { ResultReader } from '../result-store/reader';
import type { ResultWriter } from '../result-store/writer';
import type { Log } from '../shared/logger';
import type { PairIdentity } from '../shared/pair-identity';

type PathCalls = typeof addressCalls &
  typeof securityGroupCalls &
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
