/** Network Load Balancers of single pairs, found by name. The SDK retries none of the calls; connect-pair does. */
import {
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateTargetGroupCommand,
  DescribeLoadBalancersCommand,
  DescribeTargetGroupsCommand,
  DescribeTargetHealthCommand,
  ElasticLoadBalancingV2Client,
  ModifyListenerAttributesCommand,
  paginateDescribeListeners,
  RegisterTargetsCommand,
  type LoadBalancer,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { allOf, answered, withExpectedErrors, REPEATED_BY_CALLER } from './answers';
import { awsTags, type Tags } from './ec2-tags';

const client = new ElasticLoadBalancingV2Client(REPEATED_BY_CALLER);

/**
 * Hosts are ready before they become targets, so a target becomes healthy as early as the service allows: after two
 * checks, five seconds apart. It becomes unhealthy as late as the service allows, because a throttled host misses
 * checks, and the load balancer of a TCP listener resets every connection of an unhealthy target.
 */
const HEALTH_CHECK = {
  HealthCheckProtocol: 'TCP',
  HealthCheckIntervalSeconds: 5,
  HealthCheckTimeoutSeconds: 2,
  HealthyThresholdCount: 2,
  UnhealthyThresholdCount: 10,
} as const;

/** A UDP measurement needs TCP_UDP, because its tool has a TCP control connection on the same port. */
export type ListenerProtocol = 'TCP' | 'TCP_UDP';

export interface PairLoadBalancer {
  readonly arn: string;
  readonly state: string;
  readonly reason?: string;
}

export async function findLoadBalancer(name: string): Promise<PairLoadBalancer | undefined> {
  const described = client.send(new DescribeLoadBalancersCommand({ Names: [name] }));
  const answer = await withExpectedErrors(described, { LoadBalancerNotFoundException: undefined });
  const found = answer?.LoadBalancers?.[0];
  return found && pairLoadBalancer(found);
}

export interface LoadBalancerRequest {
  /** Elastic Load Balancing allows names of at most 32 characters. */
  readonly name: string;
  readonly subnetId: string;
  /** Required at once, because a Network Load Balancer without a security group can't be given one later. */
  readonly securityGroupId: string;
  readonly tags: Tags;
}

/** Creates an internal load balancer, because nothing outside the VPC may reach a pair. */
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
  return pairLoadBalancer(answered(LoadBalancers?.[0], `CreateLoadBalancer ${request.name}: LoadBalancers`));
}

function pairLoadBalancer({ LoadBalancerArn, State }: LoadBalancer): PairLoadBalancer {
  const arn = answered(LoadBalancerArn, 'LoadBalancerArn');
  return { arn, state: State?.Code ?? 'provisioning', reason: State?.Reason };
}

export interface PairListener {
  readonly arn: string;
  readonly targetGroupArn?: string;
}

export async function findListeners(loadBalancerArn: string): Promise<Map<number, PairListener>> {
  const pages = paginateDescribeListeners({ client }, { LoadBalancerArn: loadBalancerArn });
  const listeners = await allOf(pages, (page) => page.Listeners);
  return new Map(
    listeners.map(({ Port, ListenerArn, DefaultActions }) => [
      answered(Port, 'DescribeListeners.Port'),
      {
        arn: answered(ListenerArn, 'DescribeListeners.ListenerArn'),
        targetGroupArn: DefaultActions?.[0]?.TargetGroupArn,
      },
    ]),
  );
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

/** Sets how long a TCP listener keeps an idle connection. The idle timeout of a TCP_UDP listener is fixed. */
export async function setIdleTimeout(listenerArn: string, seconds: number): Promise<void> {
  await client.send(
    new ModifyListenerAttributesCommand({
      ListenerArn: listenerArn,
      Attributes: [{ Key: 'tcp.idle_timeout.seconds', Value: String(seconds) }],
    }),
  );
}

/** @returns the ARN, or undefined if no target group has this name */
export async function findTargetGroup(name: string): Promise<string | undefined> {
  const described = client.send(new DescribeTargetGroupsCommand({ Names: [name] }));
  const answer = await withExpectedErrors(described, { TargetGroupNotFoundException: undefined });
  return answer?.TargetGroups?.[0]?.TargetGroupArn;
}

export interface TargetGroupRequest {
  readonly name: string;
  readonly vpcId: string;
  readonly protocol: ListenerProtocol;
  readonly port: number;
  readonly healthCheckPort: number;
  readonly tags: Tags;
}

/** Targets are instances, because every protocol then preserves the client's address. */
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
  return answered(TargetGroups?.[0]?.TargetGroupArn, `CreateTargetGroup ${request.name}: TargetGroupArn`);
}

/** Registers a host as a target. A host that is already registered is not an error. */
export async function registerTarget(targetGroupArn: string, instanceId: string): Promise<void> {
  await client.send(new RegisterTargetsCommand({ TargetGroupArn: targetGroupArn, Targets: [{ Id: instanceId }] }));
}

/** The state of the group's target, such as `healthy`, `initial` or `unhealthy`; undefined without a target. */
export async function targetHealth(targetGroupArn: string): Promise<string | undefined> {
  const { TargetHealthDescriptions } = await client.send(
    new DescribeTargetHealthCommand({ TargetGroupArn: targetGroupArn }),
  );
  return TargetHealthDescriptions?.[0]?.TargetHealth?.State;
}
