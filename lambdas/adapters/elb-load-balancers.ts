/** Network Load Balancers of single pairs, found again by name. connect-pair repeats these calls, and not the SDK. */
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
  const described = client.send(new DescribeLoadBalancersCommand({ Names: [name] }));
  const answer = await withExpectedErrors(described, { LoadBalancerNotFoundException: undefined });
  const found = answer?.LoadBalancers?.[0];
  return found && pairLoadBalancer(found);
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
  return pairLoadBalancer(answered(LoadBalancers?.[0], `CreateLoadBalancer ${request.name}: LoadBalancers`));
}

function pairLoadBalancer({ LoadBalancerArn, State }: LoadBalancer): PairLoadBalancer {
  const arn = answered(LoadBalancerArn, 'LoadBalancerArn');
  return { arn, state: State?.Code ?? 'provisioning', reason: State?.Reason };
}

export interface PairListener {
  readonly arn: string;
  /** Of the group that it forwards to. */
  readonly targetGroupArn?: string;
}

/** The listeners by port. */
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
  const described = client.send(new DescribeTargetGroupsCommand({ Names: [name] }));
  const answer = await withExpectedErrors(described, { TargetGroupNotFoundException: undefined });
  return answer?.TargetGroups?.[0]?.TargetGroupArn;
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
  return answered(TargetGroups?.[0]?.TargetGroupArn, `CreateTargetGroup ${request.name}: TargetGroupArn`);
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
