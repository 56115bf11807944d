/**
 * From what was asked for to what is done: fresh pairs and the measurements on each. Latency is measured before
 * throughput, because a host that has spent its credits is a different host; for the same reason each measurement that
 * spends credits gets a fresh pair, the first of them the one that all others were made on.
 */
import { PREPARE_DEADLINE_SECONDS, measurementLimitSeconds } from '../tools/commands';
import { toolModule } from '../tools/catalogue';
import { measurementId, pairId } from '../workflow/identifiers';
import { CONNECT_DEADLINE_SECONDS, HOSTS_ONLINE_DEADLINE_SECONDS } from '../workflow/polling';
import type { PairEligibility } from './check-eligibility';
import { shuffled } from '../maths/random-order';
import type { PlannedMeasurement, PlannedPair } from '../model/planned-run';
import type { BenchmarkPlan, MeasurementPlan, PairPlan } from './schema';

/** Launching in another zone, analysing, tearing down. */
const HOST_MARGIN_SECONDS = 300;

/** Each measurement of a pair listens on a port of its own: a late client of the one before can't meet the next server. */
const FIRST_PORT = 5201;

/** A measurement of the plan as often as it is made on one pair. */
export interface PlacedMeasurement {
  readonly plan: MeasurementPlan;
  readonly planMeasurementIndex: number;
  /** 1-based. */
  readonly pairRepetition: number;
}

type Eligibility = Pick<PairEligibility, 'candidateSubnets' | 'notApplicable'>;

/**
 * @param eligibilityOf where the pair at an index of `plan.pairs` may be launched, in order of preference, or why nowhere
 * @param seed what a random order is drawn from
 */
export function expandPlan(
  plan: BenchmarkPlan,
  eligibilityOf: (planPairIndex: number) => Eligibility,
  seed: number,
): PlannedPair[] {
  const groups = measurementsPerPair(plan.measurements);
  const eligibilities = plan.pairs.map((_, planPairIndex) => eligibilityOf(planPairIndex));
  const wanted = Array.from({ length: plan.repetitions }, (_, index) => index + 1).flatMap((repetition) =>
    plan.pairs.flatMap((pair, planPairIndex) => groups.map((group) => ({ repetition, pair, planPairIndex, group }))),
  );
  const ordered = plan.order === 'random' ? shuffled(wanted, seed) : wanted;
  return ordered.map(({ repetition, pair, planPairIndex, group }, pairIndex) => {
    const id = pairId(pairIndex);
    const { candidateSubnets, notApplicable } = eligibilities[planPairIndex]!;
    const measurements = group.map((placed, index) => {
      const planned = plannedMeasurement(id, index, placed);
      const reason = notApplicable ?? notApplicableReason(planned, pair);
      return reason === undefined ? planned : { ...planned, notApplicable: reason };
    });
    return {
      ...pair,
      pairId: id,
      pairIndex,
      planPairIndex,
      repetition,
      candidateSubnets: rotate(candidateSubnets, pairIndex),
      lifetimeSeconds: lifetimeSeconds(measurements, pair),
      measurements,
    };
  });
}

/** How many fresh pairs a plan takes. */
export function pairCount(plan: BenchmarkPlan): number {
  return plan.repetitions * plan.pairs.length * measurementsPerPair(plan.measurements).length;
}

/** The measurements of the plan, one list for each fresh pair. */
export function measurementsPerPair(measurements: readonly MeasurementPlan[]): PlacedMeasurement[][] {
  const placed = measurements.flatMap((plan, planMeasurementIndex) =>
    Array.from({ length: toolModule(plan.tool).repetitionsOnPair?.(plan) ?? 1 }, (_, index) => ({
      plan,
      planMeasurementIndex,
      pairRepetition: index + 1,
    })),
  );
  const spends = ({ plan }: PlacedMeasurement) => {
    const module = toolModule(plan.tool);
    return module.spendsCredits(module.settings(plan));
  };
  const [first, ...others] = placed.filter(spends);
  const harmless = placed.filter((each) => !spends(each));
  return [[...harmless, ...(first === undefined ? [] : [first])], ...others.map((each) => [each])];
}

/** A plan's measurement at its place on a pair. */
export function plannedMeasurement(
  pairIdText: string,
  index: number,
  { plan, planMeasurementIndex, pairRepetition }: PlacedMeasurement,
): PlannedMeasurement {
  return {
    measurementId: measurementId(pairIdText, index),
    planMeasurementIndex,
    pairRepetition,
    tool: plan.tool,
    port: FIRST_PORT + index,
    ...toolModule(plan.tool).settings(plan),
  };
}

function notApplicableReason(measurement: PlannedMeasurement, pair: PairPlan): string | undefined {
  return toolModule(measurement.tool).notApplicable?.(measurement, pair);
}

function lifetimeSeconds(measurements: readonly PlannedMeasurement[], { path }: PairPlan): number {
  return (
    HOST_MARGIN_SECONDS +
    HOSTS_ONLINE_DEADLINE_SECONDS +
    PREPARE_DEADLINE_SECONDS +
    // The other ways are there at once.
    (path === 'nlb' ? CONNECT_DEADLINE_SECONDS : 0) +
    measurements.reduce((sum, measurement) => sum + measurementLimitSeconds(measurement), 0)
  );
}

/** Consecutive pairs begin with different subnets, so that a run spreads over zones. */
function rotate<T>(items: readonly T[], by: number): T[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
