/**
 * The path through the pair's own Network Load Balancer, with a listener and a target group for each measurement's
 * port. Each call creates what is missing and reports what it waits for; the state between calls is kept by AWS alone.
 */
import pMap from 'p-map';
import { LOAD_BALANCER_LONGEST_IDLE_SECONDS } from '../../domain/model/ec2-facts';
import { HEALTH_CHECK_PORT } from '../../domain/tools/commands';
import { toolModule } from '../../domain/tools/catalogue';
import type { ListenerProtocol, PairListener, PairLoadBalancer } from '../adapters/elb-load-balancers';
import { loadBalancerGroupName, loadBalancerName, pairScope, targetGroupName } from '../shared/pair-identity';
import {
  createOrTakeOwn,
  refusedLoadBalancer,
  pairSecurityGroup,
  type Connection,
  type ConnectPairDependencies,
  type PairToConnect,
} from './connecting';

/** Keeps forty pairs that connect at the same time below the request limits of the Elastic Load Balancing API. */
const CALLS_AT_A_TIME = { concurrency: 4 };

/** A port on which the server of a measurement will listen. */
interface ForwardedPort {
  readonly port: number;
  readonly protocol: ListenerProtocol;
}

export async function connectByLoadBalancer(
  deps: ConnectPairDependencies,
  connecting: PairToConnect,
): Promise<Connection> {
  const ports = forwardedPorts(connecting);
  // Without a program that listens on the server there is nothing to forward to.
  if (ports.length === 0) return { serverAddress: connecting.hosts.server.privateIp };
  const loadBalancer =
    (await deps.findLoadBalancer(loadBalancerName(connecting))) ?? (await createLoadBalancer(deps, connecting));
  if (loadBalancer.state === 'failed') {
    throw new Error(`load balancer: must become active, failed: ${loadBalancer.reason ?? 'without a reason'}`);
  }

  const listeners = await deps.findListeners(loadBalancer.arn);
  const connectEach = (port: ForwardedPort) => connectPort(deps, connecting, loadBalancer, listeners, port);
  const healths = await pMap(ports, connectEach, CALLS_AT_A_TIME);
  if (loadBalancer.state !== 'active') return { waitingFor: `load balancer (${loadBalancer.state})` };
  const unhealthy = ports.flatMap(({ port }, index) =>
    healths[index] === 'healthy' ? [] : [`port ${port} (${healths[index] ?? 'no target'})`],
  );
  if (unhealthy.length > 0) return { waitingFor: `healthy target: ${unhealthy.join(', ')}` };

  const listenersNow = await deps.findListeners(loadBalancer.arn);
  const tcpPorts = ports.filter(({ protocol }) => protocol === 'TCP').map(({ port }) => port);
  const tcpListeners = tcpPorts.flatMap((port) => listenersNow.get(port) ?? []);
  if (tcpListeners.length < tcpPorts.length) return { waitingFor: 'listeners' };
  await pMap(
    tcpListeners,
    // iperf3's control connection is idle during a measurement, so set the longest idle timeout that a listener allows.
    ({ arn }) => deps.setIdleTimeout(arn, LOAD_BALANCER_LONGEST_IDLE_SECONDS.tcp),
    CALLS_AT_A_TIME,
  );
  const serverAddress = await deps.loadBalancerAddress(loadBalancer.arn);
  return serverAddress === undefined ? { waitingFor: "the load balancer's address" } : { serverAddress };
}

function forwardedPorts({ pair }: PairToConnect): ForwardedPort[] {
  return pair.measurements
    .filter(({ tool, notApplicable }) => notApplicable === undefined && toolModule(tool).serve !== undefined)
    .map(({ port, protocol }) => ({ port, protocol: protocol === 'udp' ? 'TCP_UDP' : 'TCP' }));
}

/**
 * Creates the load balancer with its own security group, which admits only the hosts of this pair. The pair's group
 * admits the load balancer's group, because health checks and forwarded traffic come from the load balancer's address.
 */
async function createLoadBalancer(deps: ConnectPairDependencies, connecting: PairToConnect): Promise<PairLoadBalancer> {
  const { hosts, tags } = connecting;
  const pairGroupId = pairSecurityGroup(connecting);
  const securityGroupId = await deps.createSecurityGroup({
    name: loadBalancerGroupName(connecting),
    description: 'Load balancer of one pair of network-benchmark: admits its hosts',
    vpcId: deps.vpcId,
    tags,
  });
  await deps.admitTraffic(securityGroupId, [{ securityGroupId: pairGroupId }]);
  await deps.admitTraffic(pairGroupId, [{ securityGroupId }]);
  const name = loadBalancerName(connecting);
  const { subnetId, zone } = hosts.server;
  try {
    return await createOrTakeOwn({
      what: `load balancer ${name}`,
      create: () => deps.createLoadBalancer({ name, subnetId, securityGroupId, tags }),
      find: () => deps.findLoadBalancer(name),
      isOwn: async () => (await deps.findLoadBalancers(pairScope(connecting))).some((own) => own.name === name),
    });
  } catch (error) {
    throw refusedLoadBalancer(error, zone);
  }
}

async function connectPort(
  deps: ConnectPairDependencies,
  connecting: PairToConnect,
  { arn: loadBalancerArn }: PairLoadBalancer,
  listeners: ReadonlyMap<number, PairListener>,
  { port, protocol }: ForwardedPort,
): Promise<string | undefined> {
  const { hosts, tags } = connecting;
  const name = targetGroupName(connecting, port);
  const targetGroupArn =
    (await deps.findTargetGroup(name)) ??
    (await createOrTakeOwn({
      what: `target group ${name}`,
      create: () =>
        deps.createTargetGroup({
          name,
          vpcId: deps.vpcId,
          protocol,
          port,
          healthCheckPort: HEALTH_CHECK_PORT,
          tags,
        }),
      find: () => deps.findTargetGroup(name),
      isOwn: async () => (await deps.findTargetGroups(pairScope(connecting))).some((own) => own.name === name),
    }));
  if (!listeners.has(port)) {
    const isLedHere = async () =>
      (await deps.findListeners(loadBalancerArn)).get(port)?.targetGroupArn === targetGroupArn;
    await createOrTakeOwn({
      what: `listener on port ${port} of the pair's load balancer`,
      create: async () => {
        await deps.createListener({ loadBalancerArn, targetGroupArn, protocol, port, tags });
        return port;
      },
      find: async () => ((await deps.findListeners(loadBalancerArn)).has(port) ? port : undefined),
      isOwn: isLedHere,
    });
  }
  const health = await deps.targetHealth(targetGroupArn);
  if (health === undefined) await deps.registerTarget(targetGroupArn, hosts.server.instanceId);
  return health;
}
