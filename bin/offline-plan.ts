/** Reads a plan as plan-run does, but without an account: against the recorded answer of DescribeInstanceTypes. */
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import recorded from '../domain/forecast/recorded-instance-types.json';
import { ASSUMED_REGION } from '../domain/forecast/prices/price-table';
import type { RunForecast } from '../domain/forecast/forecast-run';
import { HOST_ROLES } from '../domain/model/host-role';
import { isZoneRelationUnknown } from '../domain/plan/check-places';
import { isOwnImage, namedForHosts, namedTypes, type Offer } from '../domain/plan/offer';
import { preparePlan, type PlanFacts } from '../domain/plan/prepare-plan';
import { readPlan, type ReadPlan } from '../domain/plan/read-plan';
import type { PlanProblem } from '../domain/workflow/error-names';
import { instanceTypeOf } from '../lambdas/adapters/ec2-answers';

const OFFLINE_NOTE =
  `Read without an account: instance types as of ${recorded.date}; ` +
  'quotas, zone offerings and earlier runs are unknown.';

const ZONES = ['a', 'b', 'c'];

/** Returns an offer of every recorded type, in three zones and those that the plan names, with a second network. */
function offlineOffer(namedZoneIds: readonly string[], region: string): Offer {
  const types = (recorded.InstanceTypes as InstanceTypeInfo[]).map(instanceTypeOf);
  const zones = [...ZONES.map((zone) => ({ zone, zoneId: `az-${zone}` })), ...namedZoneIds.map(zoneOf)];
  const subnets = (name: string) =>
    zones.map((zone) => ({ subnetId: `${name}-${zone.zone}`, zone: zone.zone, zoneId: zone.zoneId, vpcId: name }));
  return {
    subnets: subnets('hosts'),
    peeredSubnets: subnets('peered'),
    instanceTypes: new Map(types.map((type) => [type.instanceType, type])),
    zonesOfType: new Map(types.map(({ instanceType }) => [instanceType, new Set(zones.map(({ zone }) => zone))])),
    hosts: { region, hostVpcs: 'any', hasPublicAddresses: true, imageParameters: [] },
  };
}

const zoneOf = (zoneId: string) => ({ zone: zoneId, zoneId });

/** Says what only an account can tell of the subnets, zones and images that the plan names; undefined without any. */
function unknownEnds({ pairs, pairFields }: ReadPlan, offer: Offer): string | undefined {
  const named = [
    ...(namedForHosts(pairFields, 'subnetId').length > 0 ? ['subnets'] : []),
    ...(namedForHosts(pairFields, 'zoneId').length > 0 ? ['zones'] : []),
    ...(namedForHosts(pairFields, 'imageId').length > 0 ? ['images'] : []),
  ];
  if (named.length === 0) return undefined;
  const zones = pairs.some((pair) => pair !== undefined && isZoneRelationUnknown({ pair, offer }))
    ? " The zones of the plan's subnets are unknown: if two subnets may be in different zones, both prices assume that " +
      'they are, and that traffic between them is charged. If they are in one zone, set "zoneRelation" to "same_zone".'
    : '';
  return (
    `The ${inWords(named)} that the plan names can't be looked up here: plan-run checks before the launch that they ` +
    `exist and fit.${zones}`
  );
}

/** Says what only an account can tell of private hosts that have to fetch the tools; undefined if there are none. */
function unknownRoutes({ pairFields }: ReadPlan): string | undefined {
  const ends = pairFields.flatMap((pair) => HOST_ROLES.flatMap((role) => pair[role] ?? []));
  return ends.some(({ publicAddress, imageId }) => publicAddress === false && !isOwnImage(imageId))
    ? "Route tables can't be read here: before the launch, plan-run checks whether the subnets of private hosts have a " +
        'way out, and warns only if they have none.'
    : undefined;
}

function inWords(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' and ');
}

/** Keeps only the types that the plan names, because plan-run asks for no others. */
function named(offer: Offer, { pairFields }: ReadPlan): Offer {
  const names = namedTypes(pairFields);
  return {
    ...offer,
    instanceTypes: new Map([...offer.instanceTypes].filter(([name]) => names.includes(name))),
    typeNames: [...offer.instanceTypes.keys()],
  };
}

interface OfflineOptions {
  /** By whose prices the plan is priced. */
  readonly region?: string;
  /** As in `PlanFacts`. */
  readonly textWidth?: number;
}

export interface OfflinePlan {
  /** Sentences about what could not be decided. */
  readonly note: string;
  /** Undefined if the plan can't be read. */
  readonly forecast: RunForecast | undefined;
  /** Empty if the plan can't be read. */
  readonly forecastText: string;
  readonly problems: readonly PlanProblem[];
}

export function offlineFacts(read: ReadPlan, { region = ASSUMED_REGION, textWidth }: OfflineOptions = {}): PlanFacts {
  const offer = named(offlineOffer(namedForHosts(read.pairFields, 'zoneId'), region), read);
  return { runId: 'offline', offer, vcpuQuotas: {}, textWidth };
}

export function offlinePlan(submitted: unknown, options?: OfflineOptions): OfflinePlan {
  const read = readPlan(submitted);
  const facts = offlineFacts(read, options);
  // A plan that exceeds its own limits is still priced, because the figures show what to change.
  const { problems, prepared } = preparePlan(read, facts);
  const note = [OFFLINE_NOTE, unknownEnds(read, facts.offer), unknownRoutes(read)]
    .filter((each) => each !== undefined)
    .join('\n');
  return { note, forecast: prepared?.forecast, forecastText: prepared?.forecastText ?? '', problems };
}
