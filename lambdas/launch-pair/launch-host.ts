/** Launches one host of a pair. A repeated call for the same attempt returns the same host. */
import { createHash } from 'node:crypto';
import type { HostRole } from '../../domain/model/host-role';
import type { PairSubnets, PlannedPair, PlannedRun } from '../../domain/model/planned-run';
import { ROOT_DISK } from '../../domain/model/service-facts';
import type { LaunchedHost } from '../../domain/workflow/contracts';
import { LaunchFailedError } from '../../domain/workflow/error-names';
import { ResourceTag } from '../../domain/workflow/resource-tags';
import type * as launchCalls from '../adapters/ec2-launch';
import type { Tags } from '../adapters/ec2-tags';
import { isPassing } from '../adapters/passing-errors';
import { type DecidedErrorName, isNamed } from '../errors/aws-errors';

/**
 * The newest types drop a tracked TCP connection that was idle for 350 s, and iperf3's control connection is idle
 * during a measurement, for up to 7200 s. EC2 accepts 60 to 432000 s and recommends less than the maximum (API
 * reference, ConnectionTrackingSpecificationRequest). EC2 refuses this setting for Xen types, which keep five days.
 */
export const IDLE_TCP_CONNECTION_SECONDS = 10_800;

/** The root device of Canonical's images on amd64 and arm64. */
const UBUNTU_ROOT_DEVICE = '/dev/sda1';

type HostCalls = typeof launchCalls;

