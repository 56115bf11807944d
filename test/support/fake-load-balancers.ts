/** Elastic Load Balancing in memory: names are unique, a target group is free once its load balancer is gone. */
import type {
  ListenerRequest,
  LoadBalancerRequest,
  PairListener,
  PairLoadBalancer,
  TargetGroupRequest,
} from '../../lambdas/adapters/elb-load-balancers';
import type { TaggedElbResource } from '../../lambdas/adapters/elb-removal';
import type { Tags } from '../../lambdas/adapters/ec2-tags';

export class FakeLoadBalancers {
  /** By ARN. */
  readonly loadBalancers = new Map<string, LoadBalancerRequest>();
  readonly targetGroups = new Map<string, TargetGroupRequest & { targets: string[] }>();
  readonly listeners: ListenerRequest[] = [];
  readonly idleSeconds = new Map<string, number>();
  state = 'active';
  reason: string | undefined;
  health = 'healthy';
  address: string | undefined = '10.0.0.200';
  /** A target group stays in use until this says otherwise. */
  isFree: (arn: string) => boolean = () => true;

  readonly findLoadBalancer = async (name: string): Promise<PairLoadBalancer | undefined> => {
    const found = [...this.loadBalancers].find(([, request]) => request.name === name);
    return found === undefined ? undefined : this.view(found[0]);
  };

  readonly createLoadBalancer = async (request: LoadBalancerRequest): Promise<PairLoadBalancer> => {
    const arn = `arn:loadbalancer/net/${request.name}/1`;
    this.loadBalancers.set(arn, request);
    return this.view(arn);
  };

  readonly loadBalancerAddress = async (): Promise<string | undefined> => this.address;

  readonly findListeners = async (arn: string): Promise<Map<number, PairListener>> =>
    new Map(
      this.listeners
        .filter(({ loadBalancerArn }) => loadBalancerArn === arn)
        .map(({ port, targetGroupArn }) => [port, { arn: `arn:listener/${port}`, targetGroupArn }]),
    );

  readonly createListener = async (request: ListenerRequest): Promise<void> => {
    if (this.listeners.some(({ port }) => port === request.port)) throw new Error(`port ${request.port} is taken`);
    this.listeners.push(request);
  };

  readonly setIdleTimeout = async (listenerArn: string, seconds: number): Promise<void> => {
    this.idleSeconds.set(listenerArn, seconds);
  };

  readonly findTargetGroup = async (name: string): Promise<string | undefined> =>
    [...this.targetGroups].find(([, request]) => request.name === name)?.[0];

  readonly createTargetGroup = async (request: TargetGroupRequest): Promise<string> => {
    const arn = `arn:targetgroup/${request.name}/1`;
    this.targetGroups.set(arn, { ...request, targets: [] });
    return arn;
  };

  readonly registerTarget = async (arn: string, instanceId: string): Promise<void> => {
    this.targetGroups.get(arn)!.targets.push(instanceId);
  };

  readonly targetHealth = async (arn: string): Promise<string | undefined> =>
    this.targetGroups.get(arn)!.targets.length === 0 ? undefined : this.health;

  readonly findLoadBalancers = async (tags: Tags): Promise<TaggedElbResource[]> => withTags(this.loadBalancers, tags);

  readonly deleteLoadBalancer = async (arn: string): Promise<void> => {
    this.loadBalancers.delete(arn);
  };

  readonly findTargetGroups = async (tags: Tags): Promise<TaggedElbResource[]> => withTags(this.targetGroups, tags);

  readonly deleteTargetGroup = async (arn: string): Promise<boolean> => {
    if (this.loadBalancers.size > 0 || !this.isFree(arn)) return false;
    this.targetGroups.delete(arn);
    return true;
  };

  private view(arn: string): PairLoadBalancer {
    return { arn, state: this.state, ...(this.reason === undefined ? {} : { reason: this.reason }) };
  }
}

function withTags(
  resources: ReadonlyMap<string, { readonly name: string; readonly tags: Tags }>,
  wanted: Tags,
): TaggedElbResource[] {
  return [...resources]
    .filter(([, { tags }]) => Object.entries(wanted).every(([key, value]) => tags[key] === value))
    .map(([arn, { name, tags }]) => ({ arn, name, tags }));
}
