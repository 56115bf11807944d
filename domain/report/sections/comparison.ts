/** Shows what changed against the run that the plan names, and against all earlier runs. */
import { contendedShare, contentionInWords, OF_THIS_RUN } from '../../model/contended';
import type { MeasurementResult } from '../../model/result';
import { LOOK_BACK_DAYS } from '../../tables/query-text';
import { counted } from '../../text/format';
import { labelledCells, type Cell } from '../../repetitions/cells';
import { OF_THE_EARLIER_RUN, type ComparedCell, type EarlierCell } from '../../run/comparison';
import type { EarlierRunsCell } from '../../run/earlier-runs';
import { LEAST_CHANGE_THAT_MATTERS } from '../../repetitions/figure-change';
import type { ReportInput } from '../../run/report-input';
import { REPORTS_PREFIX, reportKey } from '../../workflow/object-keys';
import { changedCount, changeRows, changeTable, type ChangeRow } from '../page/change-table';
import { badge, withNotes } from '../page/columns';
import { html, type Html, type HtmlValue } from '../page/html';
import type { Section } from '../page/table';

export function runComparisonSection({ comparedRun }: ReportInput): Section | undefined {
  if (comparedRun === undefined) return undefined;
  const { earlierRunId, compared, onlyNow, onlyEarlier } = comparedRun;
  return {
    id: 'run-comparison',
    title: `Compared with run ${earlierRunId}`,
    html: html`
      ${lead('the earlier run', compared)}
      ${compared.length === 0 && html`<p>The two runs have no measurement in common.</p>`}
      ${changes(compared, OF_THE_EARLIER_RUN, ({ cell }) => ['earlier ', ids(cell.results, inRun(earlierRunId))])}
      ${onlyIn('this run', onlyNow)}
      ${onlyIn(
        'the earlier run',
        onlyEarlier.map(({ cell }) => cell),
        inRun(earlierRunId),
      )}
    `,
  };
}

export function earlierRunsSection({ earlierRuns, earlierRunsUnavailable }: ReportInput): Section | undefined {
  if (earlierRuns === undefined && earlierRunsUnavailable === undefined) return undefined;
  const unavailable = html`<p>Earlier runs could not be queried: ${earlierRunsUnavailable}</p>`;
  const body = earlierRuns === undefined ? unavailable : allEarlierRuns(earlierRuns);
  return { id: 'comparison', title: 'Compared with earlier runs', html: body };
}

function allEarlierRuns(compared: readonly ComparedCell<EarlierRunsCell>[]): Html {
  if (compared.length === 0) return html`<p>No earlier run measured the same pairs in the same way.</p>`;
  return html`${lead(`all runs of the ${LOOK_BACK_DAYS} days before it`, compared)}
  ${changes(compared, 'of the earlier runs', (earlier) => `${counted(earlier.count, 'earlier measurement')}, ${days(earlier)}`)}`;
}

const days = ({ firstDay, lastDay }: EarlierRunsCell) =>
  firstDay === undefined || firstDay === lastDay ? lastDay : `${firstDay} to ${lastDay}`;

function lead(other: string, compared: readonly ComparedCell[]): Html {
  const count = changedCount(compared);
  return html`<p class="lead">
      A change compares a figure of this run with the same figure of ${other}. Only measurements with the same types,
      conditions, tool and settings are compared. If both sides have the same zones, each zone is compared by itself.
      Each 95 % interval is for one change by itself. All figures are judged together, so about one in 20 changes called
      beyond the noise is chance. A change of less than ${100 * LEAST_CHANGE_THAT_MATTERS} % is too small to matter.
    </p>
    ${count && html`<p>${count}</p>`}`;
}

/** Shows the changes beyond the noise; the table of all compared figures is folded. */
function changes<Earlier extends EarlierCell>(
  compared: readonly ComparedCell<Earlier>[],
  ofEarlier: string,
  earlierWords: (earlier: Earlier) => HtmlValue,
): Html {
  const rows = changeRows(compared);
  const changed = rows.filter(({ change }) => change.isBeyondNoise);
  const { rows: labels } = labelledCells(compared.map(({ now }) => now));
  const titles = compared.map(({ now, earlier }, index) => {
    const contention = contentionInWords([
      { ...contendedShare(now.results), which: OF_THIS_RUN },
      { ...earlier.contended, which: ofEarlier },
    ]);
    const measurements = [ids(now.results), '; ', earlierWords(earlier)];
    return withNotes(
      labels[index]?.label,
      measurements,
      contention && [badge('warn', 'processors busy'), ` ${contention}`],
    );
  });
  const table = (label: string, shown: readonly ChangeRow[]) => changeTable(label, shown, titles);
  const all = `All ${counted(rows.length, 'compared figure')}`;
  return html`
    ${changed.length > 0 && html`<div class="card">${table('Changes beyond the noise', changed)}</div>`}
    ${
      rows.length > changed.length &&
      html`<div class="card">
        <details>
          <summary>${all}</summary>
          ${table(all, rows)}
        </details>
      </div>`
    }
  `;
}

const NAMED = 12;

function onlyIn(which: string, cells: readonly Cell[], linked: Linked = asText): Html | undefined {
  const { rows, shared } = labelledCells(cells);
  const names = rows.map(({ item: { results }, label }, index) => [
    index > 0 && '; ',
    linked(results[0].measurementId),
    rows.length > 1 && ` (${label})`,
  ]);
  if (names.length === 0) return undefined;
  const rest = names.length > NAMED && `; and ${names.length - NAMED} more`;
  return html`<p class="sub">Only in ${which}, ${shared}: ${names.slice(0, NAMED)}${rest}</p>`;
}

/** How the id of a measurement is shown. */
type Linked = (measurementId: string) => HtmlValue;

/** An id of this run, which becomes a link to its card where there is one. */
const asText: Linked = (measurementId) => measurementId;

/** An id of another run may be one of this run as well, so it links to that run's report, which lies beside this one. */
const inRun =
  (runId: string): Linked =>
  (measurementId) =>
    html`<a href="../${reportKey(runId).slice(REPORTS_PREFIX.length)}#${measurementId}">${measurementId}</a>`;

function ids(results: readonly MeasurementResult[], linked: Linked = asText): HtmlValue {
  const all = results.map(({ measurementId }) => linked(measurementId));
  if (all.length > 3) return [all[0], ' to ', all.at(-1), ` (${all.length})`];
  return all.map((id, index) => [index > 0 && ', ', id]);
}
