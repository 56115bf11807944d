/**
 * What changed: against the run that the plan names, and against all earlier runs. Both are one comparison, drawn
 * alike.
 */
import type { RepetitionStatistics } from '../../maths/repetition-statistics';
import type { MeasurementResult } from '../../model/result';
import { counted } from '../../text/format';
import type { ComparedCell, ComparisonBasis, EarlierCell, FigureChange } from '../comparison';
import { distinguish } from '../dimensions';
import { COMPARISON_DAYS, type EarlierRunsCell } from '../earlier-runs';
import { figureByKey, type Figure } from '../figures';
import { html, type Html, type HtmlValue } from '../html';
import type { ReportInput } from '../report-input';
import { reportTable } from '../table';
import { inShort } from './repetitions';

/** Against the run that the plan names. */
export function runComparisonSection({ comparedRun }: ReportInput): Html | undefined {
  if (comparedRun === undefined) return undefined;
  const { earlierRunId, compared, onlyNow, onlyEarlier } = comparedRun;
  return html`<section id="run-comparison">
    <h2>Compared with run ${earlierRunId}</h2>
    ${lead('the earlier run', compared)}
    ${compared.length === 0 && html`<p>The two runs have no measurement in common.</p>`}
    ${changes(compared, ({ cell }) => `earlier ${ids(cell.results)}`)}
    ${onlyIn(
      'this run',
      onlyNow.flatMap(({ results }) => results.slice(0, 1)),
    )}
    ${onlyIn(
      'the earlier run',
      onlyEarlier.flatMap(({ cell }) => cell.results.slice(0, 1)),
    )}
  </section>`;
}

/** Against all earlier runs, as far back as they are compared. */
export function earlierRunsSection({ earlierRuns, earlierRunsUnavailable }: ReportInput): Html | undefined {
  if (earlierRuns === undefined) {
    return earlierRunsUnavailable === undefined
      ? undefined
      : earlierRunsPart(html`<p>Earlier runs could not be queried: ${earlierRunsUnavailable}</p>`);
  }
  if (earlierRuns.length === 0) {
    return earlierRunsPart(html`<p>No earlier run measured the same pairs in the same way.</p>`);
  }
  return earlierRunsPart(html`
    ${lead(`all runs of the last ${COMPARISON_DAYS} days before it`, earlierRuns)}
    ${changes(earlierRuns, (earlier) => `${counted(earlier.count, 'earlier measurement')}, ${days(earlier)}`)}
  `);
}

const earlierRunsPart = (body: Html) =>
  html`<section id="comparison">
    <h2>Compared with earlier runs</h2>
    ${body}
  </section>`;

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
  const rows = rowsOf(compared);
  const judged = rows.filter(({ change }) => change.isBeyondNoise !== null);
  const changed = judged.filter(({ change }) => change.isBeyondNoise);
  const withoutInterval = rows.length - judged.length;
  return html`<p class="lead">
      A change is this run’s figure minus that of ${other}. Only measurements with the same types, conditions, tool and
      settings are compared. The 95 % interval covers the true change 95 times in
      100${judged.length > 0 && `: of ${counted(judged.length, 'figure')} that did not change at all, about ${oneInTwenty(judged.length)} would look changed by chance`}.
    </p>
    ${
      judged.length > 0 &&
      html`<p>
        <b>${changed.length} of ${counted(judged.length, 'figure')}</b> changed beyond the
        noise.${withoutInterval > 0 && ` For ${withoutInterval} more the noise is unknown.`}
      </p>`
    }`;
}

const oneInTwenty = (count: number) => Math.max(1, Math.round(count / 20));

/** What changed stands open; the whole table is folded away. */
function changes<Earlier extends EarlierCell>(
  compared: readonly ComparedCell<Earlier>[],
  earlierWords: (earlier: Earlier) => string,
): Html | undefined {
  const rows = rowsOf(compared);
  const changed = rows.filter(({ change }) => change.isBeyondNoise);
  const titles = cellTitles(compared, earlierWords);
  const table = (shown: readonly Row[]) =>
    reportTable<Row>(
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
      {
        groupTitle: ({ cellIndex }, index) =>
          shown[index - 1]?.cellIndex === cellIndex ? undefined : titles[cellIndex],
      },
    );
  return html`
    ${changed.length > 0 && html`<div class="card">${table(changed)}</div>`}
    ${
      rows.length > changed.length &&
      html`<div class="card">
        <details>
          <summary>All ${counted(rows.length, 'compared figure')}</summary>
          ${table(rows)}
        </details>
      </div>`
    }
  `;
}

function cellTitles<Earlier extends EarlierCell>(
  compared: readonly ComparedCell<Earlier>[],
  earlierWords: (earlier: Earlier) => string,
): Html[] {
  const firsts = compared.flatMap(({ now }) => now.results.slice(0, 1));
  const labels = firsts.length === 0 ? [] : distinguish(firsts).labels;
  return compared.map(
    ({ now, earlier }, index) => html`${labels[index]}<small>${ids(now.results)}; ${earlierWords(earlier)}</small>`,
  );
}

function difference({ figure, change }: Row): HtmlValue {
  if (change.difference === null) return undefined;
  const share = relative(change.difference, change.earlier);
  return html`${signed(figure, change.difference)}${share !== undefined && html` <small>${share}</small>`}${
    change.interval !== null &&
    html`<small class="nowrap"
      >${signed(figure, change.interval.low)} to ${signed(figure, change.interval.high)}</small
    >`
  }`;
}

function signed({ format }: Figure, value: number): string {
  const text = format(Math.abs(value));
  return Number(text) === 0 ? text : `${value > 0 ? '+' : '−'}${text}`;
}

function relative(value: number, { mean }: RepetitionStatistics): string | undefined {
  if (mean === null || mean <= 0 || value === 0) return undefined;
  const percent = (value / mean) * 100;
  const text = Math.abs(percent) < 10 ? Math.abs(percent).toFixed(1) : Math.abs(percent).toFixed(0);
  return `${percent > 0 ? '+' : '−'}${text} %`;
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

function onlyIn(which: string, results: readonly MeasurementResult[]): Html | undefined {
  if (results.length === 0) return undefined;
  const { labels, shared } = distinguish(results);
  const named = results
    .slice(0, NAMED)
    .map(({ measurementId }, index) => (results.length === 1 ? measurementId : `${measurementId} (${labels[index]})`));
  const rest = results.length > NAMED ? `; and ${results.length - NAMED} more` : '';
  return html`<p class="sub">Only in ${which}, ${shared}: ${named.join('; ')}${rest}</p>`;
}

function ids(results: readonly MeasurementResult[]): string {
  const all = results.map(({ measurementId }) => measurementId);
  return all.length > 3 ? `${all[0]} to ${all.at(-1)} (${all.length})` : all.join(', ');
}
