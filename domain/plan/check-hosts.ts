/** Checks the path, images and public addresses of a pair's hosts. */
import { HOST_ROLES, type HostRole } from '../model/host-role';
import type { HostImage, PlannedHost } from '../model/planned-run';
import { problemsAt, type PlanProblem } from '../workflow/error-names';
import {
  architectureOf,
  hostPath,
  PUBLIC_PARAMETERS,
  type HostFacts,
  type ImageLack,
  type NamedImage,
  type PairCheck,
} from './offer';
import { namesSubnet, type PairFields, type PairPlan } from './schema';

/** A pair has the path `own` if and only if it names a subnet: subnets that a plan names have no other route. */
export function checkPath(pair: PairPlan, pairIndex: number): PlanProblem[] {
  const named = HOST_ROLES.filter((role) => pair[role]?.subnetId !== undefined).map((role) => `${role}.subnetId`);
  const allowed =
    pair.path === 'own'
      ? 'another path, because own is the route between subnets that the pair names, and this pair names no subnet (client.subnetId, server.subnetId)'
      : `left out or own, because the pair names ${named.join(' and ')}`;
  return problemsAt(`plan.pairs[${pairIndex}].path`, pair.path, [
    [(pair.path === 'own') !== namesSubnet(pair), allowed],
  ]);
}

export function checkHosts(check: PairCheck): PlanProblem[] {
  return [...HOST_ROLES.flatMap((role) => checkImage(check, role)), ...addressProblems(check)];
}

/** @param pair a pair that passed all checks */
export function plannedHosts(pair: PairPlan, facts: HostFacts): Readonly<Record<HostRole, PlannedHost>> {
  const hostOf = (role: HostRole): PlannedHost => {
    const { imageId, publicAddress = facts.hasPublicAddresses } = pair[role] ?? {};
    const image = imageId === undefined ? undefined : facts.images?.get(imageId);
    return { publicAddress, image: typeof image === 'object' ? hostImage(image) : undefined };
  };
  return { client: hostOf('client'), server: hostOf('server') };
}

/** @returns undefined if the root device is not an EBS volume */
function hostImage({ imageId, rootDeviceName, rootVolumeGibibytes, name }: NamedImage): HostImage | undefined {
  return rootVolumeGibibytes === undefined ? undefined : { imageId, rootDeviceName, rootVolumeGibibytes, name };
}

export function checkImage(check: PairCheck<PairFields>, role: HostRole): PlanProblem[] {
  const { pair, offer } = check;
  const value = pair[role]?.imageId;
  const image = value === undefined ? undefined : offer.hosts.images?.get(value);
  if (image === undefined) return [];
  const path = hostPath(check, role, 'imageId');
  if (typeof image === 'string') return [{ path, value, allowed: LACKING_IMAGE[image](offer.hosts) }];
  const { imageId, state, architecture, isWindows, rootVolumeGibibytes } = image;
  const type = offer.instanceTypes.get(pair[`${role}Type`] ?? '');
  const booted = (type && architectureOf(type)) ?? architecture;
  return problemsAt(path, value, [
    [state !== 'available', `an image that is available (${imageId} is ${state})`],
    [
      booted !== architecture,
      `an image for ${booted}, the architecture of ${type?.instanceType} (${imageId} is for ${architecture})`,
    ],
    [isWindows, `a Linux image (${imageId} is a Windows image)`],
    [
      rootVolumeGibibytes === undefined,
      `an image whose root device is an EBS volume (the root device of ${imageId} is not)`,
    ],
  ]);
}

const LACKING_IMAGE: Readonly<Record<ImageLack, (facts: HostFacts) => string>> = {
  no_such_image: ({ region }) => `an image in ${region} that this account may launch`,
  no_such_parameter: ({ region }) => `an SSM parameter that exists in ${region}`,
  forbidden_parameter: ({ imageParameters }) =>
    `the id of an image, or an SSM parameter under ${[PUBLIC_PARAMETERS, ...imageParameters].join(' or ')} ` +
    '(npx cdk deploy -c imageParameters=… allows others)',
  no_image_id: () => 'an SSM parameter whose value is the id of an image (ami-…)',
};

function addressProblems(check: PairCheck): PlanProblem[] {
  const { pair, index, offer } = check;
  if (pair.path !== 'public') return [];
  const without = HOST_ROLES.filter((role) => !(pair[role]?.publicAddress ?? offer.hosts.hasPublicAddresses));
  const written = without.filter((role) => pair[role]?.publicAddress !== undefined);
  if (written.length < without.length) {
    const allowed =
      'another path, because hosts of this stack get a public address only if the plan asks for it (client.publicAddress ' +
      'and server.publicAddress: true)';
    return [{ path: `plan.pairs[${index}].path`, value: pair.path, allowed }];
  }
  const allowed = 'true or left out, because the path is public';
  return written.map((role) => ({ path: hostPath(check, role, 'publicAddress'), value: false, allowed }));
}
