/** Elastic Load Balancing: what a pair's load balancer has been given, and whether its targets are healthy. */
import {
  DescribeListenerAttributesCommand,
  DescribeLoadBalancersCommand,
  DescribeTargetHealthCommand,
  ElasticLoadBalancingV2Client,
  ModifyListenerAttributesCommand,
  paginateDescribeListeners,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { allOf, answered, REPEATED_BY_SDK } from '../../../lambdas/adapters/answers';

const client = new ElasticLoadBalancingV2Client(REPEATED_BY_SDK);
const IDLE_TIMEOUT = 'tcp.idle_timeout.seconds';

export interface BalancerState {
  readonly state: string;
  readonly scheme: string;
  readonly securityGroupCount: number;
}

export async function balancerState(arn: string): Promise<BalancerState> {
  const { LoadBalancers } = await client.send(new DescribeLoadBalancersCommand({ LoadBalancerArns: [arn] }));
  const found = answered(LoadBalancers?.[0], `DescribeLoadBalancers ${arn}`);
  return {
    state: found.State?.Code ?? '',
    scheme: found.Scheme ?? '',
    securityGroupCount: found.SecurityGroups?.length ?? 0,
  };
}

export interface BalancerListener {
  readonly arn: string;
  /** `TCP`, `TCP_UDP` */
  readonly protocol: string;
}

export async function balancerListeners(arn: string): Promise<BalancerListener[]> {
  const listeners = await allOf(
    paginateDescribeListeners({ client }, { LoadBalancerArn: arn }),
    (page) => page.Listeners,
  );
  return listeners.map(({ ListenerArn, Protocol }) => ({
    arn: answered(ListenerArn, 'DescribeListeners.ListenerArn'),
    protocol: answered(Protocol, 'DescribeListeners.Protocol'),
  }));
}

/** `healthy`, `initial`, `unhealthy`… of each target of a group. */
export async function healthOfTargets(targetGroupArn: string): Promise<string[]> {
  const { TargetHealthDescriptions = [] } = await client.send(
    new DescribeTargetHealthCommand({ TargetGroupArn: targetGroupArn }),
  );
  return TargetHealthDescriptions.map(({ TargetHealth }) => TargetHealth?.State ?? 'unknown');
}

/** @returns the idle time-out in seconds; undefined where the listener has none that can be set */
export async function idleTimeoutSeconds(listenerArn: string): Promise<number | undefined> {
  const { Attributes = [] } = await client.send(new DescribeListenerAttributesCommand({ ListenerArn: listenerArn }));
  const value = Attributes.find(({ Key }) => Key === IDLE_TIMEOUT)?.Value;
  return value === undefined ? undefined : Number(value);
}

export async function requestIdleTimeout(listenerArn: string, seconds: number): Promise<void> {
  const Attributes = [{ Key: IDLE_TIMEOUT, Value: String(seconds) }];
  await client.send(new ModifyListenerAttributesCommand({ ListenerArn: listenerArn, Attributes }));
}
