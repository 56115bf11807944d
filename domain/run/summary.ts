/** `summary.json`: the outcome of a run, for programs. Existing keys stay as they are; new keys may be added. */
import { CONDITION_NAMES } from '../model/conditions';
import type { MeasurementResult } from '../model/result';
import type { RunCost } from '../model/cost';
import { SETTING_NAMES } from '../model/settings';
import type { PlannedRun } from '../model/planned-run';
import type { ProbedPath } from '../model/probed-path';
import { resultToJson, type WithVerdictJson } from '../model/verdict-json';
import type { RunOutcome } from '../workflow/contracts';
import { cellsOf, repetitionSummaries, type RepetitionSummary } from './cells';
import { runComparison, type ComparedCell, type ComparedRun, type RunComparison } from './comparison';
import { earlierMedians, type Comparison, type EarlierRunsCell } from './earlier-runs';
import type { RunExpectations } from './expectations';

export interface PairSummary {
  readonly pairId: string;
  /** `not_applicable`: nothing can be measured on the pair, so it was not launched. */
  readonly status: 'complete' | 'failed' | 'not_applicable';
  /** Why the pair is not complete; null when it is. */
  readonly reason: string | null;
  readonly clientType: string;
  readonly serverType: string;
}

/** The fields that a reader of verdicts needs. Hosts and published figures are in the whole result and in its row. */
const SUMMARISED = [
  'measurementId',
  'pairId',
  'tool',
  'kind',
  'scaledModel',
  ...SETTING_NAMES,
  'clientType',
  'serverType',
  ...CONDITION_NAMES,
  'repetition',
  'pairRepetition',
  'planPairIndex',
  'planMeasurementIndex',
  'isDisplaced',
  'status',
  'toolVersion',
  'startedAt',
  'endedAt',
  'sampleCount',
  'statistics',
  'cpuContention',
  'verdict',
  'otherDirection',
  'packetVerdict',
  'latencyVerdict',
  'warnings',
] as const satisfies readonly (keyof MeasurementResult)[];

export type MeasurementSummary = Pick<MeasurementResult, (typeof SUMMARISED)[number]> & {
  /** Why the status is not `complete`; null when it is. */
  readonly reason: string | null;
};

export interface RunSummary {
  readonly schema: 'network-benchmark.summary.v1';
  readonly runId: string;
  readonly planName: string;
  readonly outcome: RunOutcome['outcome'];
  readonly createdAt: string;
  readonly endedAt: string;
  /** The price as estimated before the first launch; null where it is unknown. */
  readonly expectedUsd: number | null;
  readonly upperUsd: number | null;
  /** The price as it came; null where it is unknown. The parts of each pair are in `cost.json` beside this file. */
  readonly costUsd: number | null;
  /** Why prices are unknown or not exact, by pair. */
  readonly costWarnings: readonly string[];
  /** Why the run ended early; null when it did not. */
  readonly interruptedReason: string | null;
  readonly pairs: readonly PairSummary[];
  readonly measurements: readonly MeasurementSummary[];
  /** One entry for each figure of each cell that was measured more than once. */
  readonly repetitions: readonly RepetitionSummary[];
  /** The comparison with the run that the plan names; null when it names none, or one without results. */
  readonly comparedRun: RunComparison | null;
  /** What earlier runs measured in the same way; empty when there were none. */
  readonly comparisons: readonly Comparison[];
  /** What the plan expects, and whether it is met; absent for a plan that expects nothing. */
  readonly expectations?: RunExpectations;
  /** How the routes of the path own were before anything was measured; absent for a run without one that was probed. */
  readonly probedPaths?: readonly ProbedPath[];
  /** What a reader should know about how this summary was made. */
  readonly warnings: readonly string[];
  readonly report: string;
  /** The user's own tags, of the deployment and the plan, on everything that the run made; absent without any. */
  readonly tags?: PlannedRun['tags'];
  /** What was measured is a model of EC2 on this scale; absent on EC2 itself. */
  readonly scaledModel?: PlannedRun['scaledModel'];
}

/** The contract of `summary.json`: the exact form in which it is written. */
export type RunSummaryJson = Omit<RunSummary, 'measurements'> & {
  readonly measurements: readonly WithVerdictJson<MeasurementSummary>[];
};

