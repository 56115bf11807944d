/** What the plan expects, and whether it is met. */
import { limitInWords } from '../../model/expectation';
import { spaced } from '../../text/format';
import { countsInWords, foundInWords, judgedFigure, metLast } from '../../run/expectation-words';
import type { ExpectationStatus, RunExpectations } from '../../run/expectations';
import { html, type Html } from '../page/html';
import type { ReportInput } from '../../run/report-input';
import type { Section } from '../page/contents';
import { reportTable } from '../page/columns';

const TONES: Readonly<Record<ExpectationStatus, string>> = {
  met: 'good',
  not_met: 'bad',
  undecided: 'warn',
  not_measured: 'bad',
};

/** For the head of the page; nothing for a plan that expects nothing. */
export function expectationsBadge(expectations: RunExpectations | undefined): Html | undefined {
  if (expectations === undefined) return undefined;
  const { outcome } = expectations;
  return html` <span class="badge ${TONES[outcome]}">expectations ${spaced(outcome)}</span>`;
}

/** The words are ASCII, because the execution's output has them too. */
const inHtml = (words: string | undefined) => words?.replace(/(?<=\d) us\b/g, ' µs');

export function expectationsSection({ expectations }: ReportInput): Section | undefined {
  if (expectations === undefined) return undefined;
  const { outcome, failsRun, comparedRunId } = expectations;
  return {
    id: 'expectations',
    title: `Expectations ${spaced(outcome)}`,
    html: html`
      <p class="lead">
        What the plan expects: ${countsInWords(expectations)}. An expectation is met where the 95 % interval of the
        figure lies within the limit, and undecided where the interval contains the limit; more repetitions make it
        narrower.${comparedRunId !== null && ` Changes are against run ${comparedRunId}.`}${failsRun && ' The execution failed because of it, as the plan asks.'}
      </p>
      <div class="card">
        ${reportTable(
          `All ${expectations.judged.length} expectations`,
          [
            {
              heading: 'Expectation',
              isRoomy: true,
              cell: (judged) => {
                const [name, of] = judgedFigure(judged);
                return html`<b>${name}</b>${of}<small>${judged.path}</small>`;
              },
            },
            {
              heading: 'Expected',
              cell: ({ figure, limit, limitValue }) => inHtml(limitInWords({ figure, limit, value: limitValue })),
            },
            {
              heading: 'Measured (95 %)',
              cell: (judged) =>
                html`${inHtml(foundInWords(judged))}${
                  judged.measurementIds.length > 0 && html`<small>${judged.measurementIds.join(', ')}</small>`
                }`,
            },
            {
              heading: 'Outcome',
              isRoomy: true,
              cell: ({ status, note }) =>
                html`<span class="badge ${TONES[status]}">${spaced(status)}</span
                  >${note !== null && html`<small>${note}</small>`}`,
            },
          ],
          metLast(expectations),
        )}
      </div>
    `,
  };
}
