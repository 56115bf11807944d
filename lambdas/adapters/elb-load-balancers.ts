/** Network Load Balancers of single pairs, found again by name. connect-pair repeats these calls, and not the SDK. */
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
import { answered } from './answered';
import { REPEATED_BY_CALLER } from './retries';

const client = new ElasticLoadBalancingV2Client(REPEATED_BY_CALLER);

/**
 * Hosts are up before they become targets, so a target counts as healthy as early as the service allows: after two
 * answers, five seconds apart. It counts as unhealthy as late as the service allows: a host that is being throttled
 * loses checks, and the load balancer of a TCP listener resets every connection of an unhealthy target.
 */
const HEALTH_CHECK = {
  HealthCheckProtocol: 'TCP',
  HealthCheckIntervalSeconds: 5,
  HealthCheckTimeoutSeconds: 2,
  HealthyThresholdCount: 2,
  UnhealthyThresholdCount: 10,
} as const;

/** A measurement over UDP needs TCP_UDP, because the control connection of its tool is TCP on the same port. */
export type ListenerProtocol = 'TCP' | 'TCP_UDP';

export interface PairLoadBalancer {
  readonly arn: string;
  readonly state: string;
  /** Why it is in that state, if the service gives a reason. */
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
  /** A Network Load Balancer that was created without a security group can't be given one later. */
  readonly securityGroupId: string;
  readonly tags: Tags;
}

/** Creates an internal one, because nothing outside the network may reach a pair. */
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
    reason: found.State?.Reason,
  };
}

/** ARNs of the listeners by port. */
export async function findListeners(loadBalancerArn: string): Promise<Map<number, string>> {
  const listeners = new Map<number, string>();
  for await (const page of paginateDescribeListeners({ client }, { LoadBalancerArn: loadBalancerArn })) {
    for (const { Port, ListenerArn } of page.Listeners ?? []) {
      listeners.set(answered(Port, 'DescribeListeners.Port'), answered(ListenerArn, 'DescribeListeners.ListenerArn'));
    }
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

/** Sets how long a TCP listener remembers a silent connection. The time of a TCP_UDP listener is fixed. */
export async function setIdleTimeout(listenerArn: string, seconds: number): Promise<void> {
  await client.send(
    new ModifyListenerAttributesCommand({
      ListenerArn: listenerArn,
      Attributes: [{ Key: 'tcp.idle_timeout.seconds', Value: String(seconds) }],
    }),
  );
}

/** @returns the ARN, or undefined when no target group has that name */
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

/** Targets are instances, because then every protocol preserves the address of the client. */
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

/** A target that is registered already is no error. */
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
