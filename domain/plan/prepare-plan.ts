/**
 * Everything that is decided about a plan before the first launch: whether it is valid, its pairs, what they should show
 * and what they can cost. plan-run and `npm run plan` differ only in the source of their facts.
 */
import { elementAt } from '../maths/elements';
import { checkLimits } from '../forecast/check-limits';
import { forecastRun } from '../forecast/forecast-run';
import type { KnownBucket, MeasurementWork } from '../forecast/inputs';
import { renderForecast } from '../forecast/render-forecast';
import { pricesWith } from '../forecast/prices/price-overrides';
import { settingsInWords } from '../model/settings';
import { toolModule } from '../tools/catalogue';
import { measureExpectedSeconds, measurementLimitSeconds } from '../tools/commands';
import { checkAddresses } from './check-addresses';
import { checkEligibility, cpuCreditsOf, hasBareMetal } from './check-eligibility';
import { plannedEnds } from './check-ends';
import { checkApplicableExpectations } from './check-expectations';
import { isZoneRelationUnknown } from './check-places';
import { checkPlan, checkRunId } from './check-plan';
import { checkTags } from './check-tags';
import { expandPlan } from './expand-plan';
import type { Offer } from './offer';
import { instanceTypeFacts } from './offered-instance-type';
import { seedOf } from '../maths/random-order';
import type { PlannedMeasurement, PlannedPair } from '../model/planned-run';
import { expectationsText } from './expectations-text';
import type { ReadPlan } from './read-plan';
import type { UserTags } from '../workflow/user-tags';

export interface PlanFacts {
  readonly runId: string;
  readonly offer: Offer;
  /** Buckets that earlier runs found; absent without an account to query. */
  readonly earlierBuckets?: readonly KnownBucket[];
  /** Of the deployment; absent without one. */
  readonly deploymentTags?: UserTags;
  /** vCPUs that may run at the same time, by the quota's code; a quota that could not be read is absent. */
  readonly vcpuQuotas: Readonly<Record<string, number>>;
}

/** @returns all problems of the plan at once, or what was prepared where there are none */
export function preparePlan(read: ReadPlan, facts: PlanFacts) {
  const { offer, runId } = facts;
  const eligibilities = read.pairs.map((pair, index) => pair && checkEligibility(pair, index, offer));
  const problems = [
    ...checkRunId(runId),
    ...read.problems,
    ...checkPlan(
      read,
      read.pairs.some((pair) => pair !== undefined && hasBareMetal(pair, offer)),
    ),
    ...checkTags(read.fields.tags, facts.deploymentTags ?? {}),
    ...eligibilities.flatMap((eligibility) => eligibility?.problems ?? []),
    ...checkAddresses(read, offer.ends.subnets?.values() ?? []),
  ];
  if (read.plan === undefined || problems.length > 0) return { problems, prepared: undefined };

  const { plan } = read;
  const instanceTypes = Object.fromEntries(
    [...offer.instanceTypes.values()]
      .flatMap((type) => instanceTypeFacts(type) ?? [])
      .map((typeFacts) => [typeFacts.instanceType, typeFacts]),
  );
  const checked = eligibilities.filter((eligibility) => eligibility !== undefined);
  const seed = plan.seed ?? seedOf(runId);
  const pairs = expandPlan(
    plan,
    (planPairIndex, pair) => ({
      ...elementAt(checked, planPairIndex),
      ...cpuCreditsOf(pair, offer.instanceTypes),
      hasBareMetal: hasBareMetal(pair, offer),
      ends: plannedEnds(pair, offer.ends),
    }),
    seed,
  );
  const forecast = forecastRun({
    pairs,
    instanceTypes,
    prices: pricesWith(plan.prices),
    earlierBuckets: facts.earlierBuckets,
    workOf,
  });
  const unfulfillable = [
    ...checkLimits({ ...plan, vcpuQuotas: facts.vcpuQuotas }, forecast, pairs, instanceTypes),
    ...checkApplicableExpectations(plan, pairs),
  ];
  if (unfulfillable.length > 0) return { problems: unfulfillable, prepared: undefined };
  const words = {
    labelOf,
    isZoneRelationUnknown: ({ planPairIndex }: PlannedPair) =>
      isZoneRelationUnknown(elementAt(plan.pairs, planPairIndex), offer),
  };
  const forecastText = renderForecast(forecast, pairs, words) + expectationsText(plan);
  return { problems, prepared: { plan, seed, instanceTypes, pairs, forecast, forecastText } };
}

/** What a price needs to know of the tool of a measurement. */
export function workOf(measurement: PlannedMeasurement): MeasurementWork {
  const module = toolModule(measurement.tool);
  return {
    kind: module.kind(measurement),
    isBetweenHosts: !module.usesPayloadBucket,
    expectedSeconds: measureExpectedSeconds(measurement),
    limitSeconds: measurementLimitSeconds(measurement),
  };
}

function labelOf(measurement: PlannedMeasurement): string {
  return `${measurement.tool} ${settingsInWords(measurement)}`;
}
