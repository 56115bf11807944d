/** Checks a plan against the facts of an account, which come from EC2 or from a file (`bin/check-plan.ts`). */
import { preparePlan } from '../../domain/plan/prepare-plan';
import { readPlan, type ReadPlan } from '../../domain/plan/read-plan';
import type { UserTags } from '../../domain/workflow/user-tags';
import { earlierBucketsOf, earlierBucketsQuery, type KnownBucket } from '../../domain/forecast/credits';
import type { DeploymentLimits } from '../../domain/forecast/deployment-limits';
import { vcpuQuota, type VcpuAllowance } from '../../domain/forecast/check-limits';
import { isPathOfType } from '../../domain/plan/check-eligibility';
import { sum } from '../../domain/maths/statistics';
import { HOST_ROLES } from '../../domain/model/host-role';
import { PREVIOUS_RUN } from '../../domain/model/planned-run';
import {
  isImageParameter,
  namedForHosts,
  namedTypes,
  type HostFacts,
  type ImageLack,
  type NamedImage,
  type Offer,
} from '../../domain/plan/offer';
import type { PlanProblem } from '../../domain/workflow/error-names';
import type { AthenaRow } from '../adapters/athena';
import type * as catalogueCalls from '../adapters/ec2-catalogue';
import type { ResultFinder } from '../result-store/reader';
import { errorMessage } from '../errors/aws-errors';

export interface SubmittedPlan {
  readonly runId: string;
  readonly plan: unknown;
  /** UTC day of the run, YYYY-MM-DD. */
  readonly day: string;
}

/** @returns all problems of the plan; `prepared` is meaningful only if there are none */
export async function decidePlan(sources: FactSources, deploymentTags: UserTags, { runId, plan, day }: SubmittedPlan) {
  const read = readPlan(plan);
  const { facts, problems, warnings } = await gatherFacts(sources, read, day);
  const decision = preparePlan(read, { ...facts, runId, deploymentTags, deploymentLimits: sources.limits });
  const { prepared } = decision;
  return {
    problems: [...decision.problems, ...problems],
    prepared,
    warnings: [...(prepared?.warnings ?? []), ...warnings],
  };
}

type Ec2Facts = typeof catalogueCalls;

export interface FactSources extends Ec2Facts {
  readonly subnetIds: readonly string[];
  readonly typesInWords?: string;
  /** Subnets of the stack's second VPC; empty if it has none. */
  readonly peeredSubnetIds: readonly string[];
  readonly findParameter: (name: string) => Promise<string | undefined>;
  readonly deployed: Pick<HostFacts, 'hostVpcs' | 'hasPublicAddresses' | 'imageParameters'>;
  readonly limits: DeploymentLimits;
  readonly runQuery: (sql: string, deadlineSeconds: number) => Promise<AthenaRow[]>;
  readonly store: Pick<ResultFinder, 'hasPlan'>;
}

/** If the query of earlier runs takes longer, the forecast uses the published figures alone. */
const EARLIER_RUNS_DEADLINE_SECONDS = 30;

const IMAGE_ID = /^ami-[0-9a-f]{8,17}$/;

/**
 * Gathers the facts that decide whether a plan is accepted: EC2's offer of its types, the account's quotas, and what
 * earlier runs found. EC2's offer is required; other missing facts only cause a warning.
 */
async function gatherFacts(sources: FactSources, read: ReadPlan, day: string) {
  const names = namedTypes(read.pairFields);
  // The offer and the routes both need the subnets but not each other, so they are read concurrently.
  const subnets = describeSubnets(sources, read);
  const [offer, routes, freePlan, quotas, earlier, problems] = await Promise.all([
    subnets.then((described) => describeOffer(sources, read, names, described)),
    subnets.then((described) => readPrivateWaysOut(sources, read, described)),
    readFreePlan(sources),
    readQuotas(sources, names),
    readEarlierBuckets(sources, names, day),
    checkComparedRun(sources, read),
  ]);
  const facts = {
    offer: { ...offer, privateWaysOut: routes.privateWaysOut, freePlanTypes: freePlan.types },
    vcpuQuotas: quotas.vcpuQuotas,
    earlierBuckets: earlier.buckets,
  };
  const warnings = [freePlan, quotas, earlier, routes].flatMap((each) => each.warnings);
  return { facts, problems, warnings };
}

async function describeSubnets(sources: FactSources, { pairFields }: ReadPlan) {
  const { subnetIds, peeredSubnetIds } = sources;
  const namedIds = namedForHosts(pairFields, 'subnetId');
  const [subnets, peeredSubnets, namedSubnets] = await Promise.all([
    sources.describeSubnets(subnetIds),
    peeredSubnetIds.length === 0 ? [] : sources.describeSubnets(peeredSubnetIds),
    namedIds.length === 0 ? [] : sources.findSubnets(namedIds),
  ]);
  return { subnets, peeredSubnets, namedSubnets };
}

type DescribedSubnets = Awaited<ReturnType<typeof describeSubnets>>;

