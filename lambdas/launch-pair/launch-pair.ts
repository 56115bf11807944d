/**
 * Launches the two hosts of a pair, one RunInstances call each, in the first candidate subnets that have room for both.
 * Either both are there in the end or none: the second's failure terminates the first.
 */
import { prepareCommand } from '../../domain/tools/commands';
import type { PairSubnets, PlannedPair, PlannedRun } from '../../domain/model/planned-run';
import type { LaunchedHost, LaunchPairResponse, PairHosts, PairRequest } from '../../domain/workflow/contracts';
import { LaunchFailedError } from '../../domain/workflow/error-names';
import { type HostRole } from '../../domain/model/host-role';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type { RunHostReply, RunHostRequest } from '../adapters/ec2-hosts';
import type { SecurityGroupRequest } from '../adapters/ec2-security-groups';
import type { Tags } from '../adapters/ec2-tags';
import type { ResultReader } from '../result-store/reader';
import type { ResultWriter } from '../result-store/writer';
import type { Log } from '../shared/logger';
import { pairTags } from '../shared/pair-identity';
import { errorText } from '../shared/error-text';
import { isPassing } from '../shared/passing-errors';
import { pairResourceName } from '../shared/pair-identity';
import { clientToken } from './client-token';
import { isNoRoom } from './launch-errors';

/**
 * The newest types forget a TCP connection that was idle for 350 s, and iperf3's control connection is silent while it
 * measures, at most 7200 s. EC2 takes 60 to 432000 and recommends less than the maximum
 * (API reference, ConnectionTrackingSpecificationRequest). A type on Xen, say m4 or t2, is refused with any such
 * setting, and remembers for five days by itself.
 */
const IDLE_TCP_CONNECTION_SECONDS = 10_800;

const THROTTLED_ATTEMPTS = 6;
const FIRST_BACKOFF_MILLISECONDS = 1_000;

export interface LaunchPairDependencies {
  readonly bucketName: string;
  readonly stackName: string;
  readonly vpcId: string;
  readonly securityGroupId: string;
  /** Of hosts in the second network; undefined without one. */
  readonly peeredSecurityGroupId: string | undefined;
  readonly launchTemplateId: string;
  readonly runHost: (request: RunHostRequest) => Promise<RunHostReply>;
  readonly terminateHosts: (instanceIds: readonly string[]) => Promise<void>;
  readonly createSecurityGroup: (request: SecurityGroupRequest) => Promise<string>;
  readonly createPlacementGroup: (
    name: string,
    strategy: 'cluster' | 'spread' | 'partition',
    tags: Tags,
  ) => Promise<void>;
  readonly store: Pick<
    ResultReader & ResultWriter,
    'plannedPair' | 'launchIntent' | 'writeLaunchIntentOnce' | 'writeHosts'
  >;
  readonly now: () => Date;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly log: Log;
}

export function makeLaunchPair(deps: LaunchPairDependencies) {
  return async (request: PairRequest): Promise<LaunchPairResponse> => {
    const { runId } = request;
    const { run, pair } = await deps.store.plannedPair(request);
    const launchedAt = await firstTriedAt(deps, runId, pair.pairId);
    const hosts = await launchPair(deps, run, pair, launchedAt);
    await deps.store.writeHosts(hosts);
    deps.log('pair launched', {
      runId,
      pairId: pair.pairId,
      client: hosts.client.instanceId,
      server: hosts.server.instanceId,
      zone: hosts.client.zone,
    });
    return response(deps.bucketName, pair, hosts);
  };
}

/**
 * When this pair was first tried to be launched. A retry must not ask with another time: the hosts carry it in a tag, and
 * EC2 refuses a client token that comes with other parameters than before.
 */
async function firstTriedAt({ store, now }: LaunchPairDependencies, runId: string, pairId: string): Promise<Date> {
  const launchedAt = now();
  return (await store.writeLaunchIntentOnce(runId, pairId, launchedAt))
    ? launchedAt
    : store.launchIntent(runId, pairId);
}

