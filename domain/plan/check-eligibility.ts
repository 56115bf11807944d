/** Which pairs of a plan EC2 can launch, in which subnets, and why it cannot launch the others. */
import type { PlanProblem } from '../workflow/error-names';
import { checkHosts, checkImage } from './check-hosts';
import { checkPlaces, checkSubnet, lackBesidePin, placesOf, zoneRelationOf } from './check-places';
import type { Offer } from './offer';
import { architectureOf, type OfferedInstanceType } from './offered-instance-type';
import type { CpuCredits, PairConditions } from '../model/conditions';
import {
  hasLaunchCredits,
  isLocalZone,
  NEVER_LOAD_BALANCER_TARGETS,
  REGIONS_WITHOUT_ENA_EXPRESS_ACROSS_ZONES,
} from '../model/ec2-facts';
import { HOST_ROLES, type HostRole } from '../model/host-role';
import type { PairSubnets, Subnet } from '../model/planned-run';
import { nearestWord } from '../text/nearest-word';
import type { PairFields } from './read-plan';
import type { PairPlan } from './schema';

export interface PairEligibility {
  /** Empty when there are problems. */
  readonly candidateSubnets: readonly PairSubnets[];
  /** What the plan says, or what follows from the places that it names. */
  readonly zoneRelation: PairConditions['zoneRelation'];
  readonly problems: readonly PlanProblem[];
  /** Why the pair cannot be measured under its conditions, although both of its types exist. */
  readonly notApplicable?: string;
}

/** Whether EC2 knows a host of the pair as bare metal. */
export function hasBareMetal(pair: PairPlan, { instanceTypes }: Pick<Offer, 'instanceTypes'>): boolean {
  return typesOf(pair).some((name) => instanceTypes.get(name)?.isBareMetal === true);
}

/** The CPU credits that both hosts are launched with: those of the plan or else EC2's default; none for most types. */
export function cpuCreditsOf(
  { clientType, serverType, clientCpuCredits, serverCpuCredits }: PairPlan,
  instanceTypes: ReadonlyMap<string, Pick<OfferedInstanceType, 'isBurstableCpu'>>,
): Pick<PairConditions, 'clientCpuCredits' | 'serverCpuCredits'> {
  const creditsOf = (type: string, wanted: CpuCredits | undefined): CpuCredits | undefined => {
    if (instanceTypes.get(type)?.isBurstableCpu !== true) return undefined;
    return wanted ?? (hasLaunchCredits(type) ? 'standard' : 'unlimited');
  };
  return {
    clientCpuCredits: creditsOf(clientType, clientCpuCredits),
    serverCpuCredits: creditsOf(serverType, serverCpuCredits),
  };
}

/** What is wrong with the single fields of a pair that is not valid as a whole, whatever its other fields are to be. */
export function checkFields(fields: PairFields, pairIndex: number, offer: Offer): PlanProblem[] {
  return [
    ...checkTypes(fields, pairIndex, offer),
    ...HOST_ROLES.flatMap((role) => checkCpuCredits(role, fields, pairIndex, offer)),
    ...HOST_ROLES.flatMap((role) => checkSubnet(fields, pairIndex, role, offer)),
    ...HOST_ROLES.flatMap((role) => checkImage(fields, pairIndex, role, offer)),
  ];
}

export function checkEligibility(pair: PairPlan, pairIndex: number, offer: Offer): PairEligibility {
  const problems = [
    ...checkTypes(pair, pairIndex, offer),
    ...HOST_ROLES.flatMap((role) => checkCpuCredits(role, pair, pairIndex, offer)),
    ...checkPlaces(pair, pairIndex, offer),
    ...checkHosts(pair, pairIndex, offer),
  ];
  const zoneRelation = zoneRelationOf(pair, offer);
  const notApplicable = problems.length > 0 ? undefined : conditionReason(pair, offer);
  if (problems.length > 0 || notApplicable !== undefined) {
    return { candidateSubnets: [], zoneRelation, problems, notApplicable };
  }

  const isOffered = (type: string, subnet: Subnet) => offer.zonesOfType.get(type)?.has(subnet.zone) === true;
  const candidateSubnets = placesOf('client', pair, offer).flatMap((client) =>
    placesOf('server', pair, offer)
      .filter((server) => (zoneRelation === 'same_zone') === (server.zone === client.zone))
      .filter((server) => isOffered(pair.clientType, client) && isOffered(pair.serverType, server))
      .map((server) => ({ client, server })),
  );
  const carrying = pair.enaExpress === 'both' ? candidateSubnets.filter(carriesEnaExpress) : candidateSubnets;
  if (carrying.length > 0) return { candidateSubnets: carrying, zoneRelation, problems: [] };
  if (candidateSubnets.length > 0) {
    return { candidateSubnets: [], zoneRelation, problems: [], notApplicable: noEnaExpress(zoneRelation) };
  }

  const zonesOf = (type: string) => [...(offer.zonesOfType.get(type) ?? [])].sort().join(', ');
  const where = typesOf(pair).map((type) => `${type} is in ${zonesOf(type)}`);
  const lack =
    lackBesidePin(pair, offer) ??
    (zoneRelation === 'same_zone'
      ? 'no zone of this stack has both types'
      : 'no two zones of this stack have one type each');
  const allowed = `another relation, or the pair must have other types, because ${lack} (${where.join('; ')})`;
  const problem = { path: `plan.pairs[${pairIndex}].zoneRelation`, value: pair.zoneRelation, allowed };
  return { candidateSubnets: [], zoneRelation, problems: [problem] };
}

