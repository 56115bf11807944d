/**
 * The part of a plan that could be launched, whatever is wrong with the rest. Its price and its hosts are the least that
 * the whole plan has, so that limits which even this part exceeds are reported together with what is wrong.
 */
import { elementAt } from '../maths/elements';
import type { PlannedPair } from '../model/planned-run';
import { checkEligibility, cpuCreditsOf, hasBareMetal, type PairEligibility } from './check-eligibility';
import { plannedEnds } from './check-ends';
import { MAX_PAIRS } from './check-plan';
import { expandPlan, pairCount } from './expand-plan';
import type { Offer } from './offer';
import type { ReadPlan } from './read-plan';
import type { BenchmarkPlan } from './schema';

export interface LaunchablePart {
  readonly plan: BenchmarkPlan;
  /** Whether nothing that is launched was left out or replaced by a default. */
  readonly isWhole: boolean;
  readonly isConcurrencyKnown: boolean;
  readonly eligibilities: readonly PairEligibility[];
  /** The index in the written plan of each of `plan.pairs`. */
  readonly planPairIndices: readonly number[];
}

/** Fields that what is launched, and its price, depend on. */
const PRICED_FIELDS = ['repetitions', 'concurrency', 'prices', 'pairs', 'measurements'] as const;

/** @returns undefined where nothing can be launched, or more than a run can carry */
export function launchablePart(
  { plan: whole, fields, mended, writtenFields }: ReadPlan,
  offer: Offer,
): LaunchablePart | undefined {
  const known = mended.pairs.flatMap((pair, planPairIndex) => {
    if (pair === undefined) return [];
    const eligibility = checkEligibility(pair, planPairIndex, offer);
    return eligibility.problems.length > 0 ? [] : [{ pair, planPairIndex, eligibility }];
  });
  const measurements = mended.measurements.filter((entry) => entry !== undefined);
  const pairs = known.map(({ pair }) => pair);
  const isUnreadable = (field: keyof BenchmarkPlan) => writtenFields.has(field) && fields[field] === undefined;
  const plan: BenchmarkPlan = {
    ...(whole ?? {
      ...fields,
      name: '',
      repetitions: fields.repetitions ?? 1,
      concurrency: fields.concurrency ?? 1,
      order: 'as_written',
      dryRun: true,
    }),
    pairs,
    measurements,
    // Without the prices, or how many pairs run at once, there is nothing to compare with these limits.
    maxCostUsd: isUnreadable('prices') ? undefined : fields.maxCostUsd,
    maxInstances: isUnreadable('concurrency') ? undefined : fields.maxInstances,
  };
  if (pairs.length === 0 || measurements.length === 0 || pairCount(plan, offer.instanceTypes) > MAX_PAIRS)
    return undefined;
  const isWhole = pairs.length === mended.pairs.length && !PRICED_FIELDS.some(isUnreadable);
  return {
    plan,
    isConcurrencyKnown: !isUnreadable('concurrency'),
    isWhole,
    eligibilities: known.map(({ eligibility }) => eligibility),
    planPairIndices: known.map(({ planPairIndex }) => planPairIndex),
  };
}

/** @returns the fresh pairs of the part, with the indices of the written plan */
export function expandPart(
  { plan, eligibilities, planPairIndices }: LaunchablePart,
  offer: Offer,
  seed: number,
): PlannedPair[] {
  const pairs = expandPlan(
    plan,
    (index, pair) => ({
      ...elementAt(eligibilities, index),
      ...cpuCreditsOf(pair, offer.instanceTypes),
      hasBareMetal: hasBareMetal(pair, offer),
      ends: plannedEnds(pair, offer.ends),
    }),
    seed,
    offer.instanceTypes,
  );
  return pairs.map((pair) => ({ ...pair, planPairIndex: elementAt(planPairIndices, pair.planPairIndex) }));
}
