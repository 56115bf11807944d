/** Validates, expands and stores a plan. Every problem is reported at once; nothing is launched here. */
import { expandPlan } from '../../domain/plan/expand-plan';
import { architectureOf, instanceTypeFacts, type OfferedInstanceType } from '../../domain/plan/offered-instance-type';
import type { PairSubnets, PlannedRun } from '../../domain/plan/planned-run';
import { benchmarkPlan } from '../../domain/plan/schema';
import type { PlanRunRequest, PlanRunResponse } from '../../domain/workflow/contracts';
import { InvalidPlanError } from '../../domain/workflow/error-names';
import { planKey } from '../../domain/workflow/object-keys';
import type { Subnet, ZoneOffering } from '../adapters/ec2-catalogue';
import type { Log } from '../shared/logger';
import { encodeJson } from '../shared/stored-json';

export interface PlanRunDependencies {
  readonly bucketName: string;
  readonly subnetIds: readonly string[];
  describeSubnets(subnetIds: readonly string[]): Promise<Subnet[]>;
  describeInstanceTypes(names: readonly string[]): Promise<OfferedInstanceType[]>;
  describeZoneOfferings(names: readonly string[], zones: readonly string[]): Promise<ZoneOffering[]>;
  getParameter(name: string): Promise<string>;
  putObject(key: string, body: Uint8Array, contentType: string): Promise<void>;
  now(): Date;
  readonly log: Log;
}

export function makePlanRun(deps: PlanRunDependencies) {
  return async ({ runId, plan: submitted }: PlanRunRequest): Promise<PlanRunResponse> => {
    const parsed = benchmarkPlan.safeParse(submitted);
    if (!parsed.success) {
      throw new InvalidPlanError(
        parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), value: undefined, allowed: issue.message })),
      );
    }
    const plan = parsed.data;
    const names = [...new Set(plan.pairs.flatMap((pair) => [pair.clientType, pair.serverType]))];
    const subnets = await deps.describeSubnets(deps.subnetIds);
    const types = await deps.describeInstanceTypes(names);
    const candidates: PairSubnets[] = subnets.map((subnet) => ({ client: subnet, server: subnet }));
    const now = deps.now().toISOString();
    const images: Record<string, string> = {};
    for (const architecture of new Set(types.map(architectureOf))) {
      if (architecture === undefined) continue;
      const word = architecture === 'x86_64' ? 'amd64' : 'arm64';
      images[architecture] = await deps.getParameter(
        `/aws/service/canonical/ubuntu/server/24.04/stable/current/${word}/hvm/ebs-gp3/ami-id`,
      );
    }
    const run: PlannedRun = {
      schema: 'network-benchmark.plan.v1',
      runId,
      createdAt: now,
      day: now.slice(0, 10),
      plan,
      images,
      instanceTypes: Object.fromEntries(types.map((type) => [type.instanceType, instanceTypeFacts(type)!])),
      pairs: expandPlan(plan, () => candidates),
    };
    await deps.putObject(planKey(runId), encodeJson(run), 'application/json');
    deps.log('plan expanded', { runId, pairCount: run.pairs.length });
    return {
      runId,
      pairCount: run.pairs.length,
      concurrency: plan.concurrency,
      planUri: `s3://${deps.bucketName}/${planKey(runId)}`,
    };
  };
}