/** @param names the instance types in the parts of the plan that could be read */
async function describeOffer(
  sources: FactSources,
  read: ReadPlan,
  names: readonly string[],
  { subnets, peeredSubnets, namedSubnets }: DescribedSubnets,
): Promise<Offer> {
  const offered = {
    typesInWords: sources.typesInWords,
    subnets,
    peeredSubnets,
    hosts: {
      ...sources.deployed,
      region: await sources.ec2Region(),
      subnets: new Map(namedSubnets.map((subnet) => [subnet.subnetId, subnet])),
      images: await findImages(sources, namedForHosts(read.pairFields, 'imageId')),
    },
  };
  const types = names.length === 0 ? [] : await sources.describeInstanceTypes(names);
  const areAllKnown = types.length === names.length && !read.problems.some(({ path }) => isPathOfType(path));
  const typeNames = areAllKnown ? undefined : await sources.describeTypeNames();
  if (names.length === 0) return { ...offered, instanceTypes: new Map(), zonesOfType: new Map(), typeNames };

  const zones = [...new Set([...subnets, ...peeredSubnets, ...namedSubnets].map((subnet) => subnet.zone))];
  const zonesOfType = new Map<string, Set<string>>();
  for (const { instanceType, zone } of await sources.describeZoneOfferings(names, zones)) {
    zonesOfType.set(instanceType, (zonesOfType.get(instanceType) ?? new Set<string>()).add(zone));
  }
  const instanceTypes = new Map(types.map((type) => [type.instanceType, type]));
  return { ...offered, instanceTypes, zonesOfType, typeNames };
}

/** @param named ids of images, and names of parameters that hold such ids */
async function findImages(sources: FactSources, named: readonly string[]) {
  const ids = new Map<string, string | { readonly lack: ImageLack }>();
  for (const each of named) ids.set(each, each.startsWith('/') ? await imageIdOf(sources, each) : each);
  const imageIds = [...new Set([...ids.values()].filter((id) => typeof id === 'string'))].sort();
  const images = imageIds.length === 0 ? [] : await sources.findImages(imageIds);
  const byId = new Map(images.map((image) => [image.imageId, image]));
  return new Map(
    [...ids].map(([each, id]): [string, NamedImage | ImageLack] => [
      each,
      typeof id === 'string' ? (byId.get(id) ?? 'no_such_image') : id.lack,
    ]),
  );
}

async function imageIdOf({ deployed, findParameter }: FactSources, name: string) {
  if (!isImageParameter(name, deployed)) return { lack: 'forbidden_parameter' as const };
  const value = await findParameter(name);
  if (value === undefined) return { lack: 'no_such_parameter' as const };
  return IMAGE_ID.test(value) ? value : { lack: 'no_image_id' as const };
}

/** The routes only decide on a warning, so a plan is accepted even if they can't be read. */
async function readPrivateWaysOut(
  { deployed, findPrivateWaysOut }: FactSources,
  { pairFields }: ReadPlan,
  { subnets, peeredSubnets, namedSubnets }: DescribedSubnets,
) {
  const ends = pairFields.flatMap((pair) => HOST_ROLES.map((role) => pair[role]));
  if (!ends.some((end) => !(end?.publicAddress ?? deployed.hasPublicAddresses))) return { warnings: [] };
  try {
    const privateWaysOut = await findPrivateWaysOut([...subnets, ...peeredSubnets, ...namedSubnets]);
    return { privateWaysOut, warnings: [] };
  } catch (error) {
    return { warnings: [`plan.pairs: the routes of the subnets could not be read: ${errorMessage(error)}`] };
  }
}

async function readFreePlan({ findFreePlanTypes }: FactSources) {
  try {
    return { types: await findFreePlanTypes(), warnings: [] };
  } catch (error) {
    const reason = `the account's free plan, which could not be read: ${errorMessage(error)}`;
    return { warnings: [`plan.pairs: not compared with ${reason}`] };
  }
}

async function readQuotas(sources: FactSources, names: readonly string[]) {
  const codes = [...new Set(names.flatMap((name) => vcpuQuota(name)?.code ?? []))];
  const warnings: string[] = [];
  const vcpuQuotas: Record<string, VcpuAllowance> = {};
  for (const code of codes) {
    try {
      const [vcpus, running] = await Promise.all([sources.getEc2Quota(code), sources.describeVcpusInUse()]);
      const counting = running.filter(({ instanceType }) => vcpuQuota(instanceType)?.code === code);
      vcpuQuotas[code] = { vcpus, inUse: sum(counting.map(({ vcpuCount }) => vcpuCount)) };
    } catch (error) {
      const reason = `quota ${code}, which could not be read: ${errorMessage(error)}`;
      warnings.push(`plan.concurrency: not compared with ${reason}`);
    }
  }
  return { vcpuQuotas, warnings };
}

async function readEarlierBuckets(sources: FactSources, names: readonly string[], day: string) {
  const buckets: KnownBucket[] = [];
  if (names.length === 0) return { buckets, warnings: [] };
  try {
    const rows = await sources.runQuery(earlierBucketsQuery(day, names), EARLIER_RUNS_DEADLINE_SECONDS);
    return { buckets: earlierBucketsOf(rows), warnings: [] };
  } catch (error) {
    return { buckets, warnings: [`plan: forecast without earlier runs: ${errorMessage(error)}`] };
  }
}

async function checkComparedRun({ store }: FactSources, { fields }: ReadPlan): Promise<PlanProblem[]> {
  const { compareTo } = fields;
  if (compareTo === undefined || compareTo === PREVIOUS_RUN || (await store.hasPlan(compareTo))) return [];
  const allowed = `${PREVIOUS_RUN}, or the name of a run whose plan is in the store`;
  return [{ path: 'plan.compareTo', value: compareTo, allowed }];
}
