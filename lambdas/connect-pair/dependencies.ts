/** What a pair is connected with, and how far it got. */
import type { PlannedPair } from '../../domain/model/planned-run';
import type { PairHosts } from '../../domain/workflow/contracts';
import type { SecurityGroupRequest, TrafficSource } from '../adapters/ec2-security-groups';
import type { Tags } from '../adapters/ec2-tags';
import type {
  ListenerRequest,
  LoadBalancerRequest,
  PairLoadBalancer,
  TargetGroupRequest,
} from '../adapters/elb-load-balancers';
import type { ResultReader } from '../result-store/reader';
import type { Log } from '../shared/logger';
import type { PairIdentity } from '../shared/pair-identity';

export interface ConnectPairDependencies {
  readonly bucketName: string;
  readonly payloadBucketName: string;
  readonly stackName: string;
  readonly vpcId: string;
  readonly store: Pick<ResultReader, 'plannedPair' | 'hosts'>;
  readonly publicAddresses: (instanceIds: readonly string[]) => Promise<(string | undefined)[]>;
  readonly createSecurityGroup: (request: SecurityGroupRequest) => Promise<string>;
  readonly admitTraffic: (securityGroupId: string, sources: readonly TrafficSource[]) => Promise<void>;
  readonly findLoadBalancer: (name: string) => Promise<PairLoadBalancer | undefined>;
  readonly createLoadBalancer: (request: LoadBalancerRequest) => Promise<PairLoadBalancer>;
  readonly loadBalancerAddress: (arn: string) => Promise<string | undefined>;
  readonly findListeners: (loadBalancerArn: string) => Promise<Map<number, string>>;
  readonly createListener: (request: ListenerRequest) => Promise<void>;
  readonly setIdleTimeout: (listenerArn: string, seconds: number) => Promise<void>;
  readonly findTargetGroup: (name: string) => Promise<string | undefined>;
  readonly createTargetGroup: (request: TargetGroupRequest) => Promise<string>;
  readonly registerTarget: (targetGroupArn: string, instanceId: string) => Promise<void>;
  readonly targetHealth: (targetGroupArn: string) => Promise<string | undefined>;
  readonly log: Log;
}

/** A pair whose hosts run and are prepared. */
export interface PairToConnect extends PairIdentity {
  readonly pair: PlannedPair;
  readonly hosts: PairHosts;
  readonly tags: Tags;
}

/** Where the client reaches the server, or what is not there yet. */
export type Connection = { readonly serverAddress: string } | { readonly waitingFor: string };