/** Whether ENA Express, on at both hosts, carries traffic between these places. */
function carriesEnaExpress({ client, server }: PairSubnets): boolean {
  if (isLocalZone(client.zone) || isLocalZone(server.zone)) return false;
  return (
    client.zone === server.zone ||
    !REGIONS_WITHOUT_ENA_EXPRESS_ACROSS_ZONES.some((region) => client.zone.startsWith(region))
  );
}

const noEnaExpress = (zoneRelation: PairConditions['zoneRelation']) =>
  zoneRelation === 'same_zone'
    ? 'ENA Express carries no traffic in a Local Zone'
    : 'ENA Express carries no traffic between zones in São Paulo, Bahrain and the UAE, and none in a Local Zone';

function typesOf({ clientType, serverType }: PairPlan): string[] {
  return [...new Set([clientType, serverType])];
}

/** A combination that EC2 does not support is recorded with its reason; it does not make the plan invalid. */
function conditionReason(pair: PairPlan, offer: Offer): string | undefined {
  const types = typesOf(pair).flatMap((name) => offer.instanceTypes.get(name) ?? []);
  if (pair.placement === 'cluster' && pair.zoneRelation === 'other_zone') {
    return 'a cluster placement group lies in one zone';
  }
  const outsideCluster = types.find((type) => type.isBurstableCpu || !type.supportsClusterPlacement);
  if (pair.placement === 'cluster' && outsideCluster !== undefined) {
    return `${outsideCluster.instanceType} can't be in a cluster placement group`;
  }
  const enaExpressTypes = pair.enaExpress === 'both' ? types : types.slice(0, pair.enaExpress === 'off' ? 0 : 1);
  const withoutEnaExpress = enaExpressTypes.find((type) => !type.supportsEnaExpress);
  if (withoutEnaExpress !== undefined) return `${withoutEnaExpress.instanceType} has no ENA Express`;
  if (pair.path === 'peering' && offer.peeredSubnets.length === 0) {
    return 'VPC peering is not part of this deployment (cdk deploy --context peering=true)';
  }
  const [serverFamily] = pair.serverType.split('.');
  if (pair.path === 'nlb' && NEVER_LOAD_BALANCER_TARGETS.includes(serverFamily ?? '')) {
    return `a Network Load Balancer can't have ${pair.serverType} as its target by instance id`;
  }
  if (pair.enaExpressUdp && pair.enaExpress === 'off') return 'ENA Express for UDP needs ENA Express';
  return undefined;
}

/** A type of both hosts is reported once. */
function checkTypes(pair: PairFields, pairIndex: number, offer: Offer): PlanProblem[] {
  return [
    ...checkType('clientType', pair, pairIndex, offer),
    ...(pair.serverType === pair.clientType ? [] : checkType('serverType', pair, pairIndex, offer)),
  ];
}

/** The name of a type that has not even the form of one is compared with those of EC2, too. */
export function withNearestType(problem: PlanProblem, { typeNames = [] }: Offer): PlanProblem {
  const { path, value } = problem;
  if (!isPathOfType(path) || typeof value !== 'string') return problem;
  return { ...problem, nearest: nearestWord(value, typeNames) };
}

/** Whether a problem is about the instance type of a host. */
export const isPathOfType = (path: string) => /^plan\.pairs\[\d+\]\.(?:client|server)Type$/.test(path);

/** So many instance types are listed in a refusal; a Region of AWS has about a thousand. */
const MAX_LISTED_TYPES = 40;

function checkType(key: 'clientType' | 'serverType', pair: PairFields, pairIndex: number, offer: Offer): PlanProblem[] {
  const name = pair[key];
  if (name === undefined) return [];
  const refuse = (allowed: string, nearest?: string) => [
    { path: `plan.pairs[${pairIndex}].${key}`, value: name, allowed, nearest },
  ];
  const type = offer.instanceTypes.get(name);
  if (type === undefined) {
    return refuse(knownTypes(offer), nearestWord(name, offer.typeNames ?? []));
  }
  if (architectureOf(type) === undefined) {
    return refuse(`a type of architecture x86_64 or arm64 (this one is ${type.architectures.join(', ') || 'of none'})`);
  }
  const zones = [...new Set(offer.subnets.map((subnet) => subnet.zone))];
  if ((offer.zonesOfType.get(name)?.size ?? 0) === 0) {
    return refuse(`a type that at least one of this stack's zones offers (${zones.join(', ')})`);
  }
  return [];
}

function knownTypes({ typeNames = [], typesInWords }: Offer): string {
  const listed = typeNames.length === 0 || typeNames.length > MAX_LISTED_TYPES ? '' : `: ${typeNames.join(', ')}`;
  return typesInWords ?? `an instance type that EC2 knows in this Region${listed}`;
}

function checkCpuCredits(role: HostRole, pair: PairFields, pairIndex: number, { instanceTypes }: Offer): PlanProblem[] {
  const value = pair[`${role}CpuCredits`];
  const type = instanceTypes.get(pair[`${role}Type`] ?? '');
  if (value === undefined || type === undefined || type.isBurstableCpu) return [];
  const allowed = `left out, because ${type.instanceType} has no CPU credits`;
  return [{ path: `plan.pairs[${pairIndex}].${role}CpuCredits`, value, allowed }];
}
