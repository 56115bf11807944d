/** Which pairs of a plan EC2 can launch, in which subnets, and why it cannot launch the others. */
import type { PlanProblem } from '../workflow/error-names';
import { checkEnds } from './check-ends';
import { checkPlaces, lackBesidePin, placesOf, zoneRelationOf } from './check-places';
import type { Offer } from './offer';
import { architectureOf, type OfferedInstanceType } from './offered-instance-type';
import type { CpuCredits, PairConditions } from '../model/conditions';
import { hasLaunchCredits, NEVER_LOAD_BALANCER_TARGETS } from '../model/ec2-facts';
import type { HostRole } from '../model/host-role';
import type { PairSubnets, Subnet } from '../model/planned-run';
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

export function checkEligibility(pair: PairPlan, pairIndex: number, offer: Offer): PairEligibility {
  const problems = [
    ...checkType('clientType', pair, pairIndex, offer),
    ...(pair.serverType === pair.clientType ? [] : checkType('serverType', pair, pairIndex, offer)),
    ...checkCpuCredits('client', pair, pairIndex, offer),
    ...checkCpuCredits('server', pair, pairIndex, offer),
    ...checkPlaces(pair, pairIndex, offer),
    ...checkEnds(pair, pairIndex, offer),
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
  if (candidateSubnets.length > 0) return { candidateSubnets, zoneRelation, problems: [] };

  const zonesOf = (type: string) => [...(offer.zonesOfType.get(type) ?? [])].sort().join(', ');
  const where = typesOf(pair).map((type) => `${type} is in ${zonesOf(type)}`);
  const lack =
    lackBesidePin(pair, offer) ??
    (zoneRelation === 'same_zone'
      ? 'no zone of this stack has both types'
      : 'no two zones of this stack have one type each');
  const allowed = `a relation that the offers allow: ${lack} (${where.join('; ')})`;
  const problem = { path: `plan.pairs[${pairIndex}].zoneRelation`, value: pair.zoneRelation, allowed };
  return { candidateSubnets: [], zoneRelation, problems: [problem] };
}

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

function checkType(key: 'clientType' | 'serverType', pair: PairPlan, pairIndex: number, offer: Offer): PlanProblem[] {
  const name = pair[key];
  const refuse = (allowed: string) => [{ path: `plan.pairs[${pairIndex}].${key}`, value: name, allowed }];
  const type = offer.instanceTypes.get(name);
  if (type === undefined) return refuse('an instance type that EC2 knows in this Region');
  if (architectureOf(type) === undefined) {
    return refuse(`a type of architecture x86_64 or arm64 (this one is ${type.architectures.join(', ') || 'of none'})`);
  }
  const zones = [...new Set(offer.subnets.map((subnet) => subnet.zone))];
  if ((offer.zonesOfType.get(name)?.size ?? 0) === 0) {
    return refuse(`a type that at least one of this stack's zones offers (${zones.join(', ')})`);
  }
  return [];
}

function checkCpuCredits(role: HostRole, pair: PairPlan, pairIndex: number, { instanceTypes }: Offer): PlanProblem[] {
  const value = pair[`${role}CpuCredits`];
  const type = instanceTypes.get(pair[`${role}Type`]);
  if (value === undefined || type === undefined || type.isBurstableCpu) return [];
  const allowed = `absent, because ${type.instanceType} has no CPU credits`;
  return [{ path: `plan.pairs[${pairIndex}].${role}CpuCredits`, value, allowed }];
}
