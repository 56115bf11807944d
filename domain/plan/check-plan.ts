/** Checks a plan against the rules that need no answer from EC2. */
import { largest } from '../maths/statistics';
import { ENA_EXPRESS_FRAME_BYTES, ETHERNET_FRAME_BYTES, JUMBO_FRAME_BYTES } from '../model/ec2-facts';
import type { HostDeadlines } from '../model/planned-run';
import { toolModule, type MeasurementPlan } from '../tools/catalogue';
import { measureCommand, prepareCommand, probeCommand, serveCommand } from '../tools/commands';
import { problemsAt, type PlanProblem } from '../workflow/error-names';
import { RUN_ID_PATTERN } from '../workflow/identifiers';
import { HISTORY_EVENT_BUDGET, hostDeadlines, pairHistoryEvents } from '../workflow/polling';
import { MAX_USER_TAGS, mergedTags, type UserTags } from '../workflow/user-tags';
import { checkExpectations } from './check-expectations';
import { checkPath } from './check-hosts';
import { measurementsPerPair, pairCount, plannedMeasurement, routeOf, type InstanceTypes } from './expand-plan';
import type { ReadPlan } from './read-plan';
import { benchmarkPlan, type PairPlan } from './schema';
import { formInWords, strayCharactersInWords } from './text-forms';

/**
 * Each pair is an iteration of an inline Map, which takes about a dozen of the run's 25,000 history events. The inputs
 * and outcomes of all pairs also have to fit into a state of at most 256 KiB.
 */
export const MAX_PAIRS = 1_000;

const FIELDS = Object.keys(benchmarkPlan.shape);
const byPath = new Intl.Collator('en', { numeric: true });

/** Sorts problems by the order of the schema's fields, then by list index; problems of unknown fields come last. */
export function inPlanOrder(problems: readonly PlanProblem[]): PlanProblem[] {
  const rank = ({ path }: PlanProblem) => {
    const field = FIELDS.indexOf(/^plan\.(\w+)/.exec(path)?.[1] ?? '');
    return field === -1 ? FIELDS.length : field;
  };
  return problems.toSorted((one, other) => rank(one) - rank(other) || byPath.compare(one.path, other.path));
}

export function checkRunId(runId: string): PlanProblem[] {
  const allowed = `${formInWords(RUN_ID_PATTERN.source)}${strayCharactersInWords(RUN_ID_PATTERN.source, runId)}`;
  return problemsAt('execution.name', runId, [[!RUN_ID_PATTERN.test(runId), allowed]]);
}

/** A resource must have room for the tags of the plan, of the deployment and of the service itself. */
export function checkTags(plan: UserTags = {}, deployment: UserTags = {}): PlanProblem[] {
  const [written, deployed] = [Object.keys(plan).length, Object.keys(deployment).length];
  const count = Object.keys(mergedTags(deployment, plan)).length;
  const beside = deployed === 0 ? '' : `, including the ${deployed} of the deployment`;
  const allowed = `fewer, because ${MAX_USER_TAGS} tags are allowed${beside} (this run would have ${count}; EC2 allows 50 per resource, and this service needs the others itself)`;
  return problemsAt('plan.tags', `${written} tags`, [[written > 0 && count > MAX_USER_TAGS, allowed]]);
}

/**
 * @param hasBareMetal whether any host is bare metal, so that pairs wait longer; false if that is not known yet
 * @param instanceTypes empty if none have been looked up
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
    ...checkHistory(read, hostDeadlines(hasBareMetal), instanceTypes),
    ...checkPairCount(fields, instanceTypes),
    ...checkExpectations(read),
  ];
}

function checkMtu({ enaExpress, mtuBytes }: PairPlan, index: number): PlanProblem[] {
  const allowed =
    `${ENA_EXPRESS_FRAME_BYTES} or ${ETHERNET_FRAME_BYTES} with ENA Express, which carries no UDP packet above ` +
    `${ENA_EXPRESS_FRAME_BYTES} bytes`;
  const isTooLong = enaExpress !== 'off' && mtuBytes > ENA_EXPRESS_FRAME_BYTES;
  return problemsAt(`plan.pairs[${index}].mtuBytes`, mtuBytes, [[isTooLong, allowed]]);
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
  const value = `${pairs.length} pairs, launched ${count} times, because each measurement that spends network credits gets a fresh pair`;
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

/** Step Functions aborts an execution at its history limit without a teardown, so no pair may come near that limit. */
function checkHistory(read: ReadPlan, deadlines: HostDeadlines, instanceTypes: InstanceTypes): PlanProblem[] {
  const measurements = read.measurements.filter((measurement) => measurement !== undefined);
  const context = { runId: '', pairId: '', bucketName: '', serverAddress: '', payloadBucketName: '' };
  const anyPair = { mtuBytes: JUMBO_FRAME_BYTES, path: 'nlb', enaExpress: 'off', zoneRelation: 'same_zone' } as const;
  const prepare = prepareCommand(context, anyPair);
  // Most pairs have the same route, so each distinct route is checked once.
  const routes = new Map(
    read.pairs
      .flatMap((pair) => (pair ? [routeOf(pair, instanceTypes)] : []))
      .map((route) => [JSON.stringify(route), route]),
  );
  const eventCounts = [...routes.values()].flatMap((route) =>
    measurementsPerPair(measurements, route).map((group) => {
      const planned = group.map((measurement, index) => plannedMeasurement('p0001', index, measurement));
      const commands = planned.map((one) => ({
        serve: serveCommand(context, one),
        measure: measureCommand(context, one),
      }));
      const probe = probeCommand(context, { path: route.path, measurements: planned });
      return pairHistoryEvents(deadlines, prepare, commands, probe);
    }),
  );
  const events = largest([0, ...eventCounts]);
  const value = `${measurements.length} measurements, with up to ${events} events in the history of one pair`;
  const allowed = `fewer or shorter, because the execution of one pair has room for ${HISTORY_EVENT_BUDGET} events in its history (latency measurements that spend no network credits share a pair)`;
  return problemsAt('plan.measurements', value, [[events > HISTORY_EVENT_BUDGET, allowed]]);
}
