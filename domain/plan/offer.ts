/** What AWS offers to a plan: instance types, the stack's subnets, and the subnets and images that the plan names. */
import { HOST_ROLES, type HostRole } from '../model/host-role';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { HostImage, Subnet } from '../model/planned-run';
import type { PairFields, PairPlan } from './schema';

/** What EC2 offers in the Region, and the subnets of the stack. */
export interface Offer {
  readonly subnets: readonly Subnet[];
  /** Of the second network; empty where the stack was deployed without one. */
  readonly peeredSubnets: readonly Subnet[];
  /** By name; types that EC2 does not know are absent. */
  readonly instanceTypes: ReadonlyMap<string, OfferedInstanceType>;
  /** All that EC2 knows; absent where the plan names none that is unknown. */
  readonly typeNames?: readonly string[];
  /** What a type must be, where that is not simply one that EC2 knows. */
  readonly typesInWords?: string;
  /** By the name of the type. */
  readonly zonesOfType: ReadonlyMap<string, ReadonlySet<string>>;
  readonly hosts: HostFacts;
  /**
   * By the subnet's id: whether it has a way out for hosts without a public address, a default route to anything but an
   * internet gateway. Absent where no account can be asked, or it did not answer.
   */
  readonly privateWaysOut?: ReadonlyMap<string, boolean>;
}

/** A pair of the plan that is checked, or what can be read of it. */
export interface PairCheck<Pair = PairPlan> {
  readonly pair: Pair;
  /** Index into `plan.pairs`. */
  readonly index: number;
  readonly offer: Offer;
}

/** Where a problem of a host is reported. */
export const hostPath = ({ index }: Pick<PairCheck, 'index'>, role: HostRole, key: string) =>
  `plan.pairs[${index}].${role}.${key}`;

export interface OfferedInstanceType extends Omit<InstanceTypeFacts, 'architecture'> {
  /** In EC2's terms: `x86_64`, `arm64`, `i386`, `x86_64_mac`, `arm64_mac`. */
  readonly architectures: readonly string[];
}

/** The architecture of hosts of this type; undefined when there is no image for any that the type supports. */
export function architectureOf(type: OfferedInstanceType): InstanceTypeFacts['architecture'] | undefined {
  return (['x86_64', 'arm64'] as const).find((architecture) => type.architectures.includes(architecture));
}

/** @returns undefined when there is no image for the type */
export function instanceTypeFacts(type: OfferedInstanceType): InstanceTypeFacts | undefined {
  const architecture = architectureOf(type);
  const { architectures, ...facts } = type;
  return architecture && { ...facts, architecture };
}

export interface NamedSubnet extends Subnet {
  /** In EC2's terms: `available`, `pending`, `unavailable`. */
  readonly state: string;
  readonly availableAddressCount: number;
}

export interface NamedImage extends Omit<HostImage, 'rootVolumeGibibytes'> {
  /** Absent where the root device is no EBS volume. */
  readonly rootVolumeGibibytes?: number;
  /** In EC2's terms, as those of `OfferedInstanceType`. */
  readonly architecture: string;
  /** In EC2's terms: `available`, `pending`, `failed`. */
  readonly state: string;
  readonly isWindows: boolean;
}

/** Why there is no image for what the plan says. */
export type ImageLack = 'no_such_image' | 'no_such_parameter' | 'forbidden_parameter' | 'no_image_id';

/** What is known of the subnets and images that a plan names for hosts, and what the deployment allows. */
export interface HostFacts {
  /** The Region's name; in the words of a refusal only. */
  readonly region: string;
  /** The VPCs beside the stack's own in which hosts may be launched. */
  readonly hostVpcs: 'any' | readonly string[];
  /** Whether hosts get a public address where the plan does not say. */
  readonly hasPublicAddresses: boolean;
  /** The prefixes of the account's own parameters that may name an image, e.g. `/network-benchmark/images/*`. */
  readonly imageParameters: readonly string[];
  /** The named subnets by id; those that EC2 does not know are not in it. Absent where no account can be asked. */
  readonly subnets?: ReadonlyMap<string, NamedSubnet>;
  /** By what the plan says: the id of an image or the name of a parameter. Absent where no account can be asked. */
  readonly images?: ReadonlyMap<string, NamedImage | ImageLack>;
}

/** AWS's own parameters, which every account may read. */
export const PUBLIC_PARAMETERS = '/aws/service/*';

/** Whether a parameter is one of those that may name an image. */
export function isImageParameter(name: string, { imageParameters }: Pick<HostFacts, 'imageParameters'>): boolean {
  return [PUBLIC_PARAMETERS, ...imageParameters].some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}

/** Whether what a plan says about an image, if anything, is not one of the public ones that AWS names. */
export function isOwnImage(imageId: string | undefined): boolean {
  return imageId !== undefined && !isImageParameter(imageId, { imageParameters: [] });
}

/** The subnets, zones or images that the pairs name for their hosts, each once. */
export function namedForHosts(pairs: readonly PairFields[], key: 'subnetId' | 'zoneId' | 'imageId'): string[] {
  return [...new Set(pairs.flatMap((pair) => HOST_ROLES.flatMap((role) => pair[role]?.[key] ?? [])))].sort();
}

/** The instance types that the pairs name, each once. */
export function namedTypes(pairs: readonly PairFields[]): string[] {
  return [...new Set(pairs.flatMap((pair) => HOST_ROLES.flatMap((role) => pair[`${role}Type`] ?? [])))].sort();
}
