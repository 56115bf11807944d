/** Checks the subnets and zones to which the plan pins hosts. */
import type { PairConditions } from '../model/conditions';
import { HOST_ROLES, type HostRole } from '../model/host-role';
import type { Subnet } from '../model/planned-run';
import { problemsAt, type PlanProblem } from '../workflow/error-names';
import { hostPath, type Offer, type PairCheck } from './offer';
import { namesSubnet, type PairFields, type PairPlan } from './schema';

type PlacedPair = Omit<PairCheck, 'index'>;

/** Returns the subnets in which the plan allows a host; without an account, a named subnet may be in any zone. */
export function placesOf({ pair, offer }: PlacedPair, role: HostRole): readonly Subnet[] {
  const { subnetId, zoneId } = pair[role] ?? {};
  if (subnetId !== undefined && offer.hosts.subnets !== undefined) {
    const found = offer.hosts.subnets.get(subnetId);
    return found === undefined ? [] : [{ subnetId, zone: found.zone, zoneId: found.zoneId, vpcId: found.vpcId }];
  }
  return networkOf(role, pair, offer).filter((subnet) => zoneId === undefined || subnet.zoneId === zoneId);
}

/** The stack's subnets for this host. With the path `peering`, the server is in the second network. */
const networkOf = (role: HostRole, { path }: PairPlan, { subnets, peeredSubnets }: Offer) =>
  role === 'server' && path === 'peering' ? peeredSubnets : subnets;

/** A subnet in the zone to which the plan pins the host; undefined if it pins none, or an unknown one. */
function pinnedPlace({ pair, offer }: PlacedPair, role: HostRole): Subnet | undefined {
  const { subnetId, zoneId } = pair[role] ?? {};
  const isInKnownZone = zoneId !== undefined || (subnetId !== undefined && offer.hosts.subnets !== undefined);
  return isInKnownZone ? placesOf({ pair, offer }, role)[0] : undefined;
}

const pinnedPlaces = (placed: PlacedPair) => [pinnedPlace(placed, 'client'), pinnedPlace(placed, 'server')] as const;

/**
 * Whether it is unknown if both hosts are in one zone: without an account to ask, a named subnet may be in any zone.
 * Two hosts in the same subnet, or in a cluster placement group, are known to be in one zone.
 */
export function isZoneRelationUnknown({ pair, offer }: PlacedPair): boolean {
  const { client, server, zoneRelation, placement } = pair;
  return (
    offer.hosts.subnets === undefined &&
    namesSubnet(pair) &&
    zoneRelation === undefined &&
    [client, server].some((host) => host?.zoneId === undefined) &&
    client?.subnetId !== server?.subnetId &&
    placement !== 'cluster'
  );
}

/** Returns the pinned or planned zone relation; an unknown one counts as two zones, whose traffic is charged. */
export function zoneRelationOf(placed: PlacedPair): PairConditions['zoneRelation'] {
  const [client, server] = pinnedPlaces(placed);
  if (isZoneRelationUnknown(placed)) return 'other_zone';
  if (client === undefined || server === undefined) return placed.pair.zoneRelation ?? 'same_zone';
  return client.zoneId === server.zoneId ? 'same_zone' : 'other_zone';
}

export function checkPlaces(check: PairCheck): PlanProblem[] {
  const ofHosts = HOST_ROLES.flatMap((role) => [
    ...checkSubnet(check, role),
    ...zoneProblems(check, role),
    ...offeringProblems(check, role),
  ]);
  return [...ofHosts, ...relationProblems(check)];
}

export function checkSubnet(check: PairCheck<PairFields>, role: HostRole): PlanProblem[] {
  const { hosts } = check.offer;
  const value = check.pair[role]?.subnetId;
  if (value === undefined || hosts.subnets === undefined) return [];
  const path = hostPath(check, role, 'subnetId');
  const subnet = hosts.subnets.get(value);
  if (subnet === undefined) return [{ path, value, allowed: `a subnet of this account in ${hosts.region}` }];
  return problemsAt(path, value, [
    [subnet.state !== 'available', `a subnet whose state is available (this one's is ${subnet.state})`],
    [
      !mayHost(subnet, check.offer),
      `a subnet of a VPC that this stack may use (to allow ${subnet.vpcId}, run npx cdk deploy ` +
        `-c hostVpcs=${neededVpcs(check.offer).join(',')} and repeat every other -c of the deployment)`,
    ],
  ]);
}

