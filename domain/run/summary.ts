/** `summary.json`: the outcome of a run, for programs. Existing keys stay as they are; new keys may be added. */
import type { RunAnswer } from '../model/answer';
import { runAnswer } from '../answer/run-answer';
import { CONDITION_NAMES } from '../model/conditions';
import type { MeasurementResult } from '../model/result';
import type { RunCost } from '../model/cost';
import { SETTING_NAMES } from '../model/settings';
import type { PlannedRun } from '../model/planned-run';
import type { ProbedPath } from '../model/probed-path';
import { resultToJson, type WithVerdictJson } from '../model/verdict-json';
import type { RunOutcome } from '../workflow/contracts';
import { cellsOf, repetitionSummaries, type RepetitionSummary } from '../repetitions/cells';
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

/** The fields of a result that the summary has; hosts and published figures are in the whole result and in its row. */
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
  /** The price as forecast before the first launch; null where it is unknown. */
  readonly expectedUsd: number | null;
  readonly upperUsd: number | null;
  /** The actual price; null where it is unknown. The parts of each pair are in `cost.json` beside this file. */
  readonly costUsd: number | null;
  /** Whose prices these rest on, and of which days; absent if nothing was priced, and in summaries of 0.3.0. */
  readonly priceList?: string;
  /** Why prices are unknown or not exact, by pair. */
  readonly costWarnings: readonly string[];
  /** Why the run ended early; null when it did not. */
  readonly interruptedReason: string | null;
  readonly pairs: readonly PairSummary[];
  readonly measurements: readonly MeasurementSummary[];
  /** What the run came to, as the report shows it; absent where nothing was measured, and in summaries of 0.3.0. */
  readonly answer?: RunAnswer;
  /** One entry for each figure of each cell that was measured more than once. */
  readonly repetitions: readonly RepetitionSummary[];
  /** The comparison with the run that the plan names; null when it names none, or one without results. */
  readonly comparedRun: RunComparison | null;
  /** The medians of earlier runs for each measurement; empty if nothing was measured in the same way before. */
  readonly comparisons: readonly Comparison[];
  /** The plan's expectations and whether they are met; absent for a plan that expects nothing. */
  readonly expectations?: RunExpectations;
  /** The results of `probe-path` on routes of the path `own`; absent if no route was probed. */
  readonly probedPaths?: readonly ProbedPath[];
  /** Problems while this summary was made. */
  readonly warnings: readonly string[];
  readonly report: string;
  /** The tags that the user set in the deployment and the plan; absent if there are none. */
  readonly tags?: PlannedRun['tags'];
  /** The scale of the model of EC2 that was measured; absent on EC2 itself. */
  readonly scaledModel?: PlannedRun['scaledModel'];
  /** The ARN of a user or role session, `schedule` or `unknown`; absent for a run without a plan. */
  readonly startedBy?: string;
}

/** The exact form of `summary.json`. */
export type RunSummaryJson = Omit<RunSummary, 'measurements'> & {
  readonly measurements: readonly WithVerdictJson<MeasurementSummary>[];
};

export function summaryToJson(summary: RunSummary): RunSummaryJson {
  return { ...summary, measurements: summary.measurements.map(resultToJson) };
}

export interface SummaryInput extends Pick<
  RunSummary,
  'pairs' | 'endedAt' | 'interruptedReason' | 'warnings' | 'startedBy'
> {
  readonly run: Pick<PlannedRun, 'runId' | 'createdAt' | 'expectedUsd' | 'upperUsd' | 'tags' | 'scaledModel'> & {
    readonly plan: Pick<PlannedRun['plan'], 'name'>;
  };
  readonly results: readonly MeasurementResult[];
  /** Absent if the run has no plan, so that nothing was launched. */
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
    priceList: cost?.priceList,
    costWarnings: cost?.pairs.flatMap((pair) => pair.warnings.map((warning) => `${pair.pairId}: ${warning}`)) ?? [],
    interruptedReason,
    pairs,
    measurements: results.map(measurementSummary),
    answer: runAnswer(results, cost?.pairs),
    repetitions: repetitionSummaries(cellsOf(results)),
    comparedRun: comparedRun === undefined ? null : runComparison(comparedRun),
    comparisons: earlierMedians(earlierRuns),
    expectations: input.expectations,
    probedPaths: input.probedPaths?.length === 0 ? undefined : input.probedPaths,
    warnings,
    report: reportUri,
    tags: Object.keys(run.tags ?? {}).length === 0 ? undefined : run.tags,
    scaledModel: run.scaledModel,
    startedBy: input.startedBy,
  };
}

export function measurementSummary(result: MeasurementResult): MeasurementSummary {
  const kept = Object.fromEntries(SUMMARISED.flatMap((key) => (key in result ? [[key, result[key]]] : [])));
  return { ...(kept as Omit<MeasurementSummary, 'reason'>), reason: result.reason ?? null };
}

/** A run is complete only if everything applicable was measured, no pair failed and nothing interrupted the run. */
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

/** Whether everything was measured and the run fails only because of the plan's `failOn`. */
export function failsOnlyByExpectations({ outcome, expectations }: RunWithExpectations): boolean {
  return outcome === 'complete' && expectations?.outcome === 'not_met' && expectations.failsRun;
}

/** Whether the execution of the run fails, by the same rule as in the state machine. */
export function hasFailed(run: RunWithExpectations): boolean {
  return run.outcome !== 'complete' || failsOnlyByExpectations(run);
}

/** A run whose plan has nothing applicable shows this text; it did not fail. */
export const NOTHING_APPLICABLE =
  'Nothing that the plan asks for can be measured, so nothing was launched. The reasons are below.';
