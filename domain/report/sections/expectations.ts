/** Shows the plan's expectations and whether they are met. */
import { limitInWords } from '../../model/expectation';
import { spaced } from '../../text/format';
import { countsInWords, foundInWords, judgedFigure, metLast } from '../../run/expectation-words';
import type { ExpectationStatus, JudgedExpectation, RunExpectations } from '../../run/expectations';
import type { ReportInput } from '../../run/report-input';
import { badge, withNotes } from '../page/columns';
import { html, type Html } from '../page/html';
import { column, roomyColumn, tableSection, type Section } from '../page/table';

const TONES = { met: 'good', not_met: 'bad', undecided: 'warn', not_measured: 'bad' } as const;

const statusBadge = (status: ExpectationStatus, of = '') => badge(TONES[status], `${of}${spaced(status)}`);

/** The badge in the head of the page; undefined for a plan that expects nothing. */
export function expectationsBadge(expectations: RunExpectations | undefined): Html | undefined {
  return expectations && html` ${statusBadge(expectations.outcome, 'expectations ')}`;
}

/** Replaces the ASCII `us` of words that are shared with the execution's output. */
const inHtml = (words: string | undefined) => words?.replace(/(?<=\d) us\b/g, ' µs');

export function expectationsSection({ expectations }: ReportInput): Section | undefined {
  if (expectations === undefined) return undefined;
  const { outcome, failsRun, comparedRunId } = expectations;
  return tableSection<JudgedExpectation>({
    id: 'expectations',
    title: `Expectations ${spaced(outcome)}`,
    lead: html`Expectations of the plan: ${countsInWords(expectations)}. An expectation is met if the 95 % interval of
    the figure lies within the limit, and undecided if the interval contains the limit. More repetitions make the
    interval
    narrower.${comparedRunId !== null && ` Changes are relative to run ${comparedRunId}.`}${
      failsRun && ' The execution failed because not all expectations are met, as the plan asks.'
    }`,
    label: `All ${expectations.judged.length} expectations`,
    columns: [
      roomyColumn('Expectation', (judged) => {
        const [name, of] = judgedFigure(judged);
        return withNotes(html`<b>${name}</b>${of}`, judged.path);
      }),
      column('Expected', ({ figure, limit, limitValue }) => inHtml(limitInWords({ figure, limit, value: limitValue }))),
      column('Measured (95 %)', (judged) => withNotes(inHtml(foundInWords(judged)), judged.measurementIds.join(', '))),
      roomyColumn('Outcome', ({ status, note }) => withNotes(statusBadge(status), note)),
    ],
    rows: metLast(expectations),
  });
}
