/**
 * Everything that is decided about a plan before the first launch: whether it is valid, its pairs, what they should show
 * and what they can cost. plan-run and `npm run plan` differ only in the source of their facts.
 */
import { elementAt } from '../maths/elements';
import { checkLimits } from '../forecast/check-limits';
import { forecastRun } from '../forecast/forecast-run';
import type { KnownBucket, MeasurementWork } from '../forecast/inputs';
import { renderForecast, type PlanWords } from '../forecast/render-forecast';
import { pricesWith } from '../forecast/prices/price-overrides';
import { settingsInWords } from '../model/settings';
import { toolModule } from '../tools/catalogue';
import { measureExpectedSeconds, measurementLimitSeconds } from '../tools/commands';
import { checkAddresses } from './check-addresses';
import { checkEligibility, checkFields, hasBareMetal, withNearestType } from './check-eligibility';
import { checkApplicableExpectations } from './check-expectations';
import { isZoneRelationUnknown } from './check-places';
import { checkPlan, checkRunId } from './check-plan';
import { checkTags } from './check-tags';
import { expandPart, launchablePart } from './launchable-part';
import { isOwnImage, type Offer } from './offer';
import { instanceTypeFacts } from './offered-instance-type';
import { seedOf } from '../maths/random-order';
import type { PlannedMeasurement, PlannedPair } from '../model/planned-run';
import { expectationsText } from './expectations-text';
import type { ReadPlan } from './read-plan';
import type { BenchmarkPlan, PairPlan } from './schema';
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
  /** Of the terminal that shows the forecast's text; absent where it is stored. */
  readonly textWidth?: number;
}

/**
 * @returns all problems of the plan at once, and what was prepared where none but its own limits and expectations refuse
 *   it
 */
export function preparePlan(read: ReadPlan, facts: PlanFacts) {
  const { offer, runId } = facts;
  const eligibilities = read.pairs.map((pair, index) => pair && checkEligibility(pair, index, offer));
  const problems = [
    ...checkRunId(runId),
    ...read.problems.map((problem) => withNearestType(problem, offer)),
    ...checkPlan(
      read,
      read.pairs.some((pair) => pair !== undefined && hasBareMetal(pair, offer)),
      offer.instanceTypes,
    ),
    ...checkTags(read.fields.tags, facts.deploymentTags ?? {}),
    ...read.pairFields.flatMap((fields, index) => eligibilities[index]?.problems ?? checkFields(fields, index, offer)),
    ...checkAddresses(read, offer.ends.subnets?.values() ?? [], offer.instanceTypes),
  ];
  const launchable = launchablePart(read, offer);
  if (launchable === undefined) return { problems, prepared: undefined };

  const { plan, isWhole, isConcurrencyKnown } = launchable;
  const vcpuQuotas = isConcurrencyKnown ? facts.vcpuQuotas : {};
  const instanceTypes = Object.fromEntries(
    [...offer.instanceTypes.values()]
      .flatMap((type) => instanceTypeFacts(type) ?? [])
      .map((typeFacts) => [typeFacts.instanceType, typeFacts]),
  );
  const seed = plan.seed ?? seedOf(runId);
  const pairs = expandPart(launchable, offer, seed);
  const forecast = forecastRun({
    pairs,
    instanceTypes,
    prices: pricesWith(plan.prices),
    earlierBuckets: facts.earlierBuckets,
    workOf,
  });
  const unfulfillable = [
    ...checkLimits({ ...plan, vcpuQuotas, isPart: !isWhole }, forecast, pairs, instanceTypes),
    ...checkApplicableExpectations(read, eligibilities, pairs),
  ];
  const allProblems = [...problems, ...unfulfillable];
  if (read.plan === undefined || problems.length > 0) return { problems: allProblems, prepared: undefined };
  const words = planWords(plan, (pair) => isZoneRelationUnknown(pair, offer), offer.privateWaysOut);
  const forecastText = renderForecast(forecast, pairs, words, facts.textWidth) + expectationsText(plan);
  return { problems: allProblems, prepared: { plan: read.plan, seed, instanceTypes, pairs, forecast, forecastText } };
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

/** @param isRelationUnknown of a pair of the plan; false where an account has been asked */
export function planWords(
  plan: Pick<BenchmarkPlan, 'pairs'>,
  isRelationUnknown: (pair: PairPlan) => boolean = () => false,
  privateWaysOut: Offer['privateWaysOut'] = new Map(),
): PlanWords {
  const planned = ({ planPairIndex }: PlannedPair) => elementAt(plan.pairs, planPairIndex);
  return {
    labelOf,
    isZoneRelationUnknown: (pair) => isRelationUnknown(planned(pair)),
    hasOwnImage: (pair, role) => isOwnImage(planned(pair)[role]?.imageId),
    hasPrivateWayOut: (pair, role) => {
      const known = pair.candidateSubnets.map((subnets) => privateWaysOut.get(subnets[role].subnetId));
      const [first] = known;
      return known.every((each) => each === first) ? first : undefined;
    },
  };
}

function labelOf(measurement: PlannedMeasurement): string {
  return `${measurement.tool} ${settingsInWords(measurement)}`;
}
