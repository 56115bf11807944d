/** Shows what changed against the run that the plan names, and against all earlier runs. */
import { contendedShare, contentionInWords, OF_THIS_RUN } from '../../model/contended';
import type { MeasurementResult } from '../../model/result';
import { LOOK_BACK_DAYS } from '../../tables/query-text';
import { counted } from '../../text/format';
import { labelledCells, type Cell } from '../../repetitions/cells';
import {
  judgedFigures,
  TOO_SMALL,
  OF_THE_EARLIER_RUN,
  type ComparedCell,
  type EarlierCell,
  type FigureChange,
} from '../../run/comparison';
import type { EarlierRunsCell } from '../../run/earlier-runs';
import { LEAST_CHANGE_THAT_MATTERS, type ComparisonBasis } from '../../repetitions/figure-change';
import { bucketOfAnotherPair, figureByKey, type Figure } from '../../tables/figures';
import type { ReportInput } from '../../run/report-input';
import { chanceInWords, sharesInWords } from '../../run/words';
import { REPORTS_PREFIX, reportKey } from '../../workflow/object-keys';
import { badge, withNotes } from '../page/columns';
import { html, type Html, type HtmlValue } from '../page/html';
import { column, numberColumn, reportTable, type Section } from '../page/table';
import { figureColumn, inShort } from './repetitions';

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
  return html`${lead(`all runs of the last ${LOOK_BACK_DAYS} days before it`, compared)}
  ${changes(compared, 'of the earlier runs', (earlier) => `${counted(earlier.count, 'earlier measurement')}, ${days(earlier)}`)}`;
}

const days = ({ firstDay, lastDay }: EarlierRunsCell) =>
  firstDay === undefined || firstDay === lastDay ? lastDay : `${firstDay} to ${lastDay}`;

interface Row {
  readonly change: FigureChange;
  readonly figure: Figure;
  readonly cellIndex: number;
}

const rowsOf = (compared: readonly ComparedCell[]) =>
  compared.flatMap(({ figures }, cellIndex) =>
    figures.map((change): Row => ({ change, figure: figureByKey(change.figure), cellIndex })),
  );

function lead(other: string, compared: readonly ComparedCell[]): Html {
  const { figureCount, judged, changed } = judgedFigures(compared);
  const withoutInterval = figureCount - judged.length;
  const figures = counted(judged.length, 'figure');
  return html`<p class="lead">
      A change compares this run’s figure with that of ${other}. Only measurements with the same types, conditions, tool
      and settings are compared, and zone by zone where both sides have the same zones. Each 95 % interval is for one
      change by itself. All figures are judged together, so that about one in 20 changes called beyond the noise is
      chance. A change of less than ${100 * LEAST_CHANGE_THAT_MATTERS} % is too small to matter.
    </p>
    ${
      judged.length > 0 &&
      html`<p>
        <b>${changed.length} of ${figures}</b> changed beyond the
        noise.${withoutInterval > 0 && ` For ${withoutInterval} more the noise is unknown.`}
      </p>`
    }`;
}

/** Shows the changes beyond the noise; the table of all compared figures is folded. */
function changes<Earlier extends EarlierCell>(
  compared: readonly ComparedCell<Earlier>[],
  ofEarlier: string,
  earlierWords: (earlier: Earlier) => HtmlValue,
): Html {
  const rows = rowsOf(compared);
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
  const sharesPairsOf = ({ cellIndex }: Row) => compared[cellIndex]?.sharesPairs ?? false;
  const table = (label: string, shown: readonly Row[]) =>
    reportTable<Row>(
      label,
      [
        figureColumn,
        numberColumn('Earlier', ({ figure, change }) => side(figure, change.earlier)),
        numberColumn('Now', ({ figure, change }) => side(figure, change.now)),
        numberColumn('Change (95 %)', (row) => difference(row, sharesPairsOf(row))),
        column('Beyond the noise?', (row) => judgement(row.change, sharesPairsOf(row))),
      ],
      shown,
      { groups: { by: ({ cellIndex }) => cellIndex, title: ({ cellIndex }) => titles[cellIndex] } },
    );
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

/** Shows the figure of one side; a bucket also has the interval in which another pair's bucket lies. */
function side(figure: Figure, statistics: FigureChange['now']): Html {
  const other = bucketOfAnotherPair(figure, statistics);
  const between = other && `another pair: ${figure.format(other.low)}–${figure.format(other.high)}`;
  return withNotes(inShort(figure, statistics), between);
}

function difference(
  { figure, change: { difference: value, interval, ratio, shares } }: Row,
  isOnSharedPairs: boolean,
): HtmlValue {
  if (shares !== undefined) return sharesInWords(figure, shares, isOnSharedPairs ? 'measurements' : 'pairs');
  if (value === null) return undefined;
  const share = relative(ratio);
  return html`${signed(figure, value)}${share !== undefined && html` <small>${share}</small>`}${
    interval && html`<small class="nowrap">${signed(figure, interval.low)} to ${signed(figure, interval.high)}</small>`
  }`;
}

function signed({ format }: Figure, value: number): string {
  const text = format(Math.abs(value));
  return Number(text) === 0 ? text : `${value > 0 ? '+' : '−'}${text}`;
}

function relative(ratio: number | null): string | undefined {
  if (ratio === null || ratio === 1) return undefined;
  const percent = Math.abs(ratio - 1) * 100;
  return `${ratio > 1 ? '+' : '−'}${percent.toFixed(percent < 10 ? 1 : 0)} %`;
}

const NO_INTERVAL: Readonly<Partial<Record<ComparisonBasis, string>>> = {
  single_measurement: 'no interval, because one side is a single measurement',
  several_modes: 'several modes on the same pairs: other pairs may be at either',
};

function judgement(
  { basis, isBeyondNoise, interval, chance, difference: value, matters }: FigureChange,
  isOnSharedPairs: boolean,
): Html {
  if (isBeyondNoise === null) return withNotes(undefined, NO_INTERVAL[basis]);
  const reservation =
    RESERVATIONS[basis] ?? (isOnSharedPairs ? 'repeated on the same pair; another pair may differ by more' : undefined);
  const isAlone = !isBeyondNoise && interval !== null && value !== 0 && (interval.low > 0 || interval.high < 0);
  return withNotes(
    badge(isBeyondNoise ? 'warn' : '', isBeyondNoise ? 'beyond the noise' : 'within the noise'),
    isBeyondNoise && matters === false && TOO_SMALL,
    basis === 'several_modes' && chance !== null && chanceInWords(chance),
    isAlone && 'by itself it would count; among all compared figures it may be chance',
    reservation,
  );
}

const RESERVATIONS: Readonly<Partial<Record<ComparisonBasis, string>>> = {
  zones: 'compared zone by zone',
  one_repeated: 'one side is a single measurement, which may scatter like the repetitions of the other',
  own_intervals: 'single measurements, judged by their own intervals and the recorded differences between pairs',
};

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
