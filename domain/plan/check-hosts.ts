/** What the plan says about single hosts beside their place: their image and public address. */
import { HOST_ROLES, type HostRole } from '../model/host-role';
import type { HostImage, PlannedHost } from '../model/planned-run';
import type { PlanProblem } from '../workflow/error-names';
import { architectureOf } from './offered-instance-type';
import { endPath, PUBLIC_PARAMETERS, type HostFacts, type ImageLack, type NamedImage, type Offer } from './offer';
import type { PairFields } from './read-plan';
import { namesSubnet, type PairPlan } from './schema';

/** The path own is the route between subnets that the plan names, and there is no other route between such subnets. */
export function checkPath(pair: PairPlan, pairIndex: number): PlanProblem[] {
  if ((pair.path === 'own') === namesSubnet(pair)) return [];
  const named = HOST_ROLES.filter((role) => pair[role]?.subnetId !== undefined).map((role) => `${role}.subnetId`);
  const allowed =
    pair.path === 'own'
      ? 'another path, because own is the route between subnets and the pair names none (client.subnetId, server.subnetId)'
      : `left out or own, because the pair names ${named.join(' and ')}`;
  return [{ path: `plan.pairs[${pairIndex}].path`, value: pair.path, allowed }];
}

export function checkHosts(pair: PairPlan, pairIndex: number, offer: Offer): PlanProblem[] {
  return [
    ...HOST_ROLES.flatMap((role) => checkImage(pair, pairIndex, role, offer)),
    ...addressProblems(pair, pairIndex, offer.ends),
  ];
}

/** @param pair without problems */
export function plannedHosts(pair: PairPlan, ends: HostFacts): Readonly<Record<HostRole, PlannedHost>> {
  const endOf = (role: HostRole): PlannedHost => {
    const { imageId, publicAddress = ends.hasPublicAddresses } = pair[role] ?? {};
    const image = imageId === undefined ? undefined : ends.images?.get(imageId);
    return { publicAddress, image: typeof image === 'object' ? endImage(image) : undefined };
  };
  return { client: endOf('client'), server: endOf('server') };
}

/** @returns undefined where the root device is no EBS volume */
function endImage({ imageId, rootDeviceName, rootVolumeGibibytes, name }: NamedImage): HostImage | undefined {
  return rootVolumeGibibytes === undefined ? undefined : { imageId, rootDeviceName, rootVolumeGibibytes, name };
}

export function checkImage(pair: PairFields, pairIndex: number, role: HostRole, offer: Offer): PlanProblem[] {
  const value = pair[role]?.imageId;
  const image = value === undefined ? undefined : offer.ends.images?.get(value);
  if (image === undefined) return [];
  const refuse = (allowed: string) => [{ path: endPath(pairIndex, role, 'imageId'), value, allowed }];
  if (typeof image === 'string') return refuse(LACKING_IMAGE[image](offer.ends));
  const type = offer.instanceTypes.get(pair[`${role}Type`] ?? '');
  const architecture = type && architectureOf(type);
  return [
    ...(image.state === 'available' ? [] : refuse(`an image that is available (${image.imageId} is ${image.state})`)),
    ...(architecture === undefined || architecture === image.architecture
      ? []
      : refuse(
          `an image of architecture ${architecture}, which ${type?.instanceType} boots ` +
            `(${image.imageId} is of ${image.architecture})`,
        )),
    ...(image.isWindows ? refuse(`an image of Linux (${image.imageId} is of Windows)`) : []),
    ...(image.rootVolumeGibibytes === undefined
      ? refuse(`an image whose root device is an EBS volume (that of ${image.imageId} is none)`)
      : []),
  ];
}

const LACKING_IMAGE: Readonly<Record<ImageLack, (ends: HostFacts) => string>> = {
  no_such_image: ({ region }) => `an image in ${region} that this account may launch`,
  no_such_parameter: ({ region }) => `an SSM parameter that exists in ${region}`,
  forbidden_parameter: ({ imageParameters }) =>
    `the id of an image, or an SSM parameter under ${[PUBLIC_PARAMETERS, ...imageParameters].join(' or ')} ` +
    '(npx cdk deploy -c imageParameters=… allows others)',
  no_image_id: () => 'an SSM parameter whose value is the id of an image (ami-…)',
};

function addressProblems(pair: PairPlan, pairIndex: number, { hasPublicAddresses }: HostFacts): PlanProblem[] {
  if (pair.path !== 'public') return [];
  const without = HOST_ROLES.filter((role) => !(pair[role]?.publicAddress ?? hasPublicAddresses));
  const written = without.filter((role) => pair[role]?.publicAddress !== undefined);
  if (written.length < without.length) {
    const allowed =
      'another path, because hosts of this stack have no public address unless the plan says so (client.publicAddress ' +
      'and server.publicAddress, true)';
    return [{ path: `plan.pairs[${pairIndex}].path`, value: pair.path, allowed }];
  }
  return written.map((role) => ({
    path: endPath(pairIndex, role, 'publicAddress'),
    value: false,
    allowed: 'true or left out, because the path is public',
  }));
}
