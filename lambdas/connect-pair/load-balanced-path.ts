/**
 * Through a Network Load Balancer of the pair's own, with a listener and a target group for each measurement's port. Each
 * call makes what is missing and says what is awaited; nothing is remembered between calls but in the service.
 */
import pMap from 'p-map';
import { LOAD_BALANCER_LONGEST_IDLE_SECONDS } from '../../domain/model/ec2-facts';
import { HEALTH_CHECK_PORT } from '../../domain/tools/commands';
import { toolModule } from '../../domain/tools/catalogue';
import type { ListenerProtocol, PairLoadBalancer } from '../adapters/elb-load-balancers';
import { loadBalancerGroupName, loadBalancerName, targetGroupName } from '../shared/pair-identity';
import type { Connection, ConnectPairDependencies, PairToConnect } from './dependencies';

/** Below the service's own limits with forty pairs at a time. */
const CALLS_AT_A_TIME = 4;

interface Way {
  readonly port: number;
  readonly protocol: ListenerProtocol;
}

export async function connectByLoadBalancer(
  deps: ConnectPairDependencies,
  connecting: PairToConnect,
): Promise<Connection> {
  const ways = waysOf(connecting);
  // Nothing that listens on the server: nothing to put before it.
  if (ways.length === 0) return { serverAddress: connecting.hosts.server.privateIp };
  const loadBalancer =
    (await deps.findLoadBalancer(loadBalancerName(connecting))) ?? (await createLoadBalancer(deps, connecting));
  if (loadBalancer.state === 'failed') {
    throw new Error(`load balancer: must become active, failed: ${loadBalancer.reason ?? 'without a reason'}`);
  }

  const listeners = await deps.findListeners(loadBalancer.arn);
  const healths = await pMap(ways, (way) => connectPort(deps, connecting, loadBalancer, listeners, way), {
    concurrency: CALLS_AT_A_TIME,
  });
  if (loadBalancer.state !== 'active') return { waitingFor: `load balancer (${loadBalancer.state})` };
  const unhealthy = ways.flatMap(({ port }, index) =>
    healths[index] === 'healthy' ? [] : [`port ${port} (${healths[index] ?? 'no target'})`],
  );
  if (unhealthy.length > 0) return { waitingFor: `healthy target: ${unhealthy.join(', ')}` };

  const listenersNow = await deps.findListeners(loadBalancer.arn);
  await pMap(
    ways.filter(({ protocol }) => protocol === 'TCP'),
    // The longest that a listener takes: iperf3's control connection is silent while it measures.
    ({ port }) => deps.setIdleTimeout(listenersNow.get(port)!, LOAD_BALANCER_LONGEST_IDLE_SECONDS.tcp),
    { concurrency: CALLS_AT_A_TIME },
  );
  const serverAddress = await deps.loadBalancerAddress(loadBalancer.arn);
  return serverAddress === undefined ? { waitingFor: "the load balancer's address" } : { serverAddress };
}

/** The ports on which a measurement's server will listen. */
function waysOf({ pair }: PairToConnect): Way[] {
  return pair.measurements
    .filter(({ tool, notApplicable }) => notApplicable === undefined && toolModule(tool).serve !== undefined)
    .map(({ port, protocol }) => ({ port, protocol: protocol === 'udp' ? 'TCP_UDP' : 'TCP' }));
}

/**
 * With a group of its own from birth, which lets in this pair's hosts and nobody else. The pair's group lets in the load
 * balancer's: health checks come from its address, and with it whom it forwards.
 */
async function createLoadBalancer(deps: ConnectPairDependencies, connecting: PairToConnect): Promise<PairLoadBalancer> {
  const { hosts, tags, pairId } = connecting;
  if (hosts.securityGroupId === undefined)
    throw new Error(`${pairId}: must have a security group of its own, got none`);
  const securityGroupId = await deps.createSecurityGroup({
    name: loadBalancerGroupName(connecting),
    description: 'Load balancer of one pair of network-benchmark: admits its hosts',
    vpcId: deps.vpcId,
    tags,
  });
  await deps.admitTraffic(securityGroupId, [{ securityGroupId: hosts.securityGroupId }]);
  await deps.admitTraffic(hosts.securityGroupId, [{ securityGroupId }]);
  return deps.createLoadBalancer({
    name: loadBalancerName(connecting),
    subnetId: hosts.server.subnetId,
    securityGroupId,
    tags,
  });
}

/** @returns the health of the port's target */
async function connectPort(
  deps: ConnectPairDependencies,
  connecting: PairToConnect,
  { arn: loadBalancerArn }: PairLoadBalancer,
  listeners: ReadonlyMap<number, string>,
  { port, protocol }: Way,
): Promise<string | undefined> {
  const { hosts, tags } = connecting;
  const name = targetGroupName(connecting, port);
  const targetGroupArn =
    (await deps.findTargetGroup(name)) ??
    (await deps.createTargetGroup({
      name,
      vpcId: deps.vpcId,
      protocol,
      port,
      healthCheckPort: HEALTH_CHECK_PORT,
      tags,
    }));
  if (!listeners.has(port)) await deps.createListener({ loadBalancerArn, targetGroupArn, protocol, port, tags });
  const health = await deps.targetHealth(targetGroupArn);
  if (health === undefined) await deps.registerTarget(targetGroupArn, hosts.server.instanceId);
  return health;
}