async function launchPair(
  deps: LaunchPairDependencies,
  run: PlannedRun,
  pair: PlannedPair,
  launchedAt: Date,
): Promise<PairHosts> {
  const identity = { stackName: deps.stackName, runId: run.runId, pairId: pair.pairId };
  const tags = pairTags(identity, launchedAt, pair.lifetimeSeconds);
  const securityGroupId = await pairSecurityGroup(deps, pair, pairResourceName(identity), tags);

  const launch = (
    role: HostRole,
    subnets: PairSubnets,
    attempt: number,
    placementGroupName: string | undefined,
  ): Promise<LaunchedHost> => {
    const instanceType = role === 'client' ? pair.clientType : pair.serverType;
    const facts = run.instanceTypes[instanceType]!;
    const { subnetId, zone } = subnets[role];
    const imageId = run.images[facts.architecture]!;
    const networkGroupId = pair.path === 'peering' && role === 'server' ? peeredGroup(deps) : deps.securityGroupId;
    return patiently(deps, async () => {
      const reply = await deps.runHost({
        clientToken: clientToken({ runId: run.runId, pairId: pair.pairId, role, zone, attempt }),
        launchTemplateId: deps.launchTemplateId,
        instanceType,
        imageId,
        subnetId,
        securityGroupIds: securityGroupId === undefined ? [networkGroupId] : [networkGroupId, securityGroupId],
        isBurstableCpu: facts.isBurstableCpu,
        tags: { ...tags, [ResourceTag.role]: role },
        ...(facts.hypervisor === 'xen' ? {} : { idleTcpConnectionSeconds: IDLE_TCP_CONNECTION_SECONDS }),
        ...(hasEnaExpress(pair, role) ? { enaExpress: { udp: pair.enaExpressUdp } } : {}),
        ...(placementGroupName === undefined ? {} : { placementGroupName }),
      });
      return { ...reply, instanceType, subnetId, imageId };
    });
  };

  const refusals: string[] = [];
  for (const [attempt, subnets] of pair.candidateSubnets.entries()) {
    const launched: LaunchedHost[] = [];
    try {
      const placementGroupName = await placementGroup(deps, pair, pairResourceName(identity), attempt, tags);
      for (const role of ['server', 'client'] as const) {
        launched.push(await launch(role, subnets, attempt, placementGroupName));
      }
      const [server, client] = launched as [LaunchedHost, LaunchedHost];
      return {
        runId: run.runId,
        pairId: pair.pairId,
        launchedAt: launchedAt.toISOString(),
        client,
        server,
        ...(placementGroupName === undefined ? {} : { placementGroupName }),
        ...(securityGroupId === undefined ? {} : { securityGroupId }),
      };
    } catch (error) {
      await deps.terminateHosts(launched.map((host) => host.instanceId));
      const role = launched.length === 0 ? 'server' : 'client';
      const refusal = `${subnets[role].zone}: ${errorText(error)}`;
      deps.log('launch refused', { runId: run.runId, pairId: pair.pairId, role, refusal });
      if (!isNoRoom(error)) throw new LaunchFailedError(`${pair.pairId} ${role}: ${refusal}`);
      refusals.push(`${role} in ${refusal}`);
    }
  }
  throw new LaunchFailedError(
    `${pair.pairId}: no room for ${pair.clientType} and ${pair.serverType} in any zone (${refusals.join('; ')})`,
  );
}

/** Only for the paths that need rules of their own; connect-pair fills it, once there is something to let in. */
async function pairSecurityGroup(
  deps: LaunchPairDependencies,
  { path }: PlannedPair,
  name: string,
  tags: Tags,
): Promise<string | undefined> {
  if (path !== 'public' && path !== 'nlb') return undefined;
  return patiently(deps, () =>
    deps.createSecurityGroup({
      name,
      description: 'Hosts of one pair of network-benchmark: what its path needs beside the stack group',
      vpcId: deps.vpcId,
      tags,
    }),
  );
}

/**
 * Of the pair's own. A cluster group stays in its zone until the last host has left it, which takes EC2 longer than the
 * next zone may wait: each zone is tried with a group of its own. The teardown finds all of them by their tags.
 */
async function placementGroup(
  deps: LaunchPairDependencies,
  { placement }: PlannedPair,
  pairName: string,
  attempt: number,
  tags: Tags,
): Promise<string | undefined> {
  if (placement === 'none') return undefined;
  const name = placement === 'cluster' && attempt > 0 ? `${pairName}-${attempt + 1}` : pairName;
  await patiently(deps, () => deps.createPlacementGroup(name, placement, tags));
  return name;
}

function peeredGroup({ peeredSecurityGroupId }: LaunchPairDependencies): string {
  if (peeredSecurityGroupId === undefined) {
    throw new LaunchFailedError('path peering: must have a second network, got a stack deployed without one');
  }
  return peeredSecurityGroupId;
}

function hasEnaExpress({ enaExpress }: PlannedPair, role: HostRole): boolean {
  return enaExpress === 'both' || (enaExpress === 'one_side' && role === 'client');
}

/** Throttling is no refusal: the same call, with the same token, after a while. */
async function patiently<T>(deps: LaunchPairDependencies, call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!isPassing(error) || attempt === THROTTLED_ATTEMPTS) throw error;
      await deps.sleep(FIRST_BACKOFF_MILLISECONDS * 2 ** (attempt - 1));
    }
  }
}

function response(bucketName: string, pair: PlannedPair, hosts: PairHosts): LaunchPairResponse {
  const context = { runId: hosts.runId, pairId: pair.pairId, bucketName };
  return {
    pairId: pair.pairId,
    clientInstanceId: hosts.client.instanceId,
    serverInstanceId: hosts.server.instanceId,
    ...(hosts.placementGroupName === undefined ? {} : { placementGroupName: hosts.placementGroupName }),
    prepare: prepareCommand(context, pair),
  };
}
