/** By public address: a rule that names a group matches private addresses only, so each host's own address is let in. */
import type { Connection, ConnectPairDependencies, PairToConnect } from './dependencies';

export async function connectByPublicAddress(
  deps: ConnectPairDependencies,
  { hosts, pairId }: PairToConnect,
): Promise<Connection> {
  if (hosts.securityGroupId === undefined)
    throw new Error(`${pairId}: must have a security group of its own, got none`);
  const [client, server] = await deps.publicAddresses([hosts.client.instanceId, hosts.server.instanceId]);
  if (client === undefined || server === undefined) return { waitingFor: 'public addresses' };
  // Both ways: a tool may open connections from either side, and ICMP errors come back from wherever they arise.
  await deps.admitTraffic(hosts.securityGroupId, [{ cidr: `${client}/32` }, { cidr: `${server}/32` }]);
  return { serverAddress: server };
}
