/** The message at the end of a run: how it ended, what changed, what it cost, and where its report is. */
import { sizeOfChange, type HistoryNews } from '../../domain/history/changes';
import type { MeasurementResult } from '../../domain/model/result';
import { scaledModelInWords } from '../../domain/model/scaled-model';
import { resultFromJson } from '../../domain/model/verdict-json';
import { comparisonLine } from '../../domain/run/comparison';
import { expectationLines, whyCountedAsFailed } from '../../domain/terminal/expectation-lines';
import { countsInWords } from '../../domain/run/expectation-words';
import type { RunSummaryJson } from '../../domain/run/summary';
import { verdictLine } from '../../domain/terminal/verdict-line';
import { counted, spaced } from '../../domain/text/format';
import { printable } from '../../domain/text/printable';
import { isScheduledRun } from '../../domain/workflow/identifiers';
import { answerLines, answerSentence } from '../../domain/terminal/answer-lines';
import { briefChange, changeLine, comparedLines } from '../../domain/terminal/change-lines';

export interface RunMessage {
  /** ASCII on one line of at most `MAX_SUBJECT_CHARACTERS`, as SNS requires for the subject of an e-mail. */
  readonly subject: string;
  readonly body: string;
}

export interface MessageInput extends HistoryNews {
  readonly summary: RunSummaryJson;
  readonly links: Readonly<Record<'report' | 'index' | 'execution', string>>;
  /** A link to the report that needs no account, and the hours for which it works at most. @default none */
  readonly openReport?: { readonly link: string; readonly hours: number };
  readonly stackName: string;
}

/** SNS requires less than 100 characters. */
export const MAX_SUBJECT_CHARACTERS = 99;
/** Nobody reads more lines than this in an e-mail; the report has all of them. */
const MAX_LINES = 20;
const MAX_LINE_CHARACTERS = 400;
const ANSWER_LINES = 6;

export function runMessage(input: MessageInput): RunMessage {
  return { subject: subjectOf(input), body: bodyOf(input) };
}

/** What is left of a plan's name must still tell one plan from another. */
const LEAST_NAME_CHARACTERS = 12;

/** `Network Bench: canary: complete, baseline of c5.xlarge fell by 18 %, 1 more`. A long name of a plan is cut. */
function subjectOf({ summary, changes, possibleChanges }: MessageInput): string {
  const { outcome, expectations } = summary;
  const ended = [
    isRefused(summary) ? 'refused' : outcome,
    ...(expectations === undefined ? [] : [`expectations ${spaced(expectations.outcome)}`]),
  ];
  const counts = [
    ...(changes.length === 0 ? [] : [counted(changes.length, 'change')]),
    ...(possibleChanges.length === 0 ? [] : [counted(possibleChanges.length, 'possible change')]),
  ];
  const before = 'Network Bench: ';
  const [first] = [...changes].sort((left, right) => sizeOfChange(right.change) - sizeOfChange(left.change));
  const others = [
    ...(changes.length > 1 ? [`${changes.length - 1} more`] : []),
    ...counts.slice(changes.length === 0 ? 0 : 1),
  ];
  const told = first === undefined ? undefined : `: ${[...ended, ascii(briefChange(first)), ...others].join(', ')}`;
  // A subject that says what changed leaves the plan's name some room, or else only counts the changes.
  const after =
    told !== undefined && told.length <= MAX_SUBJECT_CHARACTERS - before.length - LEAST_NAME_CHARACTERS
      ? told
      : `: ${[...ended, ...counts].join(', ')}`;
  return before + shortened(ascii(summary.planName), MAX_SUBJECT_CHARACTERS - before.length - after.length) + after;
}

