/** `summary.json`: what a run came to, for programs. Existing keys stay; new ones may be added. */
import { CONDITION_NAMES } from '../model/conditions';
import type { MeasurementResult } from '../model/result';
import { SETTING_NAMES } from '../model/settings';
import type { PlannedRun } from '../model/planned-run';
import { resultToJson, type WithVerdictJson } from '../model/verdict-json';
import type { RunOutcome } from '../workflow/contracts';
import { cellsOf } from './cells';
import { repetitionSummaries, type RepetitionSummary } from './repetitions';
import { comparisonLine, runComparison, type ComparedCell, type ComparedRun, type RunComparison } from './comparison';
import { earlierMedians, type Comparison, type EarlierRunsCell } from './earlier-runs';
import { verdictLine } from './verdict-table';

export interface PairSummary {
  readonly pairId: string;
  /** `not_applicable`: nothing can be measured on it, and it was not launched. */
  readonly status: 'complete' | 'failed' | 'not_applicable';
  /** Why the pair is not complete; null when it is. */
  readonly reason: string | null;
  readonly clientType: string;
  readonly serverType: string;
}

/** Of the whole result, what a reader of verdicts needs; hosts and published figures are in the result and its row. */
const SUMMARISED = [
  'measurementId',
  'pairId',
  'tool',
  'kind',
  ...SETTING_NAMES,
  'clientType',
  'serverType',
  ...CONDITION_NAMES,
  'repetition',
  'pairRepetition',
  'planPairIndex',
  'planMeasurementIndex',
  'status',
  'toolVersion',
  'startedAt',
  'endedAt',
  'sampleCount',
  'statistics',
  'verdict',
  'otherDirection',
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
  /** As planned, before the first launch; null is unknown. */
  readonly expectedUsd: number | null;
  readonly upperUsd: number | null;
  /** Why the run ended before its time; null when it did not. */
  readonly interruptedReason: string | null;
  readonly pairs: readonly PairSummary[];
  readonly measurements: readonly MeasurementSummary[];
  /** What was measured more than once, figure by figure. */
  readonly repetitions: readonly RepetitionSummary[];
  /** Against the run that the plan names; null when it names none, or one without results. */
  readonly comparedRun: RunComparison | null;
  /** How the same types did in earlier runs; empty when there were none. */
  readonly comparisons: readonly Comparison[];
  /** What a reader should know of how this summary was made. */
  readonly warnings: readonly string[];
  readonly report: string;
}

/** The contract: what is written as `summary.json`. */
export type RunSummaryJson = Omit<RunSummary, 'measurements'> & {
  readonly measurements: readonly WithVerdictJson<MeasurementSummary>[];
};

export function summaryToJson(summary: RunSummary): RunSummaryJson {
  return { ...summary, measurements: summary.measurements.map(resultToJson) };
}

export interface SummaryInput {
  readonly run: PlannedRun;
  readonly results: readonly MeasurementResult[];
  readonly pairs: readonly PairSummary[];
  readonly endedAt: string;
  readonly interruptedReason: string | null;
  /** Against all earlier runs; empty where these could not be asked. */
  readonly earlierRuns: readonly ComparedCell<EarlierRunsCell>[];
  /** Against the run that the plan names, where that has results. */
  readonly comparedRun?: ComparedRun;
  readonly warnings: readonly string[];
  readonly reportUri: string;
}

export function runSummary(input: SummaryInput): RunSummary {
  const { run, results, pairs, endedAt, interruptedReason, earlierRuns, comparedRun, warnings, reportUri } = input;
  return {
    schema: 'network-benchmark.summary.v1',
    runId: run.runId,
    planName: run.plan.name,
    outcome: outcomeOf(results, pairs, interruptedReason),
    createdAt: run.createdAt,
    endedAt,
    expectedUsd: run.expectedUsd,
    upperUsd: run.upperUsd,
    interruptedReason,
    pairs,
    measurements: results.map(measurementSummary),
    repetitions: repetitionSummaries(cellsOf(results)),
    comparedRun: comparedRun === undefined ? null : runComparison(comparedRun),
    comparisons: earlierMedians(earlierRuns),
    warnings,
    report: reportUri,
  };
}

/** Complete only when everything that could be measured was, and nothing went wrong around it. */
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

function measurementSummary(result: MeasurementResult): MeasurementSummary {
  const kept = Object.fromEntries(SUMMARISED.flatMap((key) => (key in result ? [[key, result[key]]] : [])));
  return { ...(kept as Omit<MeasurementSummary, 'reason'>), reason: result.reason ?? null };
}

/** A failed execution's cause has at most 32,768 characters, and the state machine cuts at 32,000: JSON must not be cut. */
const OUTCOME_CHARACTERS = 30_000;

/** The execution's output, or the cause of its failure: short however many pairs there are. */
export function runOutcome(summary: RunSummary, summaryUri: string): RunOutcome {
  const failedPairs = summary.pairs
    .filter((pair) => pair.status === 'failed')
    .map((pair) => (pair.reason === null ? pair.pairId : `${pair.pairId}: ${pair.reason}`));
  // Failures first: a third of the room is theirs.
  const shownFailures = withinCharacters(failedPairs, OUTCOME_CHARACTERS / 3);
  const rest = OUTCOME_CHARACTERS - JSON.stringify(shownFailures).length - 1_000;
  return {
    runId: summary.runId,
    outcome: summary.outcome,
    verdicts: withinCharacters([...runLines(summary), ...summary.measurements.map(verdictLineOf)], rest),
    failedPairs: shownFailures,
    report: summary.report,
    summary: summaryUri,
  };
}

/** A plan of which nothing can be: no failure, and said. */
export const NOTHING_APPLICABLE =
  'Nothing that the plan asks for can be measured, so nothing was launched; the reasons are below.';

/** What is to say of the run as a whole stands first, where nothing cuts it off. */
function runLines({ measurements, comparedRun }: RunSummary): string[] {
  const isNothing = measurements.length > 0 && measurements.every(({ status }) => status === 'not_applicable');
  return [...(isNothing ? [NOTHING_APPLICABLE] : []), ...(comparedRun === null ? [] : [comparisonLine(comparedRun)])];
}

function verdictLineOf(measurement: MeasurementSummary): string {
  const { reason, ...facts } = measurement;
  return verdictLine({ ...facts, ...(reason === null ? {} : { reason }) });
}

/** As many lines as fit, as JSON; what is left out is counted. */
function withinCharacters(lines: readonly string[], characters: number): string[] {
  const shown: string[] = [];
  let used = '["and 10000 more"]'.length;
  for (const line of lines) {
    used += JSON.stringify(line).length + 1;
    if (used > characters) return [...shown, `and ${lines.length - shown.length} more`];
    shown.push(line);
  }
  return shown;
}
