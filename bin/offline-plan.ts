/** Reads a plan as plan-run does, but without an account: against the recorded answer of DescribeInstanceTypes. */
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import recorded from '../domain/forecast/recorded-instance-types.json';
import type { RunForecast } from '../domain/forecast/forecast-run';
import type { Offer } from '../domain/plan/check-eligibility';
import { preparePlan, type PlanFacts } from '../domain/plan/prepare-plan';
import { readPlan, type ReadPlan } from '../domain/plan/read-plan';
import type { PlanProblem } from '../domain/workflow/error-names';
import { instanceTypeOf } from '../lambdas/adapters/ec2-instance-type';

export const OFFLINE_NOTE =
  `Read without an account: instance types as of ${recorded.date}; ` +
  'quotas, zone offerings and earlier runs are unknown.';

const ZONES = ['a', 'b', 'c'];

/** An offer with every recorded type in each of three zones, for a stack that has a second network. */
function offlineOffer(): Offer {
  const types = (recorded.InstanceTypes as InstanceTypeInfo[]).map(instanceTypeOf);
  const subnets = (name: string) =>
    ZONES.map((zone) => ({ subnetId: `${name}-${zone}`, zone, zoneId: `az-${zone}`, vpcId: name }));
  return {
    subnets: subnets('hosts'),
    peeredSubnets: subnets('peered'),
    instanceTypes: new Map(types.map((type) => [type.instanceType, type])),
    zonesOfType: new Map(types.map(({ instanceType }) => [instanceType, new Set(ZONES)])),
  };
}

/** A plan that exceeds its own limits is still forecast, because the figures show what to change. */
function withoutLimits(read: ReadPlan): ReadPlan {
  if (read.plan === undefined) return read;
  return { ...read, plan: { ...read.plan, maxCostUsd: undefined, maxInstances: undefined } };
}

/** Only the types that the plan names, because plan-run asks for no others. */
function named(offer: Offer, { pairs }: ReadPlan): Offer {
  const names = new Set(pairs.flatMap((pair) => (pair === undefined ? [] : [pair.clientType, pair.serverType])));
  return { ...offer, instanceTypes: new Map([...offer.instanceTypes].filter(([name]) => names.has(name))) };
}

export interface OfflinePlan {
  /** Undefined where the plan can't be read. */
  readonly forecast: RunForecast | undefined;
  /** Empty where the plan can't be read. */
  readonly forecastText: string;
  readonly problems: readonly PlanProblem[];
}

export function offlinePlan(submitted: unknown): OfflinePlan {
  const read = readPlan(submitted);
  const facts: PlanFacts = { runId: 'offline', offer: named(offlineOffer(), read), vcpuQuotas: {} };
  const decision = preparePlan(read, facts);
  const shown = decision.prepared ?? preparePlan(withoutLimits(read), facts).prepared;
  return { forecast: shown?.forecast, forecastText: shown?.forecastText ?? '', problems: decision.problems };
}