function bodyOf({ summary, changes, possibleChanges, links, openReport, stackName }: MessageInput): string {
  const { expectations, pairs } = summary;
  const failures = pairs
    .filter(({ status }) => status === 'failed')
    .map(({ pairId, clientType, serverType, reason }) =>
      [`${pairId} ${clientType} to ${serverType}`, reason].filter((part) => part !== null).join(': '),
    );
  const paragraphs = [
    [answerSentence(summary.answer), ...outcomeLines(summary)].filter((line) => line !== undefined).join('\n'),
    summary.answer === undefined || summary.answer.rows.length < 2
      ? ''
      : section('The answer', answerLines(summary.answer), ANSWER_LINES),
    summary.scaledModel === undefined ? '' : `${scaledModelInWords(summary.scaledModel)}.`,
    section('Changes over the history of runs', [...changes, ...possibleChanges].map(changeLine)),
    comparison(summary),
    section('Warnings', summary.warnings),
    section(
      expectations && `Expectations ${spaced(expectations.outcome)}: ${countsInWords(expectations)}`,
      expectations === undefined ? [] : expectationLines(expectations),
    ),
    section('Pairs that failed', failures),
    section(
      'Verdicts',
      toldVerdicts(summary).map((measurement) => verdictLine(resultFromJson(measurement) as MeasurementResult)),
    ),
    priceLine(summary),
    [`Report:    ${links.report}`, `All runs:  ${links.index}`, `Execution: ${links.execution}`].join('\n'),
    openReport === undefined
      ? ''
      : `Anyone who has this link can read the report without signing in, for ${counted(openReport.hours, 'hour')} at most:` +
        `\n${openReport.link}`,
    `You get this message because the stack ${stackName} was deployed with your address or topic in its context "notify". ` +
      'To stop these messages, use the link that SNS adds below, or deploy the stack without the address.',
  ];
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`;
}

/** The answer tells the others; it leaves out measurements of packets, and those that are not complete. */
function toldVerdicts({ answer, measurements }: RunSummaryJson): RunSummaryJson['measurements'] {
  return measurements.filter(
    ({ kind, status }) => answer === undefined || kind === 'packets' || status === 'truncated' || status === 'failed',
  );
}

/** How the run ended and, if it is not complete or not as expected, why. */
function outcomeLines(summary: RunSummaryJson): string[] {
  const { planName, runId, outcome, interruptedReason, measurements } = summary;
  const run = `${isScheduledRun(runId) ? 'The scheduled run' : 'The run'} of the plan "${printable(planName)}" (${runId})`;
  const complete = measurements.filter(({ status }) => status === 'complete').length;
  const made = `${complete} of ${counted(measurements.length, 'measurement')} complete`;
  const ended = {
    complete: `is complete: ${made}.`,
    incomplete: `is incomplete: ${made}.`,
    failed: isRefused(summary) ? 'was refused, and nothing was launched.' : `failed: ${made}.`,
    dry_run: 'was a forecast.',
  }[outcome];
  return [
    `${run} ${ended}`,
    ...whyCountedAsFailed(summary),
    ...(interruptedReason === null ? [] : capped(interruptedReason.split('\n'))),
  ];
}

/** A plan that was refused has no pairs. */
function isRefused({ outcome, pairs, interruptedReason }: RunSummaryJson): boolean {
  return outcome === 'failed' && pairs.length === 0 && interruptedReason !== null;
}

function priceLine({ costUsd, expectedUsd, upperUsd, priceList }: RunSummaryJson): string {
  const usd = (value: number | null) => (value === null ? 'unknown' : `${value.toFixed(2)} USD`);
  if (costUsd === null && expectedUsd === null) return '';
  return `Price: ${usd(costUsd)}; estimated ${usd(expectedUsd)}, at most ${usd(upperUsd)}${priceList === undefined ? '' : ` (${priceList})`}.`;
}

/** The comparison with the run that the plan names; empty if it names none or that run could not be read. */
function comparison({ comparedRun, measurements }: RunSummaryJson): string {
  if (comparedRun === null) return '';
  const title = `C${comparisonLine(comparedRun).slice(1)}`;
  return section(title, comparedLines(comparedRun, measurements)) || `${title}.`;
}

function section(title: string | undefined, lines: readonly string[], most = MAX_LINES): string {
  if (title === undefined || lines.length === 0) return '';
  return [title, ...capped(lines, most).map((line) => `  ${line}`)].join('\n');
}

function capped(lines: readonly string[], most = MAX_LINES): string[] {
  const shown = lines.slice(0, most).map((line) => shortened(printable(line), MAX_LINE_CHARACTERS));
  const rest = lines.length - shown.length;
  return rest === 0 ? shown : [...shown, `and ${rest} more, in the report`];
}

function shortened(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 3)}...`;
}

/** Replaces each character that is not printable ASCII by a question mark. */
function ascii(text: string): string {
  return text.replace(/[^ -~]/gu, '?');
}
