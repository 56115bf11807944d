/**
 * The table of a pair's conditions: where its hosts are and how they reach each other. The plan's schema, the columns,
 * the words and the identity of a measurement are all derived from it, as from the table of settings.
 */
import * as z from 'zod';
import { spaced } from '../text/format';
import type { HostRole } from './host-role';
import { ENA_EXPRESS_FRAME_BYTES, ETHERNET_FRAME_BYTES, JUMBO_FRAME_BYTES } from './ec2-facts';
import { setting, wordsOf, type ValuesOf } from './setting';

const PATH_WORDS = {
  private: 'private address',
  public: 'public address',
  nlb: 'load balancer',
  peering: 'VPC peering',
  own: "route of the user's own",
} as const;

export const CONDITIONS = {
  zoneRelation: setting(z.enum(['same_zone', 'other_zone']), 'Zones of the two hosts: same_zone or other_zone', spaced),
  placement: setting(
    z.enum(['none', 'cluster', 'spread', 'partition']),
    'Placement group strategy: none, cluster, spread or partition',
    (placement) => (placement === 'none' ? 'no placement group' : `${placement} group`),
  ),
  path: setting(
    z.enum(['private', 'public', 'nlb', 'peering', 'own']),
    'Route between the hosts: private, public, nlb, peering or own',
    (path) => PATH_WORDS[path],
  ),
  // `one_side` means that ENA Express is on only at the client.
  enaExpress: setting(
    z.enum(['off', 'one_side', 'both']),
    'ENA Express: off, one_side or both',
    (sides) => `ENA Express ${spaced(sides)}`,
  ),
  // ENA Express carries UDP only if that is switched on separately.
  enaExpressUdp: setting(z.boolean(), 'Whether ENA Express was on for UDP too', (isOnForUdp) =>
    isOnForUdp ? 'ENA Express for UDP too' : undefined,
  ),
  mtuBytes: setting(
    z.literal([JUMBO_FRAME_BYTES, ENA_EXPRESS_FRAME_BYTES, ETHERNET_FRAME_BYTES]),
    'MTU that was set on both interfaces',
    (size) => `MTU ${size}`,
  ),
  clientCpuCredits: cpuCredits('client'),
  serverCpuCredits: cpuCredits('server'),
  clientPinnedPlace: pinnedPlace('client'),
  serverPinnedPlace: pinnedPlace('server'),
  clientPinnedImage: pinnedImage('client'),
  serverPinnedImage: pinnedImage('server'),
};

function cpuCredits(role: HostRole) {
  return setting(
    z.enum(['standard', 'unlimited']),
    `CPU credits of the ${role}: standard or unlimited; NULL for a type without`,
    (mode) => `${role} with ${mode} CPU credits`,
  );
}

/** A pinned host differs from one that the service placed, even if both are in the same subnet. */
function pinnedPlace(role: HostRole) {
  return setting(
    z.string(),
    `Subnet that the plan names for the ${role}, or else the id of its zone; NULL where the service chose`,
    (place) => `${role} in ${place}`,
  );
}

/** The words of the plan: a parameter names a new image after each release, as does that of the service's own image. */
function pinnedImage(role: HostRole) {
  return setting(
    z.string(),
    `Image that the plan names for the ${role}, by its id or parameter; NULL for the service's own`,
    (image) => `${role} from ${image}`,
  );
}

export type ConditionName = keyof typeof CONDITIONS;
export const CONDITION_NAMES = Object.keys(CONDITIONS) as ConditionName[];

type ConditionValues = ValuesOf<typeof CONDITIONS>;
/** Only types with burstable CPU have CPU credits, and few plans pin a host to a place or an image. */
type OptionalConditions = Pick<
  ConditionValues,
  {
    [Role in HostRole]: `${Role}CpuCredits` | `${Role}PinnedPlace` | `${Role}PinnedImage`;
  }[HostRole]
>;

/** Everything about a pair except its two instance types. */
export type PairConditions = Omit<ConditionValues, keyof OptionalConditions> & Partial<OptionalConditions>;
export type CpuCredits = ConditionValues['clientCpuCredits'];
export type Placement = PairConditions['placement'];
export type NetworkPath = PairConditions['path'];
export type EnaExpress = PairConditions['enaExpress'];

/** Returns `standard CPU credits` for both hosts, or `client with standard CPU credits`; none for types without. */
export function cpuCreditsInWords({
  clientCpuCredits,
  serverCpuCredits,
}: Pick<PairConditions, 'clientCpuCredits' | 'serverCpuCredits'>): string[] {
  if (clientCpuCredits && clientCpuCredits === serverCpuCredits) return [`${clientCpuCredits} CPU credits`];
  return wordsOf(CONDITIONS, { clientCpuCredits, serverCpuCredits });
}
