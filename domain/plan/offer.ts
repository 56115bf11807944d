/** What AWS offers to a plan: instance types, the stack's subnets, and the subnets and images that the plan names. */
import { HOST_ROLES, type HostRole } from '../model/host-role';
import type { InstanceTypeFacts } from '../model/instance-type';
import type { HostImage, Subnet } from '../model/planned-run';
import type { PairFields, PairPlan } from './schema';

export interface Offer {
  readonly subnets: readonly Subnet[];
  /** Subnets of the second network, for VPC peering; empty if the stack was deployed without one. */
  readonly peeredSubnets: readonly Subnet[];
  /** Instance types by name, without those that EC2 does not know. */
  readonly instanceTypes: ReadonlyMap<string, OfferedInstanceType>;
  /** All types that EC2 knows, for suggestions; absent if the plan names no unknown type. */
  readonly typeNames?: readonly string[];
  /** The allowed types in words, if they are not simply those that EC2 knows. */
  readonly typesInWords?: string;
  /** Names of the zones that offer each instance type. */
  readonly zonesOfType: ReadonlyMap<string, ReadonlySet<string>>;
  /** The types to which the account's free plan limits it. Absent without such a plan, or if the plan is unknown. */
  readonly freePlanTypes?: readonly string[];
  readonly hosts: HostFacts;
  /** By subnet id: whether a default route leads to anything but an internet gateway. Absent if that is unknown. */
  readonly privateWaysOut?: ReadonlyMap<string, boolean>;
}

/** A pair of the plan to check, or only its readable fields. */
export interface PairCheck<Pair = PairPlan> {
  readonly pair: Pair;
  /** Index into `plan.pairs`. */
  readonly index: number;
  readonly offer: Offer;
}

export const hostPath = ({ index }: Pick<PairCheck, 'index'>, role: HostRole, key: string) =>
  `plan.pairs[${index}].${role}.${key}`;

export interface OfferedInstanceType extends Omit<InstanceTypeFacts, 'architecture'> {
  /** In EC2's terms: `x86_64`, `arm64`, `i386`, `x86_64_mac`, `arm64_mac`. */
  readonly architectures: readonly string[];
}

/** The architecture of hosts of this type; undefined if the service has no image for any that it supports. */
export function architectureOf(type: OfferedInstanceType): InstanceTypeFacts['architecture'] | undefined {
  return (['x86_64', 'arm64'] as const).find((architecture) => type.architectures.includes(architecture));
}

/** @returns undefined if the service has no image for the type */
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
  /** Absent if the root device is not an EBS volume. */
  readonly rootVolumeGibibytes?: number;
  /** In EC2's terms, like `OfferedInstanceType.architectures`. */
  readonly architecture: string;
  /** In EC2's terms: `available`, `pending`, `failed`. */
  readonly state: string;
  readonly isWindows: boolean;
}

/** Why the image that the plan names can't be used. */
export type ImageLack = 'no_such_image' | 'no_such_parameter' | 'forbidden_parameter' | 'no_image_id';

/** What is known of the subnets and images that a plan names for hosts, and what the deployment allows. */
export interface HostFacts {
  /** The Region's name, which only refusals mention. */
  readonly region: string;
  /** The VPCs besides the stack's own in which hosts may be launched. */
  readonly hostVpcs: 'any' | readonly string[];
  /** Whether hosts get a public address if the plan does not say. */
  readonly hasPublicAddresses: boolean;
  /** The prefixes of the account's own parameters that may name an image, e.g. `/network-benchmark/images/*`. */
  readonly imageParameters: readonly string[];
  /** The named subnets by id, without those that EC2 does not know. Absent if no account can be asked. */
  readonly subnets?: ReadonlyMap<string, NamedSubnet>;
  /** Images by the id or parameter name in the plan. Absent if no account can be asked. */
  readonly images?: ReadonlyMap<string, NamedImage | ImageLack>;
}

/** AWS's own parameters, which every account may read. */
export const PUBLIC_PARAMETERS = '/aws/service/*';

/** Whether a plan may name its image by this SSM parameter. */
export function isImageParameter(name: string, { imageParameters }: Pick<HostFacts, 'imageParameters'>): boolean {
  return [PUBLIC_PARAMETERS, ...imageParameters].some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}

/** Whether the plan names an image other than AWS's public ones. */
export function isOwnImage(imageId: string | undefined): boolean {
  return imageId !== undefined && !isImageParameter(imageId, { imageParameters: [] });
}

export function namedForHosts(pairs: readonly PairFields[], key: 'subnetId' | 'zoneId' | 'imageId'): string[] {
  return [...new Set(pairs.flatMap((pair) => HOST_ROLES.flatMap((role) => pair[role]?.[key] ?? [])))].sort();
}

export function namedTypes(pairs: readonly PairFields[]): string[] {
  return [...new Set(pairs.flatMap((pair) => HOST_ROLES.flatMap((role) => pair[`${role}Type`] ?? [])))].sort();
}
