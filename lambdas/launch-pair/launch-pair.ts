/**
 * Launches the two hosts of a pair in the first candidate subnets with capacity for both. If the second host can't be
 * launched, the first is terminated, so that a pair has either both hosts or none.
 */
import type { NetworkPath } from '../../domain/model/conditions';
import type { HostRole } from '../../domain/model/host-role';
import type { PairSubnets, PlannedPair, PlannedRun } from '../../domain/model/planned-run';
import { prepareCommand, probeCommand } from '../../domain/tools/commands';
import type { LaunchedHost, LaunchPairRequest, LaunchPairResponse, PairHosts } from '../../domain/workflow/contracts';
import { LaunchFailedError } from '../../domain/workflow/error-names';
import type * as hostCalls from '../adapters/ec2-hosts';
import type * as pathCalls from '../adapters/ec2-path';
import type { Tags } from '../adapters/ec2-tags';
import type { ResultReader } from '../result-store/reader';
import type { ResultWriter } from '../result-store/writer';
import { errorText } from '../errors/aws-errors';
import type { Log } from '../shared/runtime';
import { pairResourceName, pairTags } from '../shared/pair-identity';
import {
  launchDecision,
  repeatWhilePassing,
  launchHost,
  ownGroup,
  type LaunchAttempt,
  type LaunchHostDependencies,
} from './launch-host';

type LaunchCalls = Pick<typeof hostCalls & typeof pathCalls, 'terminateHosts' | 'createSecurityGroup' | 'admitTraffic'>;

export interface LaunchPairDependencies extends LaunchHostDependencies, LaunchCalls {
  readonly bucketName: string;
  readonly stackName: string;
  readonly vpcId: string;
  readonly store: Pick<
    ResultReader & ResultWriter,
    'plannedPair' | 'launchIntent' | 'writeLaunchIntentOnce' | 'writeHosts' | 'writeRefusedLaunchOnce'
  >;
  readonly now: () => Date;
  readonly log: Log;
}

export function makeLaunchPair(deps: LaunchPairDependencies) {
  return async (request: LaunchPairRequest): Promise<LaunchPairResponse> => {
    const { run, pair } = await deps.store.plannedPair(request);
    const { runId } = run;
    const { pairId } = pair;
    if ((request.redriveCount ?? 0) > 0) {
      throw new LaunchFailedError(
        `${pairId}: a pair can't be redriven, because its hosts were fresh only once; start a run of the same plan`,
      );
    }
    const launchedAt = await firstTriedAt(deps, runId, pairId);
    const hosts = await launchInFirstZoneWithRoom(deps, run, pair, launchedAt);
    await deps.store.writeHosts(hosts);
    await admitEachOther(deps, hosts);
    const { instanceId: clientInstanceId, zone } = hosts.client;
    const { instanceId: serverInstanceId } = hosts.server;
    deps.log('pair launched', { runId, pairId, client: clientInstanceId, server: serverInstanceId, zone });
    const context = { runId, pairId, bucketName: deps.bucketName };
    return {
      pairId,
      clientInstanceId,
      serverInstanceId,
      placementGroupName: hosts.placementGroupName,
      prepare: prepareCommand(context, pair),
      probe: probeCommand({ ...context, serverAddress: hosts.server.privateIp }, pair),
    };
  };
}

/**
 * When the launch of this pair was first tried. Retries must use the same time, because the hosts carry it in a tag and
 * EC2 refuses a repeated client token with other parameters. It can't be an earlier run's time, because plan-run
 * refuses a run id that the store already has.
 */
async function firstTriedAt({ store, now }: LaunchPairDependencies, runId: string, pairId: string): Promise<Date> {
  const launchedAt = now();
  return (await store.writeLaunchIntentOnce(runId, pairId, launchedAt))
    ? launchedAt
    : store.launchIntent(runId, pairId);
}

async function launchInFirstZoneWithRoom(
  deps: LaunchPairDependencies,
  run: PlannedRun,
  pair: PlannedPair,
  launchedAt: Date,
): Promise<PairHosts> {
  const { runId } = run;
  const { pairId } = pair;
  const identity = { stackName: deps.stackName, runId, pairId };
  const tags = pairTags(identity, run, launchedAt, pair.lifetimeSeconds);
  const resourceName = pairResourceName(identity);
  const securityGroups = await pairSecurityGroups(deps, pair, resourceName, tags);
  const refusals: string[] = [];
  for (const [attempt, subnets] of pair.candidateSubnets.entries()) {
    const placementGroupName = placementGroupOf(pair, resourceName, attempt);
    const launch = { run, pair, attempt, subnets, tags, securityGroups, placementGroupName };
    const launched = await launchBothHosts(deps, launch);
    if ('refusal' in launched) {
      refusals.push(launched.refusal);
      continue;
    }
    const { client, server } = launched;
    // The first candidate subnets are those that the pair's repetitions and comparisons use.
    const isDisplaced = attempt > 0;
    const made = { placementGroupName, ...groupsOf(pair, subnets, securityGroups) };
    return { runId, pairId, launchedAt: launchedAt.toISOString(), client, server, isDisplaced, ...made };
  }
  const types = `${pair.clientType} and ${pair.serverType}`;
  throw new LaunchFailedError(`${pairId}: no room for ${types} in any zone (${refusals.join('; ')})`);
}

