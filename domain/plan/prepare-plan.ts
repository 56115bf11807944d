/** Checks, expands and prices a plan before its launch, for plan-run and (with other facts) for `npm run plan`. */
import { allowedConcurrency, checkLimits, type VcpuAllowance } from '../forecast/check-limits';
import { checkDeploymentLimits, type DeploymentLimits } from '../forecast/deployment-limits';
import { forecastRun } from '../forecast/forecast-run';
import type { KnownBucket } from '../forecast/credits';
import type { MeasurementWork } from '../forecast/inputs';
import { atLeastListPrices, pricesOf } from '../forecast/prices/price-table';
import { renderForecast, type PlanWords } from '../forecast/render-forecast';
import { planWarnings, warningLines } from '../forecast/warnings';
import { elementAt } from '../maths/elements';
import { seedOf } from '../maths/random-order';
import { sum } from '../maths/statistics';
import { expectationsText } from '../model/expectation';
import { HOST_ROLES } from '../model/host-role';
import { isLaunched, type PlannedMeasurement, type PlannedPair } from '../model/planned-run';
import { scaledModelOf } from '../model/scaled-model';
import { settingsInWords } from '../model/settings';
import { toolModule } from '../tools/catalogue';
import { measureExpectedSeconds, measurementLimitSeconds } from '../tools/commands';
import type { PlanProblem } from '../workflow/error-names';
import type { UserTags } from '../workflow/user-tags';
import { checkEligibility, checkFields, cpuCreditsOf, hasBareMetal, withNearestType } from './check-eligibility';
import { checkApplicableExpectations } from './check-expectations';
import { plannedHosts } from './check-hosts';
import { isZoneRelationUnknown } from './check-places';
import { checkPlan, checkRunId, checkTags, MAX_PAIRS } from './check-plan';
import { expandPlan, pairCount } from './expand-plan';
import { hostPath, instanceTypeFacts, isOwnImage, type NamedSubnet, type Offer } from './offer';
import type { ReadPlan } from './read-plan';
import type { BenchmarkPlan, PairPlan } from './schema';

export interface PlanFacts {
  readonly runId: string;
  readonly offer: Offer;
  /** Token buckets that earlier runs measured; absent without an account to query. */
  readonly earlierBuckets?: readonly KnownBucket[];
  /** The deployment's own tags; absent without a deployment. */
  readonly deploymentTags?: UserTags;
  /** The deployment's own limits; absent without a deployment. */
  readonly deploymentLimits?: DeploymentLimits;
  /** By quota code; a quota that could not be read is absent. */
  readonly vcpuQuotas: Readonly<Record<string, VcpuAllowance>>;
  /** Width of the terminal that shows the forecast; absent if the text is stored. */
  readonly textWidth?: number;
}

