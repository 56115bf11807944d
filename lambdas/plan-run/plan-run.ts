/** Validates, expands and stores a plan. Every problem is reported at once; nothing is launched here. */
import type { InstanceTypeFacts } from '../../domain/measurement/measurement';
import { checkEligibility, type Offer } from '../../domain/plan/check-eligibility';
import { checkPlan, checkRunId } from '../../domain/plan/check-plan';
import { expandPlan, isLaunched } from '../../domain/plan/expand-plan';
import { instanceTypeFacts, type OfferedInstanceType } from '../../domain/plan/offered-instance-type';
import { seedOf } from '../../domain/plan/order';
import type { PlannedRun } from '../../domain/plan/planned-run';
import { readPlan, type ReadPlan } from '../../domain/plan/read-plan';
import type { PlanRunRequest, PlanRunResponse } from '../../domain/workflow/contracts';
import { InvalidPlanError } from '../../domain/workflow/error-names';
import { planKey } from '../../domain/workflow/object-keys';
import type { Subnet, ZoneOffering } from '../adapters/ec2-catalogue';
import type { Log } from '../shared/logger';
import { encodeJson } from '../shared/stored-json';
import { resolveImages } from './ubuntu-images';

export interface PlanRunDependencies {
  readonly bucketName: string;
  readonly subnetIds: readonly string[];
  /** Empty without a second network. */
  readonly peeredSubnetIds: readonly string[];
  readonly describeSubnets: (subnetIds: readonly string[]) => Promise<Subnet[]>;
  readonly describeInstanceTypes: (names: readonly string[]) => Promise<OfferedInstanceType[]>;
  readonly describeZoneOfferings: (names: readonly string[], zones: readonly string[]) => Promise<ZoneOffering[]>;
  readonly getParameter: (name: string) => Promise<string>;
  readonly putObject: (key: string, body: Uint8Array, contentType: string) => Promise<void>;
  readonly now: () => Date;
  readonly log: Log;
}

export function makePlanRun(deps: PlanRunDependencies) {
  return async ({ runId, plan: submitted }: PlanRunRequest): Promise<PlanRunResponse> => {
    const read = readPlan(submitted);
    const offer = await describeOffer(deps, read);
    const eligibilities = read.pairs.map((pair, index) =>
      pair === undefined ? undefined : checkEligibility(pair, index, offer),
    );
    const problems = [
      ...checkRunId(runId),
      ...read.problems,
      ...checkPlan(read),
      ...eligibilities.flatMap((eligibility) => eligibility?.problems ?? []),
    ];
    if (read.plan === undefined || problems.length > 0) {
      deps.log('plan refused', { runId, problemCount: problems.length });
      throw new InvalidPlanError(problems);
    }

    const { plan } = read;
    const instanceTypes = Object.fromEntries(
      [...offer.instanceTypes.values()].map((type) => [type.instanceType, instanceTypeFacts(type)!]),
    );
    const architectures = new Set(Object.values(instanceTypes).map((type: InstanceTypeFacts) => type.architecture));
    const seed = plan.seed ?? seedOf(runId);
    const createdAt = deps.now().toISOString();
    const run: PlannedRun = {
      schema: 'network-benchmark.plan.v1',
      runId,
      createdAt,
      day: createdAt.slice(0, 10),
      plan,
      seed,
      images: await resolveImages(architectures, deps.getParameter),
      instanceTypes,
      pairs: expandPlan(plan, (planPairIndex) => eligibilities[planPairIndex]!, seed),
    };
    await deps.putObject(planKey(runId), encodeJson(run), 'application/json');
    deps.log('plan expanded', { runId, pairCount: run.pairs.length, images: run.images });
    return {
      runId,
      pairIndexes: run.pairs.filter(isLaunched).map((pair) => pair.pairIndex),
      concurrency: plan.concurrency,
      dryRun: plan.dryRun,
      planUri: `s3://${deps.bucketName}/${planKey(runId)}`,
    };
  };
}

/** What EC2 offers of the types that the readable part of a plan names. */
async function describeOffer(deps: PlanRunDependencies, { pairs }: ReadPlan): Promise<Offer> {
  const named = pairs.flatMap((pair) => (pair === undefined ? [] : [pair.clientType, pair.serverType]));
  const names = [...new Set(named)].sort();
  const subnets = await deps.describeSubnets(deps.subnetIds);
  const peeredSubnets = deps.peeredSubnetIds.length === 0 ? [] : await deps.describeSubnets(deps.peeredSubnetIds);
  if (names.length === 0) return { subnets, peeredSubnets, instanceTypes: new Map(), zonesOfType: new Map() };

  const types = await deps.describeInstanceTypes(names);
  const zones = [...new Set(subnets.map((subnet) => subnet.zone))];
  const zonesOfType = new Map<string, Set<string>>();
  for (const { instanceType, zone } of await deps.describeZoneOfferings(names, zones)) {
    zonesOfType.set(instanceType, (zonesOfType.get(instanceType) ?? new Set<string>()).add(zone));
  }
  return {
    subnets,
    peeredSubnets,
    instanceTypes: new Map(types.map((type) => [type.instanceType, type])),
    zonesOfType,
  };
}
