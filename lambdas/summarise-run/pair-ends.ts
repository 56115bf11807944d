/**
 * When the hosts of each pair ended, as far as it is recorded:
 *
 * | recorded                                            | the hosts ended                                  |
 * | --------------------------------------------------- | ------------------------------------------------ |
 * | the run says that the pair is complete              | when its teardown began, according to the run    |
 * | the pair's execution ended by itself                | when its teardown began, according to its output |
 * | it was stopped, timed out, or failed in another way | when it ended: reap-run terminates them at once  |
 * | it is no longer known, which is after 90 days       | when an earlier summary says                     |
 * | it still runs, or was never known                   | not known                                        |
 * | a refused launch had one host                       | when launch-pair terminated it                   |
 */
import pMap from 'p-map';
import type { HostLife, PairLife } from '../../domain/forecast/pair-life-cost';
import type { HostRole } from '../../domain/model/host-role';
import { type PlannedRun, isLaunched, type PlannedMeasurement, type PlannedPair } from '../../domain/model/planned-run';
import type { LaunchedHost, PairOutcome, PairSuccess } from '../../domain/workflow/contracts';
import type { Execution } from '../adapters/sfn';
import type { RunFolding } from '../result-store/folding';
import type { ResultFinder, ResultReader } from '../result-store/reader';
import { EXECUTION_ENDINGS, causeInWords, tellingErrorName } from '../shared/execution-endings';
import type { MeasurementResult } from '../../domain/model/result';
import type { PairSummary } from '../../domain/run/summary';
import { pairExecutionName } from '../../domain/workflow/identifiers';

const CONCURRENT_OBJECTS = { concurrency: 32 };

type Store = Pick<ResultFinder & ResultReader & RunFolding, 'launches' | 'hosts' | 'refusedLaunch' | 'earlierCost'>;

/** When the hosts of pairs ended, by pair id, if the run itself or an earlier summary says so. */
export async function knownHosts(
  store: Store,
  { runId, pairs }: PlannedRun,
  outcomes: readonly PairOutcome[],
): Promise<Map<string, string>> {
  const { pairs: earlier } = await store.earlierCost(runId);
  return new Map([
    ...earlier.flatMap(({ pairId, goneAt }) => (goneAt === undefined ? [] : [[pairId, goneAt] as const])),
    ...outcomes.flatMap(({ pairIndex, tearDownStartedAtMillis: millis }) => {
      const pair = pairs[pairIndex];
      return pair === undefined || millis === undefined ? [] : [[pair.pairId, new Date(millis).toISOString()] as const];
    }),
  ]);
}

/** The launch and the end of each pair's hosts, by pair id. */
export async function pairLives(
  store: Store,
  { runId, pairs }: PlannedRun,
  executions: ReadonlyMap<string, Execution>,
  ends: ReadonlyMap<string, string>,
): Promise<Map<string, PairLife>> {
  const launches = await store.launches(runId);
  const lifeOf = async (pairId: string): Promise<PairLife> => {
    const isTried = launches.isTried(pairId);
    const refused = await Promise.all(
      launches.refusedAttempts(pairId).map((attempt) => store.refusedLaunch(runId, pairId, attempt)),
    );
    const discarded = refused.flatMap(({ discarded: host }): HostLife[] =>
      host === null
        ? []
        : // launch-pair launches the server first, so the discarded host is always the server.
          [{ role: 'server', instanceType: host.instanceType, launchedAt: host.launchedAt, goneAt: host.terminatedAt }],
    );
    const hosts = launches.hasHosts(pairId) ? await store.hosts(runId, pairId) : undefined;
    if (hosts === undefined) {
      const areAllKnown = !isTried || refused.length > 0;
      const warnings = areAllKnown ? [] : ['what its launch has cost is unknown: the launch left no record'];
      return { hosts: discarded, isTried, areAllKnown, warnings };
    }
    const { client, server, launchedAt, isDisplaced } = hosts;
    const { goneAt, warnings } = endOf(executions.get(pairId), ends.get(pairId));
    const lifeOfHost = (role: HostRole, host: LaunchedHost): HostLife => ({
      role,
      instanceType: host.instanceType,
      launchedAt: host.launchedAt ?? launchedAt,
      goneAt,
    });
    return {
      hosts: [...discarded, lifeOfHost('client', client), lifeOfHost('server', server)],
      isTried,
      areAllKnown: true,
      clientZone: client.zone,
      serverZone: server.zone,
      clientZoneId: client.zoneId,
      serverZoneId: server.zoneId,
      isDisplaced,
      clientSubnetId: client.subnetId,
      serverSubnetId: server.subnetId,
      clientVpcId: client.vpcId,
      serverVpcId: server.vpcId,
      clientImageId: client.imageId,
      serverImageId: server.imageId,
      warnings,
    };
  };
  const lives = await pMap(pairs, async ({ pairId }) => [pairId, await lifeOf(pairId)] as const, CONCURRENT_OBJECTS);
  return new Map(lives);
}

