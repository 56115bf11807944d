/** Network Load Balancers of single pairs, found again by name. One function per API call, for small bundles. */
import {
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateTargetGroupCommand,
  DescribeLoadBalancersCommand,
  DescribeTargetGroupsCommand,
  DescribeTargetHealthCommand,
  ElasticLoadBalancingV2Client,
  ElasticLoadBalancingV2ServiceException,
  ModifyListenerAttributesCommand,
  paginateDescribeListeners,
  RegisterTargetsCommand,
  type LoadBalancer,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { awsTags, type Tags } from './ec2-tags';
import { REPEATED_BY_CALLER } from './retries';

const client = new ElasticLoadBalancingV2Client(REPEATED_BY_CALLER);

/**
 * Hosts are up before they are targets: two answers, five seconds apart, are the least that can be asked for. Unhealthy
 * only after the most that can be: checks are lost on a host that is being throttled, and the load balancer of a TCP
 * listener resets every connection of a target that it takes for unhealthy.
 */
const HEALTH_CHECK = {
  HealthCheckProtocol: 'TCP',
  HealthCheckIntervalSeconds: 5,
  HealthCheckTimeoutSeconds: 2,
  HealthyThresholdCount: 2,
  UnhealthyThresholdCount: 10,
} as const;

/** TCP_UDP where a measurement needs UDP: its tool's own control connection is TCP on the same port. */
export type ListenerProtocol = 'TCP' | 'TCP_UDP';

export interface PairLoadBalancer {
  readonly arn: string;
  readonly state: string;
  /** Why it is in that state, where the service says so. */
  readonly reason?: string;
}

export async function findLoadBalancer(name: string): Promise<PairLoadBalancer | undefined> {
  try {
    const { LoadBalancers } = await client.send(new DescribeLoadBalancersCommand({ Names: [name] }));
    return pairLoadBalancer(LoadBalancers?.[0]);
  } catch (error) {
    if (elbErrorCode(error) === 'LoadBalancerNotFoundException') return undefined;
    throw error;
  }
}

export interface LoadBalancerRequest {
  /** At most 32 characters. */
  readonly name: string;
  readonly subnetId: string;
  /** From its birth: a Network Load Balancer made without one can't be given one. */
  readonly securityGroupId: string;
  readonly tags: Tags;
}

/** Internal: nothing outside the network has to do with a pair. */
export async function createLoadBalancer(request: LoadBalancerRequest): Promise<PairLoadBalancer> {
  const { LoadBalancers } = await client.send(
    new CreateLoadBalancerCommand({
      Name: request.name,
      Type: 'network',
      Scheme: 'internal',
      Subnets: [request.subnetId],
      SecurityGroups: [request.securityGroupId],
      Tags: awsTags(request.tags),
    }),
  );
  const made = pairLoadBalancer(LoadBalancers?.[0]);
  if (made === undefined) throw new Error(`CreateLoadBalancer ${request.name}: must answer with one, got none`);
  return made;
}

function pairLoadBalancer(found: LoadBalancer | undefined): PairLoadBalancer | undefined {
  if (found?.LoadBalancerArn === undefined) return undefined;
  return {
    arn: found.LoadBalancerArn,
    state: found.State?.Code ?? 'provisioning',
    ...(found.State?.Reason === undefined ? {} : { reason: found.State.Reason }),
  };
}

/** Its listeners' ARNs by port. */
export async function findListeners(loadBalancerArn: string): Promise<Map<number, string>> {
  const listeners = new Map<number, string>();
  for await (const page of paginateDescribeListeners({ client }, { LoadBalancerArn: loadBalancerArn })) {
    for (const { Port, ListenerArn } of page.Listeners ?? []) listeners.set(Port!, ListenerArn!);
  }
  return listeners;
}

export interface ListenerRequest {
  readonly loadBalancerArn: string;
  readonly targetGroupArn: string;
  readonly protocol: ListenerProtocol;
  readonly port: number;
  readonly tags: Tags;
}

export async function createListener(request: ListenerRequest): Promise<void> {
  await client.send(
    new CreateListenerCommand({
      LoadBalancerArn: request.loadBalancerArn,
      Protocol: request.protocol,
      Port: request.port,
      DefaultActions: [{ Type: 'forward', TargetGroupArn: request.targetGroupArn }],
      Tags: awsTags(request.tags),
    }),
  );
}

/** For how long a TCP listener remembers a silent connection; a TCP_UDP listener has its own fixed time. */
export async function setIdleTimeout(listenerArn: string, seconds: number): Promise<void> {
  await client.send(
    new ModifyListenerAttributesCommand({
      ListenerArn: listenerArn,
      Attributes: [{ Key: 'tcp.idle_timeout.seconds', Value: String(seconds) }],
    }),
  );
}

/** @returns its ARN, or undefined when there is none of that name */
export async function findTargetGroup(name: string): Promise<string | undefined> {
  try {
    const { TargetGroups } = await client.send(new DescribeTargetGroupsCommand({ Names: [name] }));
    return TargetGroups?.[0]?.TargetGroupArn;
  } catch (error) {
    if (elbErrorCode(error) === 'TargetGroupNotFoundException') return undefined;
    throw error;
  }
}

export interface TargetGroupRequest {
  /** At most 32 characters. */
  readonly name: string;
  readonly vpcId: string;
  readonly protocol: ListenerProtocol;
  readonly port: number;
  readonly healthCheckPort: number;
  readonly tags: Tags;
}

/** Targets are instances: then the client's address is preserved, whatever the protocol. */
export async function createTargetGroup(request: TargetGroupRequest): Promise<string> {
  const { TargetGroups } = await client.send(
    new CreateTargetGroupCommand({
      Name: request.name,
      Protocol: request.protocol,
      Port: request.port,
      VpcId: request.vpcId,
      TargetType: 'instance',
      HealthCheckPort: String(request.healthCheckPort),
      ...HEALTH_CHECK,
      Tags: awsTags(request.tags),
    }),
  );
  const arn = TargetGroups?.[0]?.TargetGroupArn;
  if (arn === undefined) throw new Error(`CreateTargetGroup ${request.name}: must answer with an ARN, got none`);
  return arn;
}

/** Registering a target twice is not an error. */
export async function registerTarget(targetGroupArn: string, instanceId: string): Promise<void> {
  await client.send(new RegisterTargetsCommand({ TargetGroupArn: targetGroupArn, Targets: [{ Id: instanceId }] }));
}

/** `healthy`, `initial`, `unhealthy`…; undefined when the group has no target. */
export async function targetHealth(targetGroupArn: string): Promise<string | undefined> {
  const { TargetHealthDescriptions } = await client.send(
    new DescribeTargetHealthCommand({ TargetGroupArn: targetGroupArn }),
  );
  return TargetHealthDescriptions?.[0]?.TargetHealth?.State;
}

function elbErrorCode(error: unknown): string | undefined {
  return error instanceof ElasticLoadBalancingV2ServiceException ? error.name : undefined;
}