export interface LaunchHostDependencies extends HostCalls {
  readonly securityGroupId: string;
  /** The security group of hosts in the second VPC; undefined if the stack has no second VPC. */
  readonly peeredSecurityGroupId: string | undefined;
  readonly launchTemplateId: string;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** What the hosts of a pair share in one attempt, which tries one set of candidate subnets. */
export interface LaunchAttempt {
  readonly run: PlannedRun;
  readonly pair: PlannedPair;
  /** The index of this attempt's subnets among the pair's candidate subnets. */
  readonly attempt: number;
  readonly subnets: PairSubnets;
  readonly tags: Tags;
  /** The pair's own security groups by VPC id; empty if its path needs none. */
  readonly securityGroups: ReadonlyMap<string, string>;
  readonly placementGroupName: string | undefined;
}

export async function launchHost(
  deps: LaunchHostDependencies,
  launch: LaunchAttempt,
  role: HostRole,
): Promise<LaunchedHost> {
  const { run, pair, tags, placementGroupName } = launch;
  const { subnetId, zoneId, vpcId } = launch.subnets[role];
  const instanceType = role === 'client' ? pair.clientType : pair.serverType;
  const facts = run.instanceTypes[instanceType];
  if (facts === undefined) throw new Error(`${instanceType}: facts must be in the plan, are not`);
  const { publicAddress = true, image } = pair.ends?.[role] ?? {};
  const imageId = image?.imageId ?? run.images[facts.architecture];
  if (imageId === undefined) throw new Error(`${facts.architecture}: image must be in the plan, is not`);
  const hasEnaExpress = pair.enaExpress === 'both' || (pair.enaExpress === 'one_side' && role === 'client');
  const request = {
    clientToken: clientToken(launch, role),
    launchTemplateId: deps.launchTemplateId,
    instanceType,
    imageId,
    subnetId,
    securityGroupIds: securityGroupsOf(deps, launch, role),
    hasPublicAddress: publicAddress,
    rootDisk: {
      deviceName: image?.rootDeviceName ?? UBUNTU_ROOT_DEVICE,
      gibibytes: Math.max(ROOT_DISK.gibibytes, image?.rootVolumeGibibytes ?? 0),
    },
    cpuCredits: pair[`${role}CpuCredits`],
    tags: { ...tags, [ResourceTag.role]: role },
    idleTcpConnectionSeconds: facts.hypervisor === 'xen' ? undefined : IDLE_TCP_CONNECTION_SECONDS,
    enaExpress: hasEnaExpress ? { udp: pair.enaExpressUdp } : undefined,
    placementGroupName,
  };
  const reply = await repeatWhilePassing(deps.sleep, () => deps.runHost(request));
  return { ...reply, instanceType, zoneId, subnetId, vpcId, imageId };
}

/**
 * The token makes EC2 return the same instance for each retry of an attempt. It is a digest of 64 hexadecimal digits,
 * because EC2 allows 64 characters and a run id alone may be longer.
 */
function clientToken({ run, pair, subnets, attempt }: LaunchAttempt, role: HostRole): string {
  const identity = [run.runId, pair.pairId, role, subnets[role].zone, attempt];
  return createHash('sha256').update(identity.join('\n')).digest('hex');
}

/** On the path `own` a host has only the pair's own group, so that not even another pair's host can reach it. */
function securityGroupsOf(deps: LaunchHostDependencies, launch: LaunchAttempt, role: HostRole): string[] {
  const { pair, subnets, securityGroups } = launch;
  if (pair.path !== 'own') return [networkGroup(deps, pair, role), ...securityGroups.values()];
  return [ownGroup(securityGroups, subnets[role].vpcId)];
}

export function ownGroup(securityGroups: ReadonlyMap<string, string>, vpcId: string): string {
  const groupId = securityGroups.get(vpcId);
  if (groupId === undefined) throw new Error(`${vpcId}: must have a security group of the pair, has none`);
  return groupId;
}

function networkGroup(deps: LaunchHostDependencies, { path }: PlannedPair, role: HostRole): string {
  if (path !== 'peering' || role === 'client') return deps.securityGroupId;
  if (deps.peeredSecurityGroupId === undefined) {
    throw new LaunchFailedError('path peering: must have a second network, got a stack deployed without one');
  }
  return deps.peeredSecurityGroupId;
}

const NO_ROOM = new Set<DecidedErrorName>([
  'InsufficientInstanceCapacity',
  'InsufficientHostCapacity',
  'InsufficientCapacity',
  'InsufficientFreeAddressesInSubnet',
  'Unsupported',
  'TerminatedHost',
]);

export type LaunchDecision = 'next_zone' | 'repeat' | 'refuse';

/**
 * What launch-pair does about an error of a launch call. The codes are those of "Error codes for the Amazon EC2 API".
 *
 * | error                                         | meaning                                          | decision    |
 * | --------------------------------------------- | ------------------------------------------------ | ----------- |
 * | `InsufficientInstanceCapacity`,               | the zone has no room for this type now; sent     | `next_zone` |
 * | `InsufficientHostCapacity`,                   | with a 5xx, so this row goes before the one of   |             |
 * | `InsufficientCapacity`                        | the 5xx                                          |             |
 * | `InsufficientFreeAddressesInSubnet`           | the zone's subnet is full                        | `next_zone` |
 * | `Unsupported`                                 | the zone does not offer this type                | `next_zone` |
 * | `TerminatedHost`, a name of our adapter       | an earlier attempt launched this host and        | `next_zone` |
 * |                                               | terminated it, so its client token is used up    |             |
 * | throttling (`RequestLimitExceeded`, …),       | says nothing against the call                    | `repeat`    |
 * | other 5xx, a broken connection                |                                                  |             |
 * | `InvalidGroup.NotFound`,                      | what was made a moment ago is not known          | `repeat`    |
 * | `InvalidSecurityGroupID.NotFound`,            | everywhere yet                                   |             |
 * | `InvalidPlacementGroup.Unknown`               |                                                  |             |
 * | any other (`VcpuLimitExceeded`,               | holds in every zone                              | `refuse`    |
 * | `UnauthorizedOperation`, `InvalidAMIID.…`, …) |                                                  |             |
 *
 * - `next_zone`: what was launched of the pair is terminated, and the next candidate subnets are tried. After the last
 *   ones the launch fails with the refusals of all zones.
 * - `repeat`: the same call, with the same client token, after 1, 2, 4, 8 and 16 s; then the launch is refused.
 * - `refuse`: what was launched of the pair is terminated, and the launch fails at once with EC2's words.
 */
export function launchDecision(error: unknown): LaunchDecision {
  if (isNamed(error, NO_ROOM)) return 'next_zone';
  return isPassing(error) ? 'repeat' : 'refuse';
}

const ATTEMPTS = 6;
const FIRST_PAUSE_MILLISECONDS = 1_000;

/** Repeats a launch call while its decision is `repeat`, with pauses of at most 31 s in total. */
export async function repeatWhilePassing<T>(
  sleep: (milliseconds: number) => Promise<void>,
  call: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (launchDecision(error) !== 'repeat' || attempt === ATTEMPTS) throw error;
      await sleep(FIRST_PAUSE_MILLISECONDS * 2 ** (attempt - 1));
    }
  }
}
