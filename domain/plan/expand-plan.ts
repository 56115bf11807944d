/**
 * Expands a plan into fresh pairs and the measurements on each. Spent network credits change how a host behaves, so
 * each measurement that spends some gets a fresh pair; the first of these runs after all measurements that spend none.
 */
import { PREPARE_DEADLINE_SECONDS, PROBE_DEADLINE_SECONDS, measurementLimitSeconds } from '../tools/commands';
import { toolModule, type MeasurementPlan } from '../tools/catalogue';
import { measurementId, pairId } from '../workflow/identifiers';
import { CONNECT_DEADLINE_SECONDS, hostDeadlines } from '../workflow/polling';
import type { BandwidthFacts, MessageRoute } from '../forecast/message-volume';
import { sum } from '../maths/statistics';
import type { PairEligibility } from './check-eligibility';
import { shuffled } from '../maths/random-order';
import { zip } from '../maths/elements';
import type { PairConditions } from '../model/conditions';
import type { HostDeadlines, PlannedMeasurement, PlannedPair } from '../model/planned-run';
import type { BenchmarkPlan, PairPlan } from './schema';
import { candidatesByRepetition } from './zone-blocks';

/** Time for a second launch in another zone, the analyses and the teardown. */
const HOST_MARGIN_SECONDS = 300;

/** Each measurement of a pair has its own port, so that a late client cannot reach the server of the next one. */
const FIRST_PORT = 5201;

/** Instance types by name, as far as they were looked up. */
export type InstanceTypes = ReadonlyMap<string, BandwidthFacts>;

/** One repetition of a plan's measurement on a pair. */
interface PlacedMeasurement {
  readonly plan: MeasurementPlan;
  readonly planMeasurementIndex: number;
  /** The number of the repetition, from 1. */
  readonly pairRepetition: number;
}

/** A pair of the plan with its subnets in order of preference, or the reason why it has none, and its hosts. */
export interface KnownPair
  extends
    Pick<PairEligibility, 'candidateSubnets' | 'zoneRelation' | 'notApplicable'>,
    Pick<PlannedPair, 'clientCpuCredits' | 'serverCpuCredits' | 'ends'> {
  readonly hasBareMetal: boolean;
}

/** @param knownPair called with an index of `plan.pairs` and the pair at that index */
export function expandPlan(
  plan: BenchmarkPlan,
  knownPair: (planPairIndex: number, pair: PairPlan) => KnownPair,
  seed: number,
  instanceTypes: InstanceTypes,
): PlannedPair[] {
  const known = plan.pairs.map((pair, planPairIndex) => ({ pair, planPairIndex, ...knownPair(planPairIndex, pair) }));
  const pairs = zip(known, candidatesByRepetition(known)).map(([facts, candidatesOf]) => ({
    ...facts,
    candidatesOf,
    groups: measurementsPerPair(plan.measurements, {
      ...routeOf(facts.pair, instanceTypes),
      zoneRelation: facts.zoneRelation,
    }),
  }));
  const wanted = Array.from({ length: plan.repetitions }, (_, index) => index + 1).flatMap((repetition) =>
    pairs.flatMap((planned) => planned.groups.map((group) => ({ ...planned, repetition, group }))),
  );
  const ordered = plan.order === 'random' ? shuffled(wanted, seed) : wanted;
  return ordered.map(({ repetition, group, ...planned }, pairIndex) => {
    const { pair, planPairIndex, candidatesOf, notApplicable, hasBareMetal, ends } = planned;
    const id = pairId(pairIndex);
    const conditions = conditionsOf(planned);
    const deadlines = hostDeadlines(hasBareMetal);
    const measurements = group.map((placed, index) => {
      const planned = plannedMeasurement(id, index, placed);
      const reason = notApplicable ?? toolModule(planned.tool).notApplicable?.(planned, conditions);
      return reason === undefined ? planned : { ...planned, notApplicable: reason };
    });
    return {
      clientType: pair.clientType,
      serverType: pair.serverType,
      ...conditions,
      pairId: id,
      pairIndex,
      planPairIndex,
      repetition,
      candidateSubnets: candidatesOf(repetition),
      lifetimeSeconds: lifetimeSeconds(measurements, pair, deadlines),
      hostDeadlines: deadlines,
      ends,
      measurements,
    };
  });
}

/** The conditions known before the launch: those that the plan states, and those that follow from it. */
function conditionsOf({
  pair,
  zoneRelation,
  clientCpuCredits,
  serverCpuCredits,
}: Omit<KnownPair, 'candidateSubnets'> & { readonly pair: PairPlan }): PairConditions {
  const { clientType, serverType, client, server, ...written } = pair;
  return {
    ...written,
    zoneRelation,
    clientCpuCredits,
    serverCpuCredits,
    clientPinnedPlace: client?.subnetId ?? client?.zoneId,
    serverPinnedPlace: server?.subnetId ?? server?.zoneId,
    clientPinnedImage: client?.imageId,
    serverPinnedImage: server?.imageId,
  };
}

/** The facts about a pair that its load depends on, as far as they are known before the launch. */
export function routeOf(pair: PairPlan, instanceTypes: InstanceTypes): MessageRoute {
  return {
    ...pair,
    // The zones of pinned hosts are decided later, and may be the same.
    zoneRelation: pair.zoneRelation ?? 'same_zone',
    clientFacts: instanceTypes.get(pair.clientType),
    serverFacts: instanceTypes.get(pair.serverType),
  };
}

export function pairCount(
  { repetitions, pairs, measurements }: Pick<BenchmarkPlan, 'repetitions' | 'pairs' | 'measurements'>,
  instanceTypes: InstanceTypes,
): number {
  return repetitions * sum(pairs.map((pair) => measurementsPerPair(measurements, routeOf(pair, instanceTypes)).length));
}

/** Divides the measurements on a pair of the plan among fresh pairs: one list for each fresh pair. */
export function measurementsPerPair(
  measurements: readonly MeasurementPlan[],
  route: MessageRoute,
): PlacedMeasurement[][] {
  const placed = measurements.flatMap((plan, planMeasurementIndex) =>
    Array.from({ length: toolModule(plan.tool).repetitionsOnPair?.(plan) ?? 1 }, (_, index) => ({
      plan,
      planMeasurementIndex,
      pairRepetition: index + 1,
    })),
  );
  const spends = ({ plan }: PlacedMeasurement) => {
    const module = toolModule(plan.tool);
    return module.spendsCredits(module.settings(plan), route);
  };
  const [first, ...others] = placed.filter(spends);
  const harmless = placed.filter((each) => !spends(each));
  return [[...harmless, ...(first === undefined ? [] : [first])], ...others.map((each) => [each])];
}

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

function lifetimeSeconds(
  measurements: readonly PlannedMeasurement[],
  { path }: PairPlan,
  { onlineDeadlineSeconds }: HostDeadlines,
): number {
  return (
    HOST_MARGIN_SECONDS +
    onlineDeadlineSeconds +
    PREPARE_DEADLINE_SECONDS +
    // Only the paths `nlb` and `own` need time to set up.
    (path === 'nlb' ? CONNECT_DEADLINE_SECONDS : 0) +
    (path === 'own' ? PROBE_DEADLINE_SECONDS : 0) +
    measurements.reduce((sum, measurement) => sum + measurementLimitSeconds(measurement), 0)
  );
}