/** @returns all problems, and the prepared run if the plan's own limits and expectations are all that may refuse it */
export function preparePlan(read: ReadPlan, facts: PlanFacts) {
  const { offer, runId } = facts;
  const eligibilities = read.pairs.map((pair, index) => pair && checkEligibility({ pair, index, offer }));
  const problems = [
    ...checkRunId(runId),
    ...read.problems.map((problem) => withNearestType(problem, offer)),
    ...checkPlan(
      read,
      read.pairs.some((pair) => pair !== undefined && hasBareMetal(pair, offer)),
      offer.instanceTypes,
    ),
    ...checkTags(read.fields.tags, facts.deploymentTags),
    ...read.pairFields.flatMap((pair, index) => eligibilities[index]?.problems ?? checkFields({ pair, index, offer })),
    ...checkAddresses(read, offer.hosts.subnets?.values() ?? [], offer.instanceTypes),
  ];
  const launchable = launchablePart(read, offer);
  if (launchable === undefined) return { problems, prepared: undefined };

  const { plan, known, isWhole, isConcurrencyKnown } = launchable;
  const vcpuQuotas = isConcurrencyKnown ? facts.vcpuQuotas : {};
  const bootable = [...offer.instanceTypes.values()].flatMap((type) => instanceTypeFacts(type) ?? []);
  const instanceTypes = Object.fromEntries(bootable.map((type) => [type.instanceType, type]));
  const seed = plan.seed ?? seedOf(runId);
  const knownPair = (index: number, pair: PairPlan) => ({
    ...elementAt(known, index).eligibility,
    ...cpuCreditsOf(pair, offer.instanceTypes),
    hasBareMetal: hasBareMetal(pair, offer),
    ends: plannedHosts(pair, offer.hosts),
  });
  const pairs = expandPlan(plan, knownPair, seed, offer.instanceTypes).map((pair) => ({
    ...pair,
    // The index is that in the plan as written, because invalid pairs were left out here.
    planPairIndex: elementAt(known, pair.planPairIndex).planPairIndex,
  }));
  const { earlierBuckets, deploymentLimits } = facts;
  const { region } = offer.hosts;
  const scaledModel = scaledModelOf(facts.deploymentTags ?? {});
  const priced = { pairs, instanceTypes, earlierBuckets, scaledModel, workOf, ...pricesOf(region, plan.prices) };
  const forecast = forecastRun(priced);
  const unfulfillable = [
    ...checkLimits({ ...plan, vcpuQuotas, isPart: !isWhole }, forecast, pairs, instanceTypes),
    ...(deploymentLimits === undefined
      ? []
      : checkDeploymentLimits(deploymentLimits, {
          plan: { ...plan, concurrency: isConcurrencyKnown ? plan.concurrency : 0 },
          // Neither a plan's own prices nor another Region's may lower what a deployment's limit is held against.
          upper: forecastRun({ ...priced, prices: atLeastListPrices(region, plan.prices) }),
          launchedCount: pairs.filter(isLaunched).length,
        })),
    ...checkApplicableExpectations(read, eligibilities, pairs),
  ];
  const allProblems = [...problems, ...unfulfillable];
  if (read.plan === undefined || problems.length > 0) return { problems: allProblems, prepared: undefined };
  const words = planWords(plan, (pair) => isZoneRelationUnknown({ pair, offer }), offer.privateWaysOut);
  const forecastText = renderForecast(forecast, pairs, words, facts.textWidth) + expectationsText(plan);
  const { concurrency, warnings } = allowedConcurrency({ ...plan, vcpuQuotas }, pairs, instanceTypes);
  const prepared = {
    plan: { ...read.plan, concurrency },
    region,
    seed,
    instanceTypes,
    pairs,
    forecast,
    forecastText,
    forecastWarnings: warningLines(planWarnings(forecast, pairs, words)),
    warnings,
  };
  return { problems: allProblems, prepared };
}

/** Returns the facts about a measurement that its price depends on and only its tool knows. */
export function workOf(measurement: PlannedMeasurement): MeasurementWork {
  const module = toolModule(measurement.tool);
  return {
    kind: module.kind(measurement),
    isBetweenHosts: !module.usesPayloadBucket,
    expectedSeconds: measureExpectedSeconds(measurement),
    limitSeconds: measurementLimitSeconds(measurement),
  };
}

/** @param isRelationUnknown whether the zone relation of a pair is unknown; never if an account has been asked */
export function planWords(
  plan: Pick<BenchmarkPlan, 'pairs'>,
  isRelationUnknown: (pair: PairPlan) => boolean = () => false,
  privateWaysOut: Offer['privateWaysOut'] = new Map(),
): PlanWords {
  const planned = ({ planPairIndex }: PlannedPair) => elementAt(plan.pairs, planPairIndex);
  return {
    labelOf: (measurement) => `${measurement.tool} ${settingsInWords(measurement)}`,
    isZoneRelationUnknown: (pair) => isRelationUnknown(planned(pair)),
    hasOwnImage: (pair, role) => isOwnImage(planned(pair)[role]?.imageId),
    hasPrivateWayOut: (pair, role) => {
      const known = pair.candidateSubnets.map((subnets) => privateWaysOut.get(subnets[role].subnetId));
      const [first] = known;
      return known.every((each) => each === first) ? first : undefined;
    },
  };
}