const mayHost = ({ vpcId }: Subnet, { subnets, hosts: { hostVpcs } }: Offer) =>
  hostVpcs === 'any' || hostVpcs.includes(vpcId) || subnets.some((own) => own.vpcId === vpcId);

/** The complete list of VPCs that the deployment must allow for this plan, including those that it allows already. */
function neededVpcs(offer: Offer): string[] {
  const { hostVpcs, subnets } = offer.hosts;
  const missing = [...(subnets?.values() ?? [])].filter((subnet) => !mayHost(subnet, offer)).map(({ vpcId }) => vpcId);
  return [...new Set([...(hostVpcs === 'any' ? [] : hostVpcs), ...missing.sort()])];
}

function zoneProblems(check: PairCheck, role: HostRole): PlanProblem[] {
  const { pair, offer } = check;
  const { subnetId, zoneId: value } = pair[role] ?? {};
  if (value === undefined) return [];
  const path = hostPath(check, role, 'zoneId');
  if (subnetId !== undefined) {
    const zoneId = offer.hosts.subnets?.get(subnetId)?.zoneId ?? value;
    return problemsAt(path, value, [[zoneId !== value, `left out or ${zoneId}, which is the zone of ${subnetId}`]]);
  }
  const zoneIds = [...new Set(networkOf(role, pair, offer).map((subnet) => subnet.zoneId))].sort();
  // Without a second network there are no zones here, and a pair with the path `peering` is not applicable.
  const isUnknown = zoneIds.length > 0 && !zoneIds.includes(value);
  const allowed = `the id of a zone that this stack has a subnet in: ${zoneIds.join(', ')}`;
  return problemsAt(path, value, [[isUnknown, allowed]]);
}

function offeringProblems(check: PairCheck, role: HostRole): PlanProblem[] {
  const { pair, offer } = check;
  const place = pinnedPlace(check, role);
  const type = pair[`${role}Type`];
  const zones = offer.zonesOfType.get(type);
  // A type that no zone offers is reported by `checkType`.
  if (place === undefined || zones === undefined || zones.has(place.zone)) return [];
  const key = pair[role]?.subnetId === undefined ? 'zoneId' : 'subnetId';
  const what = key === 'zoneId' ? 'a zone' : 'a subnet in a zone';
  const where = `${type} is offered in ${[...zones].sort().join(', ')}, and this is ${place.zone}`;
  const allowed = `${what} that offers ${type} (${where})`;
  return [{ path: hostPath(check, role, key), value: pair[role]?.[key], allowed }];
}

function relationProblems(check: PairCheck): PlanProblem[] {
  const { zoneRelation, placement } = check.pair;
  const [client, server] = pinnedPlaces(check);
  if (client === undefined || server === undefined) return [];
  const relation = zoneRelationOf(check);
  const where = `because the client is in ${zoneOf(client)} and the server in ${zoneOf(server)}`;
  const pairPath = `plan.pairs[${check.index}]`;
  if (zoneRelation !== undefined) {
    const allowed = `left out or ${relation}, ${where}`;
    return problemsAt(`${pairPath}.zoneRelation`, zoneRelation, [[zoneRelation !== relation, allowed]]);
  }
  const isSplit = placement === 'cluster' && relation === 'other_zone';
  return problemsAt(`${pairPath}.placement`, placement, [[isSplit, `none, spread or partition, ${where}`]]);
}

/** Without an account to ask, only the id of a zone is known. */
const zoneOf = ({ zone, zoneId }: Subnet) => (zone === zoneId ? zoneId : `${zoneId} (${zone})`);

/** Says why no subnet is left for the host that the plan does not pin; undefined if it pins neither host. */
export function lackBesidePin(placed: PlacedPair): string | undefined {
  const role = HOST_ROLES.find((each) => pinnedPlace(placed, each) !== undefined);
  const place = role && pinnedPlace(placed, role);
  if (role === undefined || place === undefined) return undefined;
  const other = role === 'client' ? 'server' : 'client';
  const where = zoneRelationOf(placed) === 'same_zone' ? 'in' : 'outside';
  return (
    `this stack has no subnet ${where} ${zoneOf(place)}, the zone of the ${role}, that offers ` +
    `${placed.pair[`${other}Type`]} for the ${other}`
  );
}
