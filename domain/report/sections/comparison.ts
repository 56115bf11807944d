/** What changed: against the run that the plan names, and against all earlier runs. Both are drawn alike. */
import type { RepetitionStatistics } from '../../maths/repetition-statistics';
import { contendedShare, contentionInWords, OF_THIS_RUN } from '../../model/contended';
import type { MeasurementResult } from '../../model/result';
import { LOOK_BACK_DAYS } from '../../tables/query-text';
import { counted } from '../../text/format';
import type { Cell } from '../cells';
import {
  judgedFigures,
  OF_THE_EARLIER_RUN,
  type ComparedCell,
  type EarlierCell,
  type FigureChange,
} from '../comparison';
import { distinguish } from '../dimensions';
import type { EarlierRunsCell } from '../earlier-runs';
import type { ComparisonBasis } from '../figure-change';
import { figureByKey, type Figure } from '../../tables/figures';
import { html, type Html, type HtmlValue } from '../html';
import type { ReportInput } from '../report-input';
import type { Section } from '../section';
import { reportTable } from '../table';
import { inShort } from './repetitions';

/** Against the run that the plan names. */
export function runComparisonSection({ comparedRun }: ReportInput): Section | undefined {
  if (comparedRun === undefined) return undefined;
  const { earlierRunId, compared, onlyNow, onlyEarlier } = comparedRun;
  return {
    id: 'run-comparison',
    title: `Compared with run ${earlierRunId}`,
    html: html`
      ${lead('the earlier run', compared)}
      ${compared.length === 0 && html`<p>The two runs have no measurement in common.</p>`}
      ${changes(compared, OF_THE_EARLIER_RUN, ({ cell }) => `earlier ${ids(cell.results)}`)}
      ${onlyIn('this run', onlyNow)}
      ${onlyIn(
        'the earlier run',
        onlyEarlier.map(({ cell }) => cell),
      )}
    `,
  };
}

/** Against all earlier runs, as far back as they are compared. */
export function earlierRunsSection({ earlierRuns, earlierRunsUnavailable }: ReportInput): Section | undefined {
  if (earlierRuns === undefined && earlierRunsUnavailable === undefined) return undefined;
  return {
    id: 'comparison',
    title: 'Compared with earlier runs',
    html: html`
      ${
        earlierRuns === undefined
          ? html`<p>Earlier runs could not be queried: ${earlierRunsUnavailable}</p>`
          : allEarlierRuns(earlierRuns)
      }
    `,
  };
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
      A change is this run’s figure minus that of ${other}. Only measurements with the same types, conditions, tool and
      settings are compared. The 95 % interval covers the true change 95 times in
      100${judged.length > 0 && `: of ${figures} that did not change at all, about ${oneInTwenty(judged.length)} would look changed by chance`}.
    </p>
    ${
      judged.length > 0 &&
      html`<p>
        <b>${changed.length} of ${figures}</b> changed beyond the
        noise.${withoutInterval > 0 && ` For ${withoutInterval} more the noise is unknown.`}
      </p>`
    }`;
}

const oneInTwenty = (count: number) => Math.max(1, Math.round(count / 20));

/** What changed stands open; the whole table is folded away. */
function changes<Earlier extends EarlierCell>(
  compared: readonly ComparedCell<Earlier>[],
  ofEarlier: string,
  earlierWords: (earlier: Earlier) => string,
): Html | undefined {
  const rows = rowsOf(compared);
  const changed = rows.filter(({ change }) => change.isBeyondNoise);
  const { labels } = distinguish(compared.map(({ now }) => now.results[0]));
  const titles = compared.map(({ now, earlier }, index) => {
    const contention = contentionInWords([
      { ...contendedShare(now.results), which: OF_THIS_RUN },
      { ...earlier.contended, which: ofEarlier },
    ]);
    return html`${labels[index]}<small>${ids(now.results)}; ${earlierWords(earlier)}</small>${
        contention && html`<small><span class="badge warn">processors busy</span> ${contention}</small>`
      }`;
  });
  const table = (label: string, shown: readonly Row[]) =>
    reportTable<Row>(
      label,
      [
        { heading: 'Figure', cell: ({ figure }) => html`${figure.name}<small>${figure.unit}</small>` },
        { heading: 'Earlier', isNumber: true, cell: ({ figure, change }) => inShort(figure, change.earlier) },
        { heading: 'Now', isNumber: true, cell: ({ figure, change }) => inShort(figure, change.now) },
        { heading: 'Change (95 %)', isNumber: true, cell: difference },
        {
          heading: 'Beyond the noise?',
          cell: ({ change, cellIndex }) => judgement(change, compared[cellIndex]?.sharesPairs ?? false),
        },
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

function difference({ figure, change: { difference: value, interval, earlier } }: Row): HtmlValue {
  if (value === null) return undefined;
  const share = relative(value, earlier);
  return html`${signed(figure, value)}${share !== undefined && html` <small>${share}</small>`}${
    interval && html`<small class="nowrap">${signed(figure, interval.low)} to ${signed(figure, interval.high)}</small>`
  }`;
}

function signed({ format }: Figure, value: number): string {
  const text = format(Math.abs(value));
  return Number(text) === 0 ? text : `${value > 0 ? '+' : '−'}${text}`;
}

function relative(value: number, { mean }: RepetitionStatistics): string | undefined {
  if (mean === null || mean <= 0 || value === 0) return undefined;
  const percent = Math.abs(value / mean) * 100;
  return `${value > 0 ? '+' : '−'}${percent.toFixed(percent < 10 ? 1 : 0)} %`;
}

const NO_INTERVAL: Readonly<Partial<Record<ComparisonBasis, string>>> = {
  single_measurement: 'no interval, because one side is a single measurement',
  several_modes: 'several modes: no single value to compare',
};

function judgement({ basis, isBeyondNoise }: FigureChange, isOnSharedPairs: boolean): Html {
  if (isBeyondNoise === null) return html`<small>${NO_INTERVAL[basis]}</small>`;
  const reservation =
    basis === 'own_intervals'
      ? html`<small>by the measurements’ own intervals; another pair may differ by more</small>`
      : isOnSharedPairs && html`<small>repeated on the same pair; another pair may differ by more</small>`;
  return isBeyondNoise
    ? html`<span class="badge warn">beyond the noise</span>${reservation}`
    : html`<span class="badge">within the noise</span>${reservation}`;
}

/** As many measurements as a reader would read the names of. */
const NAMED = 12;

function onlyIn(which: string, cells: readonly Cell[]): Html | undefined {
  const firsts = cells.map(({ results }) => results[0]);
  const { labels, shared } = distinguish(firsts);
  const names = firsts.map(({ measurementId }, index) =>
    firsts.length === 1 ? measurementId : `${measurementId} (${labels[index]})`,
  );
  if (names.length === 0) return undefined;
  const rest = names.length > NAMED ? `; and ${names.length - NAMED} more` : '';
  return html`<p class="sub">Only in ${which}, ${shared}: ${names.slice(0, NAMED).join('; ')}${rest}</p>`;
}

function ids(results: readonly MeasurementResult[]): string {
  const all = results.map(({ measurementId }) => measurementId);
  return all.length > 3 ? `${all[0]} to ${all.at(-1)} (${all.length})` : all.join(', ');
}
