/** What AWS and the deployment say about the ends that a plan names: subnets, images, public addresses. */
import { HOST_ROLES, type HostRole } from '../model/host-role';
import type { EndImage, Subnet } from '../model/planned-run';
import type { PairPlan } from './schema';

export interface NamedSubnet extends Subnet {
  /** In EC2's terms: `available`, `pending`, `unavailable`. */
  readonly state: string;
  readonly availableAddressCount: number;
}

export interface NamedImage extends Omit<EndImage, 'rootVolumeGibibytes'> {
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

export interface EndFacts {
  /** The Region's name; in the words of a refusal only. */
  readonly region: string;
  /** The VPCs beside the stack's own in which hosts may be launched. */
  readonly hostVpcs: 'any' | readonly string[];
  /** Whether hosts get a public address where the plan does not say. */
  readonly hasPublicAddresses: boolean;
  /** The prefixes of the account's own parameters that may name an image, e.g. `/network-benchmark/images/*`. */
  readonly imageParameters: readonly string[];
  /** By id, the subnets that the plan names; those that EC2 does not know are absent. */
  readonly subnets: ReadonlyMap<string, NamedSubnet>;
  /** By what the plan says: the id of an image or the name of a parameter. Absent where no account can be asked. */
  readonly images?: ReadonlyMap<string, NamedImage | ImageLack>;
}

/** AWS's own parameters, which every account may read. */
export const PUBLIC_PARAMETERS = '/aws/service/*';

/** Whether a parameter is one of those that may name an image. */
export function isImageParameter(name: string, { imageParameters }: Pick<EndFacts, 'imageParameters'>): boolean {
  return [PUBLIC_PARAMETERS, ...imageParameters].some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}

/** The subnets, or the images, that the ends of the pairs name, each once. */
export function namedByEnds(pairs: readonly (PairPlan | undefined)[], key: 'subnetId' | 'imageId'): string[] {
  return [...new Set(pairs.flatMap((pair) => HOST_ROLES.flatMap((role) => pair?.[role]?.[key] ?? [])))].sort();
}

/** Where a problem of an end is reported. */
export const endPath = (pairIndex: number, role: HostRole, key: string) => `plan.pairs[${pairIndex}].${role}.${key}`;
