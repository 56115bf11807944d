/**
 * From what was asked for to what is done: fresh pairs and the measurements on each. Latency is measured before
 * throughput, because a host that has spent its credits is a different host; for the same reason each throughput
 * measurement gets a fresh pair, the first of them the one that latency was measured on.
 */
import { PREPARE_DEADLINE_SECONDS, measurementLimitSeconds, TOOL_CATALOGUE } from '../measurement/tool-catalogue';
import { measurementId, pairId } from '../workflow/identifiers';
import { HOSTS_ONLINE_DEADLINE_SECONDS } from '../workflow/polling';
import type { PairSubnets, PlannedMeasurement, PlannedPair } from './planned-run';
import type { BenchmarkPlan, MeasurementPlan } from './schema';

/** Launching in another zone, analysing, tearing down. */
const HOST_MARGIN_SECONDS = 300;

/** Each measurement of a pair listens on a port of its own: a late client of the one before can't meet the next server. */
const FIRST_PORT = 5201;

/** @param candidateSubnets where the pair at an index of `plan.pairs` may be launched, in order of preference */
export function expandPlan(
  plan: BenchmarkPlan,
  candidateSubnets: (planPairIndex: number) => readonly PairSubnets[],
): PlannedPair[] {
  const groups = measurementsPerPair(plan.measurements);
  const candidates = plan.pairs.map((_, planPairIndex) => candidateSubnets(planPairIndex));
  const pairs: PlannedPair[] = [];
  for (let repetition = 1; repetition <= plan.repetitions; repetition += 1) {
    for (const [planPairIndex, pair] of plan.pairs.entries()) {
      for (const group of groups) {
        const pairIndex = pairs.length;
        const id = pairId(pairIndex);
        const measurements = group.map((measurement, index) => plannedMeasurement(id, index, measurement));
        pairs.push({
          pairId: id,
          pairIndex,
          planPairIndex,
          clientType: pair.clientType,
          serverType: pair.serverType,
          zoneRelation: pair.zoneRelation,
          placement: pair.placement,
          path: 'private',
          repetition,
          candidateSubnets: rotate(candidates[planPairIndex]!, pairIndex),
          lifetimeSeconds: lifetimeSeconds(measurements),
          measurements,
        });
      }
    }
  }
  return pairs;
}

/** How many fresh pairs a plan takes. */
export function pairCount(plan: BenchmarkPlan): number {
  return plan.repetitions * plan.pairs.length * measurementsPerPair(plan.measurements).length;
}

/** The measurements of the plan, one list for each fresh pair. */
export function measurementsPerPair(measurements: readonly MeasurementPlan[]): MeasurementPlan[][] {
  const harmless = measurements.filter((measurement) => !TOOL_CATALOGUE[measurement.tool].spendsCredits);
  const spending = measurements.filter((measurement) => TOOL_CATALOGUE[measurement.tool].spendsCredits);
  const [first, ...others] = spending;
  return [[...harmless, ...(first === undefined ? [] : [first])], ...others.map((measurement) => [measurement])];
}

/** A plan's measurement at its place on a pair. */
export function plannedMeasurement(
  pairIdText: string,
  index: number,
  measurement: MeasurementPlan,
): PlannedMeasurement {
  return { measurementId: measurementId(pairIdText, index), port: FIRST_PORT + index, ...measurement };
}

function lifetimeSeconds(measurements: readonly PlannedMeasurement[]): number {
  return (
    HOST_MARGIN_SECONDS +
    HOSTS_ONLINE_DEADLINE_SECONDS +
    PREPARE_DEADLINE_SECONDS +
    measurements.reduce((sum, measurement) => sum + measurementLimitSeconds(measurement), 0)
  );
}

/** Consecutive pairs begin with different subnets, so that a run spreads over zones. */
function rotate<T>(items: readonly T[], by: number): T[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
