/**
 * Makes the way from client to server that a pair is to be measured over, and answers with the measurements once it is
 * there. It is asked again and again until then, so each call finds what the one before has made.
 */
import type { NetworkPath } from '../../domain/model/conditions';
import { measurementCommands } from '../../domain/tools/commands';
import type { ConnectPairResponse, PairRequest } from '../../domain/workflow/contracts';
import { pairTags } from '../shared/pair-identity';
import { errorText } from '../shared/error-text';
import { isPassing } from '../adapters/retries';
import type { Connection, ConnectPairDependencies, PairToConnect } from './dependencies';
import { connectByLoadBalancer } from './load-balanced-path';
import { connectByPublicAddress } from './public-path';

type Connect = (deps: ConnectPairDependencies, connecting: PairToConnect) => Promise<Connection>;

/** The network's own routes lead there; groups and rules are the stack's. */
const byPrivateAddress: Connect = (_, { hosts }) => Promise.resolve({ serverAddress: hosts.server.privateIp });

const PATHS: Readonly<Record<NetworkPath, Connect>> = {
  private: byPrivateAddress,
  peering: byPrivateAddress,
  public: connectByPublicAddress,
  nlb: connectByLoadBalancer,
};

export function makeConnectPair(deps: ConnectPairDependencies) {
  return async (request: PairRequest): Promise<ConnectPairResponse> => {
    const { runId } = request;
    const { pair } = await deps.store.plannedPair(request);
    const hosts = await deps.store.hosts(runId, pair.pairId);
    const identity = { stackName: deps.stackName, runId, pairId: pair.pairId };
    const tags = pairTags(identity, new Date(hosts.launchedAt), pair.lifetimeSeconds);
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

async function connect(deps: ConnectPairDependencies, connecting: PairToConnect): Promise<Connection> {
  try {
    return await PATHS[connecting.pair.path](deps, connecting);
  } catch (error) {
    // The state machine asks again, and the next call makes what this one could not: the SDK repeats none of them.
    if (isPassing(error)) return { waitingFor: `AWS (${errorText(error)})` };
    throw error;
  }
}
