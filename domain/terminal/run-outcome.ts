/** Makes the output of a run's execution, which is also its cause if it fails. */
import { scaledModelInWords } from '../model/scaled-model';
import { comparisonLine } from '../run/comparison';
import type { RunExpectations } from '../run/expectations';
import { NOTHING_APPLICABLE, type RunSummary } from '../run/summary';
import type { RunLinks, RunOutcome } from '../workflow/contracts';
import { answerSentence } from './answer-lines';
import { expectationLines } from './expectation-lines';
import { verdictLine } from './verdict-line';

/** Stays below 32,000 characters, at which the state machine cuts the cause (JSON); Step Functions allows 32,768. */
const OUTCOME_CHARACTERS = 30_000;

export function runOutcome(summary: RunSummary, summaryUri: string, links: RunLinks): RunOutcome {
  const failedPairs = summary.pairs
    .filter((pair) => pair.status === 'failed')
    .map((pair) => (pair.reason === null ? pair.pairId : `${pair.pairId}: ${pair.reason}`));
  // Failures and expectations matter most, so each may take a third of the characters; verdicts get the rest.
  const shownFailures = withinCharacters(failedPairs, OUTCOME_CHARACTERS / 3);
  const expectations = expectationsOutcome(summary.expectations);
  const used = JSON.stringify([shownFailures, expectations, links]).length;
  const rest = OUTCOME_CHARACTERS - used - 1_000;
  return {
    runId: summary.runId,
    outcome: summary.outcome,
    expectations,
    failedPairs: shownFailures,
    verdicts: withinCharacters([...runLines(summary), ...summary.measurements.map(verdictLine)], rest),
    report: summary.report,
    summary: summaryUri,
    links,
  };
}

function expectationsOutcome(expectations: RunExpectations | undefined): RunOutcome['expectations'] {
  if (expectations === undefined) return undefined;
  const { outcome, failsRun } = expectations;
  return { outcome, failsRun, lines: withinCharacters(expectationLines(expectations), OUTCOME_CHARACTERS / 3) };
}

/** Returns the lines about the run as a whole, which come first so that they are never cut off. */
function runLines({ measurements, comparedRun, scaledModel, answer }: RunSummary): string[] {
  const isNothing = measurements.length > 0 && measurements.every(({ status }) => status === 'not_applicable');
  const model = scaledModel && scaledModelInWords(scaledModel);
  const sentence = answerSentence(answer);
  return [
    ...(sentence === undefined ? [] : [sentence]),
    ...(model === undefined ? [] : [model]),
    ...(isNothing ? [NOTHING_APPLICABLE] : []),
    ...(comparedRun === null ? [] : [comparisonLine(comparedRun)]),
  ];
}

/** Returns as many lines as fit into JSON of this length; a last line counts the others. */
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