function endOf(
  execution: Execution | undefined,
  knownEnd: string | undefined,
): { readonly goneAt?: string; readonly warnings: readonly string[] } {
  const unknown = (why: string) => ({ warnings: [`how long its hosts ran is unknown: ${why}`] });
  if (execution === undefined && knownEnd !== undefined) return { goneAt: knownEnd, warnings: [] };
  if (execution === undefined) return unknown("the pair's execution is not known, or not any more");
  const tornDownAt = tearDownStart(execution.status === 'SUCCEEDED' ? execution.output : execution.cause);
  if (tornDownAt !== undefined) return { goneAt: tornDownAt.toISOString(), warnings: [] };
  const ending = `the pair's execution ${EXECUTION_ENDINGS[execution.status]}`;
  // Step Functions gives no time at which a redrive begins.
  if (execution.endedAt === undefined || execution.status === 'SUCCEEDED') return unknown(ending);
  return {
    goneAt: execution.endedAt.toISOString(),
    warnings: [`the price of its hosts is up to when ${ending}, and they were terminated after that`],
  };
}

/** @returns undefined if the pair's state machine did not write the text */
function tearDownStart(text: string | undefined): Date | undefined {
  try {
    const { tearDownStartedAtMillis: millis } = JSON.parse(text ?? '') as Partial<PairSuccess>;
    return typeof millis === 'number' ? new Date(millis) : undefined;
  } catch {
    return undefined;
  }
}

/** DescribeExecution is throttled per account, so the lookups of a thousand pairs take a while. */
const CONCURRENT_LOOKUPS = { concurrency: 8 };

/**
 * The executions of launched pairs by pair id: of incomplete pairs, to learn the reason, and of pairs whose hosts ended
 * at an unknown time. A pair that was never started has none.
 */
export async function pairExecutions(
  run: PlannedRun,
  outcomes: readonly PairOutcome[],
  results: ReadonlyMap<string, MeasurementResult>,
  ends: ReadonlyMap<string, string>,
  describePairExecution: (name: string) => Promise<Execution | undefined>,
): Promise<Map<string, Execution>> {
  const asked = run.pairs.filter(
    (pair) => isLaunched(pair) && !(ends.has(pair.pairId) && isComplete(pair, outcomes, results)),
  );
  const found = await pMap(
    asked,
    async ({ pairId }) => [pairId, await describePairExecution(pairExecutionName(run.runId, pairId))] as const,
    CONCURRENT_LOOKUPS,
  );
  return new Map(found.flatMap(([pairId, execution]) => (execution === undefined ? [] : [[pairId, execution]])));
}

/** A stopped run reports no outcomes, so its pairs are judged by their results alone. */
function isComplete(
  { pairIndex, measurements }: PlannedPair,
  outcomes: readonly PairOutcome[],
  results: ReadonlyMap<string, MeasurementResult>,
): boolean {
  const isMeasured = measurements.every((measurement) => isGood(measurement, results));
  return isMeasured && !outcomes.some((outcome) => outcome.pairIndex === pairIndex && outcome.status === 'failed');
}

export function pairSummaries(
  run: PlannedRun,
  outcomes: readonly PairOutcome[],
  results: ReadonlyMap<string, MeasurementResult>,
  executions: ReadonlyMap<string, Execution>,
): PairSummary[] {
  const summarise = (pair: PlannedPair): PairSummary => {
    const { pairId, clientType, serverType } = pair;
    if (!isLaunched(pair)) return { pairId, status: 'not_applicable', reason: null, clientType, serverType };
    if (isComplete(pair, outcomes, results))
      return { pairId, status: 'complete', reason: null, clientType, serverType };
    const reason = failureOf(executions.get(pairId), pair, results);
    return { pairId, status: 'failed', reason, clientType, serverType };
  };
  return run.pairs.map(summarise);
}

/** A measurement that can't be made has no result before the run is summarised. */
function isGood(
  { measurementId, notApplicable }: PlannedMeasurement,
  results: ReadonlyMap<string, MeasurementResult>,
): boolean {
  const status = results.get(measurementId)?.status;
  return status === 'complete' || status === 'not_applicable' || (status === undefined && notApplicable !== undefined);
}

function failureOf(
  execution: Execution | undefined,
  pair: PlannedPair,
  results: ReadonlyMap<string, MeasurementResult>,
): string {
  if (execution === undefined) return 'the pair was never started';
  if (execution.status === 'RUNNING') return "the pair's execution is still running";
  if (execution.status === 'SUCCEEDED') {
    const reasons = pair.measurements.flatMap((measurement) => {
      if (isGood(measurement, results)) return [];
      const { measurementId } = measurement;
      return [`${measurementId}: ${results.get(measurementId)?.reason ?? 'no result was written'}`];
    });
    return reasons.join('; ') || "the pair's execution succeeded, but its run counts it as failed";
  }
  const cause = causeInWords(execution);
  if (execution.status === 'FAILED' && cause) return cause;
  const ending = `the pair's execution ${EXECUTION_ENDINGS[execution.status]}`;
  const words = [cause, tellingErrorName(execution)].find((text) => text);
  return words === undefined ? ending : `${ending}: ${words}`;
}
