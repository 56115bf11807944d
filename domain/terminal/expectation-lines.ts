/** Writes the judged expectations of a plan as lines for the execution's output, for mails and for a terminal. */
import { limitInWords } from '../model/expectation';
import type { JudgedExpectation, RunExpectations } from '../run/expectations';
import { countsInWords, foundInWords, judgedFigure, metLast } from '../run/expectation-words';
import { failsOnlyByExpectations, type RunWithExpectations } from '../run/summary';
import { spaced } from '../text/format';
import { printable } from '../text/printable';

export const expectationLines = (expectations: Pick<RunExpectations, 'judged'>) =>
  metLast(expectations).map(expectationLine);

function expectationLine(judged: JudgedExpectation): string {
  const { status, figure, limit, limitValue, note } = judged;
  const found = foundInWords(judged);
  const expected = limitInWords({ figure, limit, value: limitValue });
  const text = `${spaced(status)}: ${judgedFigure(judged).join('')}: ${found === undefined ? '' : `${found}, `}expected ${expected}`;
  return note === null ? text : `${text} (${note})`;
}

const WHY_COUNTED_AS_FAILED = 'The run counts as failed, because its plan says that unmet expectations fail the run.';

/** Says why a run fails although everything was measured; empty for any other run. */
export function whyCountedAsFailed(run: RunWithExpectations): string[] {
  return failsOnlyByExpectations(run) ? [WHY_COUNTED_AS_FAILED] : [];
}

/** Returns the outcome and a line for each limit; empty for a plan that expects nothing. */
export function expectationsText(run: RunWithExpectations): string {
  const { expectations } = run;
  if (expectations === undefined) return '';
  const lead = `expectations ${spaced(expectations.outcome)}: ${countsInWords(expectations)}`;
  const lines = expectationLines(expectations).map((line) => `  ${printable(line)}`);
  return [lead, ...lines, ...whyCountedAsFailed(run).map((why) => `The run is ${run.outcome}. ${why}`)].join('\n');
}