/** Fields that decide what is launched, and at which price. */
const PRICED_FIELDS = ['repetitions', 'concurrency', 'prices', 'pairs', 'measurements'] as const;

/**
 * Returns the part of a plan that could be launched, whatever is wrong with the rest. The whole plan costs at least as
 * much and needs at least as many hosts, so a limit that even this part exceeds is reported together with the other
 * problems. The part is whole if nothing that is launched was left out or replaced by a default.
 * @returns undefined if nothing can be launched, or more pairs than a run can have
 */
function launchablePart({ plan: whole, fields, mended, writtenFields }: ReadPlan, offer: Offer) {
  const known = mended.pairs.flatMap((pair, planPairIndex) => {
    if (pair === undefined) return [];
    const eligibility = checkEligibility({ pair, index: planPairIndex, offer });
    return eligibility.problems.length > 0 ? [] : [{ pair, planPairIndex, eligibility }];
  });
  const measurements = mended.measurements.filter((entry) => entry !== undefined);
  const pairs = known.map(({ pair }) => pair);
  const isUnreadable = (field: keyof BenchmarkPlan) => writtenFields.has(field) && fields[field] === undefined;
  const defaults = { repetitions: 1, concurrency: 1 };
  const plan: BenchmarkPlan = {
    ...(whole ?? { ...defaults, ...fields, name: '', order: 'as_written', dryRun: true }),
    pairs,
    measurements,
    // If the prices or the concurrency can't be read, there is nothing to compare with these limits.
    maxCostUsd: isUnreadable('prices') ? undefined : fields.maxCostUsd,
    maxInstances: isUnreadable('concurrency') ? undefined : fields.maxInstances,
  };
  const isNothing = pairs.length === 0 || measurements.length === 0;
  if (isNothing || pairCount(plan, offer.instanceTypes) > MAX_PAIRS) return undefined;
  const isWhole = pairs.length === mended.pairs.length && !PRICED_FIELDS.some(isUnreadable);
  return { plan, known, isWhole, isConcurrencyKnown: !isUnreadable('concurrency') };
}

/** Reports subnets that the plan names but that have too few free addresses for all simultaneous hosts. */
export function checkAddresses(
  { fields, pairs }: ReadPlan,
  subnets: Iterable<NamedSubnet>,
  instanceTypes: Offer['instanceTypes'],
): PlanProblem[] {
  // A field that can't be read counts as 1: every pair is launched at least once, and at least one at a time.
  const { concurrency = 1, repetitions = 1, measurements } = fields;
  const freshPairs = (pair: PairPlan | undefined) =>
    pair === undefined || measurements === undefined
      ? repetitions
      : pairCount({ repetitions, pairs: [pair], measurements }, instanceTypes);
  return [...subnets].flatMap(({ subnetId: value, availableAddressCount }) => {
    const naming = pairs.map((pair) => HOST_ROLES.filter((role) => pair?.[role]?.subnetId === value));
    const pairCountWith = (hosts: number) =>
      sum(pairs.filter((_, index) => naming[index]?.length === hosts).map(freshPairs));
    const withBoth = Math.min(concurrency, pairCountWith(2));
    const needed = 2 * withBoth + Math.min(concurrency - withBoth, pairCountWith(1));
    const index = naming.findIndex(({ length }) => length > 0);
    const [role] = naming[index] ?? [];
    if (role === undefined || needed <= availableAddressCount) return [];
    const allowed =
      `a subnet with at least ${needed} free ${needed === 1 ? 'address' : 'addresses'}, one for each host that can be in ` +
      `it at the same time (this one has ${availableAddressCount})`;
    return [{ path: hostPath({ index }, role, 'subnetId'), value, allowed }];
  });
}
