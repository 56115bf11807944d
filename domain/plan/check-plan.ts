/** The rules that a plan can be checked against without asking EC2. */
import { measureCommand, prepareCommand, probeCommand, serveCommand } from '../tools/commands';
import { toolModule, type MeasurementPlan } from '../tools/catalogue';
import { ENA_EXPRESS_FRAME_BYTES, ETHERNET_FRAME_BYTES, JUMBO_FRAME_BYTES } from '../model/ec2-facts';
import type { HostDeadlines } from '../model/planned-run';
import { RUN_ID_PATTERN } from '../workflow/identifiers';
import type { PlanProblem } from '../workflow/error-names';
import { HISTORY_EVENT_BUDGET, hostDeadlines, pairHistoryEvents } from '../workflow/polling';
import { checkPath } from './check-hosts';
import { checkExpectations } from './check-expectations';
import { measurementsPerPair, pairCount, plannedMeasurement, routeOf, type InstanceTypes } from './expand-plan';
import type { ReadPlan } from './read-plan';
import type { PairPlan } from './schema';
import { formInWords, strayCharactersInWords } from './text-forms';
import { largest } from '../maths/statistics';

/**
 * Each pair is an iteration of an inline Map, which takes about a dozen of the run's 25,000 history events, and the
 * inputs and outcomes of all pairs have to fit into a state of at most 256 KiB.
 */
export const MAX_PAIRS = 1_000;

export function checkRunId(runId: string): PlanProblem[] {
  if (RUN_ID_PATTERN.test(runId)) return [];
  const allowed = `${formInWords(RUN_ID_PATTERN.source)}${strayCharactersInWords(RUN_ID_PATTERN.source, runId)}`;
  return [{ path: 'execution.name', value: runId, allowed }];
}

/**
 * @param hasBareMetal whether any host of the plan is bare metal, for which a pair waits longer; false where no one
 *   knows yet
 * @param instanceTypes empty where no one has looked any up
 */
export function checkPlan(
  read: ReadPlan,
  hasBareMetal: boolean,
  instanceTypes: InstanceTypes = new Map(),
): PlanProblem[] {
  const { fields, pairs, measurements } = read;
  return [
    ...pairs.flatMap((pair, index) => (pair ? [...checkPath(pair, index), ...checkMtu(pair, index)] : [])),
    ...measurements.flatMap((measurement, index) => (measurement ? toolProblems(measurement, index) : [])),
    ...checkHistory(
      pairs.filter((pair) => pair !== undefined),
      measurements.filter((measurement) => measurement !== undefined),
      hostDeadlines(hasBareMetal),
      instanceTypes,
    ),
    ...checkPairCount(fields, instanceTypes),
    ...checkExpectations(read),
  ];
}

function checkMtu({ enaExpress, mtuBytes }: PairPlan, index: number): PlanProblem[] {
  if (enaExpress === 'off' || mtuBytes <= ENA_EXPRESS_FRAME_BYTES) return [];
  const allowed =
    `${ENA_EXPRESS_FRAME_BYTES} or ${ETHERNET_FRAME_BYTES} with ENA Express, which carries no packet of UDP above ` +
    `${ENA_EXPRESS_FRAME_BYTES} bytes`;
  return [{ path: `plan.pairs[${index}].mtuBytes`, value: mtuBytes, allowed }];
}

/** The problem is reported where it can be changed: `repetitions`, or `pairs` where there is only one repetition. */
function checkPairCount(
  { repetitions, pairs, measurements }: ReadPlan['fields'],
  instanceTypes: InstanceTypes,
): PlanProblem[] {
  if (repetitions === undefined || pairs === undefined || measurements === undefined) return [];
  const count = pairCount({ repetitions, pairs, measurements }, instanceTypes);
  if (count <= MAX_PAIRS) return [];
  const allowed = `fewer, because a run has at most ${MAX_PAIRS} fresh pairs (this one would have ${count})`;
  if (repetitions > 1) return [{ path: 'plan.repetitions', value: repetitions, allowed }];
  const value = `${pairs.length} pairs, launched ${count} times, because some measurements spend its credits`;
  return [{ path: 'plan.pairs', value, allowed }];
}

function toolProblems(measurement: MeasurementPlan, index: number): PlanProblem[] {
  const problems = toolModule(measurement.tool).problems?.(measurement) ?? [];
  return problems.map(({ key, allowed }) => ({
    path: `plan.measurements[${index}].${key}`,
    value: (measurement as Readonly<Record<string, unknown>>)[key],
    allowed,
  }));
}

/** Step Functions aborts an execution that reaches the history limit, without a teardown: no pair may come near it. */
function checkHistory(
  pairs: readonly PairPlan[],
  measurements: readonly MeasurementPlan[],
  deadlines: HostDeadlines,
  instanceTypes: InstanceTypes,
): PlanProblem[] {
  const context = { runId: '', pairId: '', bucketName: '', serverAddress: '', payloadBucketName: '' };
  const prepare = prepareCommand(context, {
    mtuBytes: JUMBO_FRAME_BYTES,
    path: 'nlb',
    enaExpress: 'off',
    zoneRelation: 'same_zone',
  });
  // Most pairs of a plan are alike.
  const routes = new Map(
    pairs.map((pair) => routeOf(pair, instanceTypes)).map((route) => [JSON.stringify(route), route]),
  );
  const groups = [...routes.values()].flatMap((route) =>
    measurementsPerPair(measurements, route).map((group) => ({ group, path: route.path })),
  );
  const events = largest([
    0,
    ...groups.map(({ group, path }) => {
      const planned = group.map((measurement, index) => plannedMeasurement('p0001', index, measurement));
      return pairHistoryEvents(
        deadlines,
        prepare,
        planned.map((one) => ({ serve: serveCommand(context, one), measure: measureCommand(context, one) })),
        probeCommand(context, { path, measurements: planned }),
      );
    }),
  ]);
  if (events <= HISTORY_EVENT_BUDGET) return [];
  const value = `${measurements.length} measurements with up to ${events} events on one pair`;
  const allowed = `fewer or shorter, because the execution of one pair has room for ${HISTORY_EVENT_BUDGET} events in its history (latency measurements that spend no network credits share a pair)`;
  return [{ path: 'plan.measurements', value, allowed }];
}
