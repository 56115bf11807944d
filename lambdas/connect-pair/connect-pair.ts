/**
 * Sets up the network path from client to server of a pair and returns the measurements once the path is ready. Until
 * then the state machine calls it repeatedly, and each call finds what earlier calls have created.
 */
import type { NetworkPath } from '../../domain/model/conditions';
import { measurementCommands } from '../../domain/tools/commands';
import { nothingArrives, probedPath } from '../../domain/tools/probed-path';
import type { PlannedPair } from '../../domain/model/planned-run';
import type { ConnectPairRequest, ConnectPairResponse, PairHosts } from '../../domain/workflow/contracts';
import { ConnectFailedError } from '../../domain/workflow/error-names';
import { pairTags } from '../shared/pair-identity';
import { errorText } from '../errors/aws-errors';
import { isPassing } from '../adapters/passing-errors';
import {
  NotListedYetError,
  pairSecurityGroup,
  type Connection,
  type ConnectPairDependencies,
  type PairToConnect,
} from './connecting';
import { connectByLoadBalancer } from './load-balanced-path';

type Connect = (deps: ConnectPairDependencies, connecting: PairToConnect) => Promise<Connection>;

/** A private path needs nothing more: the routes and security groups of the stack or of launch-pair are sufficient. */
const byPrivateAddress: Connect = (_, { hosts }) => Promise.resolve({ serverAddress: hosts.server.privateIp });

/** A rule that names a security group matches private addresses only, so each public address needs its own rule. */
const byPublicAddress: Connect = async (deps, connecting) => {
  const { client, server } = connecting.hosts;
  const groupId = pairSecurityGroup(connecting);
  const [clientAddress, serverAddress] = await deps.publicAddresses([client.instanceId, server.instanceId]);
  if (clientAddress === undefined || serverAddress === undefined) return { waitingFor: 'public addresses' };
  // Admit both hosts, because a tool may open connections from either end and either end may send ICMP errors.
  await deps.admitTraffic(groupId, [{ cidr: `${clientAddress}/32` }, { cidr: `${serverAddress}/32` }]);
  return { serverAddress };
};

const PATHS: Readonly<Record<NetworkPath, Connect>> = {
  private: byPrivateAddress,
  peering: byPrivateAddress,
  own: byPrivateAddress,
  public: byPublicAddress,
  nlb: connectByLoadBalancer,
};

export function makeConnectPair(deps: ConnectPairDependencies) {
  return async (request: ConnectPairRequest): Promise<ConnectPairResponse> => {
    const { runId } = request;
    const { run, pair } = await deps.store.plannedPair(request);
    const hosts = await deps.store.hosts(runId, pair.pairId);
    if (request.probeOutput !== undefined) await judgeProbe(deps, request.probeOutput, pair, hosts);
    const identity = { stackName: deps.stackName, runId, pairId: pair.pairId };
    const tags = pairTags(identity, run, new Date(hosts.launchedAt), pair.lifetimeSeconds);
    const connection = await connect(deps, { ...identity, pair, hosts, tags });
    if ('waitingFor' in connection) {
      const { waitingFor } = connection;
      deps.log('pair not connected yet', { runId, pairId: pair.pairId, waitingFor });
      return { ready: false, waitingFor };
    }
    const { serverAddress } = connection;
    deps.log('pair connected', { runId, pairId: pair.pairId, path: pair.path, serverAddress });
    const { bucketName, payloadBucketName } = deps;
    const context = { runId, pairId: pair.pairId, bucketName, payloadBucketName, serverAddress };
    return { ready: true, measurements: measurementCommands(context, pair.measurements) };
  };
}

/** Stores the result of the path probe before anything can fail. */
async function judgeProbe(deps: ConnectPairDependencies, output: string, pair: PlannedPair, hosts: PairHosts) {
  const path = probedPath(output, pair, hosts);
  await deps.store.writeProbedPath(path);
  const { runId, pairId, answer, seconds, pathMtuBytes } = path;
  deps.log('path probed', { runId, pairId, answer, seconds, pathMtuBytes });
  const groupId = hosts.securityGroupIds?.server;
  if (groupId === undefined) throw new Error(`${pairId}: must have a security group per host, has none`);
  if (answer === null) throw new ConnectFailedError(nothingArrives(path, groupId));
}

async function connect(deps: ConnectPairDependencies, connecting: PairToConnect): Promise<Connection> {
  try {
    return await PATHS[connecting.pair.path](deps, connecting);
  } catch (error) {
    // The SDK does not retry here. The state machine calls again, and that call creates what is still missing.
    if (error instanceof NotListedYetError) return { waitingFor: `${error.message} (there, but not listed yet)` };
    if (isPassing(error)) return { waitingFor: `AWS (${errorText(error)})` };
    throw error;
  }
}