/**
 * @returns both hosts, or why these subnets have no capacity
 * @throws `LaunchFailedError` for an error that other zones would not avoid
 */
async function launchBothHosts(
  deps: LaunchPairDependencies,
  launch: LaunchAttempt,
): Promise<{ client: LaunchedHost; server: LaunchedHost } | { refusal: string }> {
  const { run, pair, subnets, tags, placementGroupName } = launch;
  const { placement } = pair;
  let role: HostRole = 'server';
  let server: LaunchedHost | undefined;
  try {
    if (placementGroupName !== undefined && placement !== 'none') {
      await repeatWhilePassing(deps.sleep, () => deps.createPlacementGroup(placementGroupName, placement, tags));
    }
    server = await launchHost(deps, launch, role);
    role = 'client';
    return { server, client: await launchHost(deps, launch, role) };
  } catch (error) {
    await deps.terminateHosts(server === undefined ? [] : [server.instanceId]);
    await recordRefusal(deps, launch, server);
    const refusal = `${subnets[role].zone}: ${errorText(error)}`;
    deps.log('launch refused', { runId: run.runId, pairId: pair.pairId, role, refusal });
    if (launchDecision(error) !== 'next_zone') throw new LaunchFailedError(`${pair.pairId} ${role}: ${refusal}`);
    return { refusal: `${role} in ${refusal}` };
  }
}

/** Records a refused launch for the run's price, because EC2 charges even for a host that is terminated at once. */
async function recordRefusal(
  { store, now }: LaunchPairDependencies,
  { run, pair, attempt }: LaunchAttempt,
  host: LaunchedHost | undefined,
): Promise<void> {
  const terminatedAt = now().toISOString();
  const discarded =
    host === undefined
      ? null
      : { instanceType: host.instanceType, launchedAt: host.launchedAt ?? terminatedAt, terminatedAt };
  await store.writeRefusedLaunchOnce(run.runId, pair.pairId, attempt, { discarded });
}

/**
 * Creates the pair's own security groups if its path needs its own rules. The path `own` gets one per VPC that the
 * hosts may be in, because a group belongs to one VPC. On other paths connect-pair adds the rules later.
 * @returns the group ids by VPC id
 */
async function pairSecurityGroups(
  deps: LaunchPairDependencies,
  { path, candidateSubnets }: PlannedPair,
  name: string,
  tags: Tags,
): Promise<ReadonlyMap<string, string>> {
  const groups = new Map<string, string>();
  for (const vpcId of new Set(groupNetworks(deps, path, candidateSubnets))) {
    const description =
      path === 'own'
        ? 'Hosts of one pair of network-benchmark: they admit each other and nobody else'
        : 'Hosts of one pair of network-benchmark: what its path needs beside the stack group';
    const groupId = await repeatWhilePassing(deps.sleep, () =>
      deps.createSecurityGroup({ name, description, vpcId, tags }),
    );
    groups.set(vpcId, groupId);
  }
  return groups;
}

function groupNetworks(deps: LaunchPairDependencies, path: NetworkPath, candidates: readonly PairSubnets[]): string[] {
  if (path === 'own') return candidates.flatMap(({ client, server }) => [client.vpcId, server.vpcId]);
  return path === 'public' || path === 'nlb' ? [deps.vpcId] : [];
}

function groupsOf(
  { path }: PlannedPair,
  { client, server }: PairSubnets,
  groups: ReadonlyMap<string, string>,
): Pick<PairHosts, 'securityGroupId' | 'securityGroupIds'> {
  if (path !== 'own') return { securityGroupId: [...groups.values()][0] };
  return { securityGroupIds: { client: ownGroup(groups, client.vpcId), server: ownGroup(groups, server.vpcId) } };
}

/** On the path `own` each host admits the other's address, because a rule can't name a group of an unpeered VPC. */
async function admitEachOther(deps: LaunchPairDependencies, hosts: PairHosts): Promise<void> {
  const { client, server, securityGroupIds } = hosts;
  if (securityGroupIds === undefined) return;
  const admit = (groupId: string, { privateIp }: LaunchedHost) =>
    repeatWhilePassing(deps.sleep, () => deps.admitTraffic(groupId, [{ cidr: `${privateIp}/32` }]));
  await admit(securityGroupIds.server, client);
  await admit(securityGroupIds.client, server);
}

/**
 * The name of the pair's placement group. A cluster group stays in its zone until its last host is gone, which takes
 * longer than the next attempt can wait, so each attempt has its own. The teardown finds all of them by tag.
 */
function placementGroupOf({ placement }: PlannedPair, resourceName: string, attempt: number): string | undefined {
  if (placement === 'none') return undefined;
  return placement === 'cluster' && attempt > 0 ? `${resourceName}-${attempt + 1}` : resourceName;
}
