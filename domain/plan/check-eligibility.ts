/** Decides which pairs of a plan EC2 can launch, in which subnets, and why it cannot launch the others. */
import type { CpuCredits, PairConditions } from '../model/conditions';
import {
  hasLaunchCredits,
  isLocalZone,
  NEVER_LOAD_BALANCER_TARGETS,
  REGIONS_WITHOUT_ENA_EXPRESS_ACROSS_ZONES,
} from '../model/ec2-facts';
import { HOST_ROLES, type HostRole } from '../model/host-role';
import type { PairSubnets } from '../model/planned-run';
import { nearestWord } from '../text/nearest-word';
import { problemsAt, type PlanProblem } from '../workflow/error-names';
import { checkHosts, checkImage } from './check-hosts';
import { checkPlaces, checkSubnet, lackBesidePin, placesOf, zoneRelationOf } from './check-places';
import { architectureOf, type Offer, type OfferedInstanceType, type PairCheck } from './offer';
import type { PairFields, PairPlan } from './schema';

export interface PairEligibility {
  /** Subnets in which the pair can be launched; empty if the pair has problems. */
  readonly candidateSubnets: readonly PairSubnets[];
  /** The zone relation of the plan, or the one that follows from the subnets or zones that the plan names. */
  readonly zoneRelation: PairConditions['zoneRelation'];
  readonly problems: readonly PlanProblem[];
  /** Why the pair cannot be measured under its conditions, although both of its types exist. */
  readonly notApplicable?: string;
}

export function hasBareMetal(pair: PairPlan, { instanceTypes }: Pick<Offer, 'instanceTypes'>): boolean {
  return typesOf(pair).some((name) => instanceTypes.get(name)?.isBareMetal === true);
}

/** The CPU credit mode of each host: the plan's, or else EC2's default; undefined for types without CPU credits. */
export function cpuCreditsOf(
  pair: PairPlan,
  instanceTypes: ReadonlyMap<string, Pick<OfferedInstanceType, 'isBurstableCpu'>>,
): Pick<PairConditions, 'clientCpuCredits' | 'serverCpuCredits'> {
  const creditsOf = (role: HostRole): CpuCredits | undefined => {
    const type = pair[`${role}Type`];
    if (instanceTypes.get(type)?.isBurstableCpu !== true) return undefined;
    return pair[`${role}CpuCredits`] ?? (hasLaunchCredits(type) ? 'standard' : 'unlimited');
  };
  return { clientCpuCredits: creditsOf('client'), serverCpuCredits: creditsOf('server') };
}

/** Checks each field by itself in a pair that is not valid as a whole. */
export function checkFields(check: PairCheck<PairFields>): PlanProblem[] {
  const checks = [checkCpuCredits, checkSubnet, checkImage];
  return [...checkTypes(check), ...checks.flatMap((each) => HOST_ROLES.flatMap((role) => each(check, role)))];
}

export function checkEligibility(check: PairCheck): PairEligibility {
  const { pair, index, offer } = check;
  const problems = [
    ...checkTypes(check),
    ...HOST_ROLES.flatMap((role) => checkCpuCredits(check, role)),
    ...checkPlaces(check),
    ...checkHosts(check),
  ];
  const zoneRelation = zoneRelationOf(check);
  const refused = (notApplicable?: string, others: readonly PlanProblem[] = []) => ({
    candidateSubnets: [],
    zoneRelation,
    problems: others,
    notApplicable,
  });
  if (problems.length > 0) return refused(undefined, problems);
  const reason = conditionReason(pair, offer);
  if (reason !== undefined) return refused(reason);

  const offeredPlaces = (role: HostRole) =>
    placesOf(check, role).filter(({ zone }) => offer.zonesOfType.get(pair[`${role}Type`])?.has(zone));
  const offered = offeredPlaces('client').flatMap((client) =>
    offeredPlaces('server')
      .filter((server) => (zoneRelation === 'same_zone') === (server.zone === client.zone))
      .map((server) => ({ client, server })),
  );
  const candidateSubnets = pair.enaExpress === 'both' ? offered.filter(carriesEnaExpress) : offered;
  if (candidateSubnets.length > 0) return { candidateSubnets, zoneRelation, problems: [] };
  if (offered.length > 0) return refused(noEnaExpress(zoneRelation));

  const zonesOf = (type: string) => [...(offer.zonesOfType.get(type) ?? [])].sort().join(', ');
  const where = typesOf(pair).map((type) => `${type} is in ${zonesOf(type)}`);
  const lack =
    lackBesidePin(check) ??
    (zoneRelation === 'same_zone'
      ? 'no zone of this stack offers both types'
      : "this stack has no two different zones that offer the client's type and the server's type");
  const allowed = `the other zone relation, or the pair must have other types, because ${lack} (${where.join('; ')})`;
  return refused(undefined, [{ path: `plan.pairs[${index}].zoneRelation`, value: pair.zoneRelation, allowed }]);
}

