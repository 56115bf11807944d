/** Where the plan pins hosts: the subnets and zones that it names, and what contradicts them. */
import { HOST_ROLES, type HostRole } from '../model/host-role';
import type { PairConditions } from '../model/conditions';
import type { Subnet } from '../model/planned-run';
import type { PlanProblem } from '../workflow/error-names';
import { endPath, type Offer } from './offer';
import type { PairFields } from './read-plan';
import { namesSubnet, type PairPlan } from './schema';

type ZoneRelation = PairConditions['zoneRelation'];

/**
 * The subnets in which a host may be launched by what the plan says; none where it names something unknown. Where no
 * account can be asked, a named subnet may be in any zone.
 */
export function placesOf(role: HostRole, pair: PairPlan, offer: Offer): readonly Subnet[] {
  const { subnetId, zoneId } = pair[role] ?? {};
  const isKnown = subnetId !== undefined && offer.ends.subnets !== undefined;
  if (isKnown) return namedPlace(subnetId, offer) ?? [];
  const subnets = networkOf(role, pair, offer);
  return zoneId === undefined ? subnets : subnets.filter((subnet) => subnet.zoneId === zoneId);
}

function namedPlace(subnetId: string, { ends }: Offer): readonly Subnet[] | undefined {
  const found = ends.subnets?.get(subnetId);
  return found && [{ subnetId, zone: found.zone, zoneId: found.zoneId, vpcId: found.vpcId }];
}

/** The stack's subnets on the role's side of the path. */
const networkOf = (role: HostRole, { path }: PairPlan, { subnets, peeredSubnets }: Offer) =>
  role === 'server' && path === 'peering' ? peeredSubnets : subnets;

/** A place in the zone that the plan pins the host to; undefined where it pins none, or one that is unknown. */
function pinnedPlace(role: HostRole, pair: PairPlan, offer: Offer): Subnet | undefined {
  const { subnetId, zoneId } = pair[role] ?? {};
  const isInKnownZone = zoneId !== undefined || (subnetId !== undefined && offer.ends.subnets !== undefined);
  return isInKnownZone ? placesOf(role, pair, offer)[0] : undefined;
}

/**
 * Whether no one can say if both hosts are in one zone: without an account, a named subnet may be in any zone. It is
 * known for two hosts in the same subnet, and in a cluster placement group, which lies in one zone.
 */
export function isZoneRelationUnknown(pair: PairPlan, { ends }: Offer): boolean {
  const { client, server, zoneRelation, placement } = pair;
  return (
    ends.subnets === undefined &&
    namesSubnet(pair) &&
    zoneRelation === undefined &&
    [client, server].some((end) => end?.zoneId === undefined) &&
    client?.subnetId !== server?.subnetId &&
    placement !== 'cluster'
  );
}

/**
 * What follows from the places of both hosts, or else what the plan says. Where no one can say, the hosts are taken to
 * be in two zones, because only traffic between zones is charged.
 */
export function zoneRelationOf(pair: PairPlan, offer: Offer): ZoneRelation {
  const [client, server] = [pinnedPlace('client', pair, offer), pinnedPlace('server', pair, offer)];
  if (isZoneRelationUnknown(pair, offer)) return 'other_zone';
  if (client === undefined || server === undefined) return pair.zoneRelation ?? 'same_zone';
  return client.zoneId === server.zoneId ? 'same_zone' : 'other_zone';
}

export function checkPlaces(pair: PairPlan, pairIndex: number, offer: Offer): PlanProblem[] {
  const ofEnds = HOST_ROLES.flatMap((role) => [
    ...checkSubnet(pair, pairIndex, role, offer),
    ...zoneProblems(pair, pairIndex, role, offer),
    ...offeringProblems(pair, pairIndex, role, offer),
  ]);
  return [...ofEnds, ...relationProblems(pair, pairIndex, offer)];
}

export function checkSubnet(pair: PairFields, pairIndex: number, role: HostRole, offer: Offer): PlanProblem[] {
  const value = pair[role]?.subnetId;
  const { ends } = offer;
  if (value === undefined || ends.subnets === undefined) return [];
  const refuse = (allowed: string) => [{ path: endPath(pairIndex, role, 'subnetId'), value, allowed }];
  const subnet = ends.subnets.get(value);
  if (subnet === undefined) return refuse(`a subnet of this account in ${ends.region}`);
  return [
    ...(subnet.state === 'available'
      ? []
      : refuse(`a subnet whose state is available (this one's is ${subnet.state})`)),
    ...(mayHost(subnet, offer)
      ? []
      : refuse(
          `a subnet of a VPC that this stack may use (${subnet.vpcId} is not one: allow it by npx cdk deploy ` +
            `-c hostVpcs=${neededVpcs(offer).join(',')} with every other -c of the deployment repeated)`,
        )),
  ];
}