export function summaryToJson(summary: RunSummary): RunSummaryJson {
  return { ...summary, measurements: summary.measurements.map(resultToJson) };
}

export interface SummaryInput extends Pick<RunSummary, 'pairs' | 'endedAt' | 'interruptedReason' | 'warnings'> {
  readonly run: Pick<PlannedRun, 'runId' | 'createdAt' | 'expectedUsd' | 'upperUsd' | 'tags' | 'scaledModel'> & {
    readonly plan: Pick<PlannedRun['plan'], 'name'>;
  };
  readonly results: readonly MeasurementResult[];
  /** Absent where nothing was launched for want of a plan. */
  readonly cost?: RunCost;
  /** The comparison with all earlier runs; empty where they could not be queried. */
  readonly earlierRuns: readonly ComparedCell<EarlierRunsCell>[];
  /** The comparison with the run that the plan names, where that run has results. */
  readonly comparedRun?: ComparedRun;
  readonly expectations?: RunExpectations;
  readonly probedPaths?: readonly ProbedPath[];
  readonly reportUri: string;
}

export function runSummary(input: SummaryInput): RunSummary {
  const { run, results, pairs, endedAt, interruptedReason, earlierRuns, comparedRun, warnings, reportUri } = input;
  const { cost } = input;
  return {
    schema: 'network-benchmark.summary.v1',
    runId: run.runId,
    planName: run.plan.name,
    outcome: outcomeOf(results, pairs, interruptedReason),
    createdAt: run.createdAt,
    endedAt,
    expectedUsd: run.expectedUsd,
    upperUsd: run.upperUsd,
    costUsd: cost?.costUsd ?? null,
    costWarnings: cost?.pairs.flatMap((pair) => pair.warnings.map((warning) => `${pair.pairId}: ${warning}`)) ?? [],
    interruptedReason,
    pairs,
    measurements: results.map(measurementSummary),
    repetitions: repetitionSummaries(cellsOf(results)),
    comparedRun: comparedRun === undefined ? null : runComparison(comparedRun),
    comparisons: earlierMedians(earlierRuns),
    expectations: input.expectations,
    probedPaths: input.probedPaths?.length === 0 ? undefined : input.probedPaths,
    warnings,
    report: reportUri,
    tags: Object.keys(run.tags ?? {}).length === 0 ? undefined : run.tags,
    scaledModel: run.scaledModel,
  };
}

function measurementSummary(result: MeasurementResult): MeasurementSummary {
  const kept = Object.fromEntries(SUMMARISED.flatMap((key) => (key in result ? [[key, result[key]]] : [])));
  return { ...(kept as Omit<MeasurementSummary, 'reason'>), reason: result.reason ?? null };
}

/** A run is complete only when everything applicable was measured, no pair failed and nothing interrupted the run. */
function outcomeOf(
  results: readonly Pick<MeasurementResult, 'status'>[],
  pairs: readonly Pick<PairSummary, 'status'>[],
  interruptedReason: string | null,
): RunOutcome['outcome'] {
  const isWhole = results.every(({ status }) => status === 'complete' || status === 'not_applicable');
  if (isWhole && pairs.every(({ status }) => status !== 'failed') && interruptedReason === null) return 'complete';
  const hasMeasured = results.some(({ status }) => status === 'complete' || status === 'truncated');
  return hasMeasured ? 'incomplete' : 'failed';
}

export interface RunWithExpectations {
  readonly outcome: RunOutcome['outcome'];
  /** Undefined for a plan that expects nothing. */
  readonly expectations?: Pick<RunExpectations, 'outcome' | 'failsRun' | 'judged'>;
}

/** Whether all was measured, and only the plan's `failOn` makes the run fail. */
export function failsOnlyByExpectations({ outcome, expectations }: RunWithExpectations): boolean {
  return outcome === 'complete' && expectations?.outcome === 'not_met' && expectations.failsRun;
}

/** Whether the execution of the run is red, as the state machine decides it. */
export function hasFailed(run: RunWithExpectations): boolean {
  return run.outcome !== 'complete' || failsOnlyByExpectations(run);
}

/** Stated of a run whose plan has nothing applicable; such a run did not fail. */
export const NOTHING_APPLICABLE =
  'Nothing that the plan asks for can be measured, so nothing was launched. The reasons are below.';