/** Whether ENA Express, enabled on both hosts, carries traffic between these subnets. */
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

const typesOf = ({ clientType, serverType }: PairPlan) => [...new Set([clientType, serverType])];

/** A combination that EC2 does not support leaves the plan valid; the pair is recorded with this reason. */
function conditionReason(pair: PairPlan, offer: Offer): string | undefined {
  const types = typesOf(pair).flatMap((name) => offer.instanceTypes.get(name) ?? []);
  if (pair.placement === 'cluster' && pair.zoneRelation === 'other_zone') {
    return "a cluster placement group can't span two zones";
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
    return `a Network Load Balancer can't target ${pair.serverType} by instance id`;
  }
  if (pair.enaExpressUdp && pair.enaExpress === 'off') return 'ENA Express for UDP needs ENA Express';
  return undefined;
}

/** If both hosts have the same type, its problem is reported once. */
function checkTypes(check: PairCheck<PairFields>): PlanProblem[] {
  const { clientType, serverType } = check.pair;
  return HOST_ROLES.slice(0, clientType === serverType ? 1 : 2).flatMap((role) => checkType(check, role));
}

/** Suggests the most similar EC2 type even for a name that the schema refused. */
export function withNearestType(problem: PlanProblem, { typeNames = [] }: Offer): PlanProblem {
  const { path, value } = problem;
  if (!isPathOfType(path) || typeof value !== 'string') return problem;
  return { ...problem, nearest: nearestWord(value, typeNames) };
}

export const isPathOfType = (path: string) => /^plan\.pairs\[\d+\]\.(?:client|server)Type$/.test(path);

/** At most this many instance types are listed in a refusal; an AWS Region has about a thousand. */
const MAX_LISTED_TYPES = 40;

function checkType({ pair, index, offer }: PairCheck<PairFields>, role: HostRole): PlanProblem[] {
  const value = pair[`${role}Type`];
  if (value === undefined) return [];
  const path = `plan.pairs[${index}].${role}Type`;
  const type = offer.instanceTypes.get(value);
  if (type === undefined) {
    return [{ path, value, allowed: knownTypes(offer), nearest: nearestWord(value, offer.typeNames ?? []) }];
  }
  const zones = [...new Set(offer.subnets.map((subnet) => subnet.zone))].join(', ');
  const isUnbootable = architectureOf(type) === undefined;
  const isNowhere = (offer.zonesOfType.get(value)?.size ?? 0) === 0;
  return problemsAt(path, value, [
    [isUnbootable, `a type of architecture x86_64 or arm64 (this one has ${type.architectures.join(', ') || 'none'})`],
    [!isUnbootable && isNowhere, `a type that at least one of this stack's zones offers (${zones})`],
    [
      offer.freePlanTypes?.includes(value) === false,
      `a type that the account's free plan may launch (${offer.freePlanTypes?.join(', ')})`,
    ],
  ]);
}

function knownTypes({ typeNames = [], typesInWords }: Offer): string {
  const listed = typeNames.length === 0 || typeNames.length > MAX_LISTED_TYPES ? '' : `: ${typeNames.join(', ')}`;
  return typesInWords ?? `an instance type that EC2 knows in this Region${listed}`;
}

function checkCpuCredits({ pair, index, offer }: PairCheck<PairFields>, role: HostRole): PlanProblem[] {
  const value = pair[`${role}CpuCredits`];
  const type = offer.instanceTypes.get(pair[`${role}Type`] ?? '');
  const isRefused = value !== undefined && type?.isBurstableCpu === false;
  const allowed = `left out, because ${type?.instanceType} has no CPU credits`;
  return problemsAt(`plan.pairs[${index}].${role}CpuCredits`, value, [[isRefused, allowed]]);
}