const mayHost = ({ vpcId }: Subnet, { subnets, ends: { hostVpcs } }: Offer) =>
  hostVpcs === 'any' || hostVpcs.includes(vpcId) || subnets.some((own) => own.vpcId === vpcId);

/** All VPCs that have to be allowed for this plan, beside those that are. */
function neededVpcs(offer: Offer): string[] {
  const { hostVpcs, subnets } = offer.ends;
  const missing = [...(subnets?.values() ?? [])].filter((subnet) => !mayHost(subnet, offer)).map(({ vpcId }) => vpcId);
  return [...new Set([...(hostVpcs === 'any' ? [] : hostVpcs), ...missing.sort()])];
}

function zoneProblems(pair: PairPlan, pairIndex: number, role: HostRole, offer: Offer): PlanProblem[] {
  const { subnetId, zoneId: value } = pair[role] ?? {};
  if (value === undefined) return [];
  const refuse = (allowed: string) => [{ path: endPath(pairIndex, role, 'zoneId'), value, allowed }];
  if (subnetId !== undefined) {
    const subnet = offer.ends.subnets?.get(subnetId);
    if (subnet === undefined || subnet.zoneId === value) return [];
    return refuse(`left out or ${subnet.zoneId}, which is the zone of ${subnetId}`);
  }
  const zoneIds = [...new Set(networkOf(role, pair, offer).map((subnet) => subnet.zoneId))].sort();
  // Without a second network, path peering is not applicable, wherever the server is to be.
  if (zoneIds.length === 0 || zoneIds.includes(value)) return [];
  return refuse(`the id of a zone that this stack has a subnet in: ${zoneIds.join(', ')}`);
}

function offeringProblems(pair: PairPlan, pairIndex: number, role: HostRole, offer: Offer): PlanProblem[] {
  const place = pinnedPlace(role, pair, offer);
  const type = pair[`${role}Type`];
  const zones = offer.zonesOfType.get(type);
  // A type that no zone offers is a problem of its own.
  if (place === undefined || zones === undefined || zones.has(place.zone)) return [];
  const key = pair[role]?.subnetId === undefined ? 'zoneId' : 'subnetId';
  const where = `${type} is in ${[...zones].sort().join(', ')}, this is ${place.zone}`;
  const allowed = `one in a zone that offers ${type} (${where})`;
  return [{ path: endPath(pairIndex, role, key), value: pair[role]?.[key], allowed }];
}

function relationProblems(pair: PairPlan, pairIndex: number, offer: Offer): PlanProblem[] {
  const [client, server] = [pinnedPlace('client', pair, offer), pinnedPlace('server', pair, offer)];
  if (client === undefined || server === undefined) return [];
  const relation = zoneRelationOf(pair, offer);
  const where = `the client is in ${zoneOf(client)} and the server in ${zoneOf(server)}`;
  const refuse = (key: 'zoneRelation' | 'placement', allowed: string) => [
    { path: `plan.pairs[${pairIndex}].${key}`, value: pair[key], allowed: `${allowed}, because ${where}` },
  ];
  return [
    ...(pair.zoneRelation === undefined || pair.zoneRelation === relation
      ? []
      : refuse('zoneRelation', `left out or ${relation}`)),
    ...(pair.zoneRelation === undefined && pair.placement === 'cluster' && relation === 'other_zone'
      ? refuse('placement', 'none, spread or partition')
      : []),
  ];
}

/** Without an account, the id is all that is known of a zone. */
const zoneOf = ({ zone, zoneId }: Subnet) => (zone === zoneId ? zoneId : `${zoneId} (${zone})`);

/** Why no subnet is left for the host that the plan does not pin; undefined where it pins neither. */
export function lackBesidePin(pair: PairPlan, offer: Offer): string | undefined {
  const role = HOST_ROLES.find((each) => pinnedPlace(each, pair, offer) !== undefined);
  const place = role && pinnedPlace(role, pair, offer);
  if (role === undefined || place === undefined) return undefined;
  const other = role === 'client' ? 'server' : 'client';
  const where = zoneRelationOf(pair, offer) === 'same_zone' ? 'in' : 'outside';
  return (
    `no subnet of this stack is ${where} ${zoneOf(place)}, the zone of the ${role}, and offers ` +
    `${pair[`${other}Type`]} for the ${other}`
  );
}
