/** What changed against the run that the plan names. */
import type { MeasurementResult } from '../../model/result';
import type { RepetitionStatistics } from '../../maths/repetitions';
import { distinguish } from '../dimensions';
import type { Figure } from '../figures';
import { counted } from '../../text/format';
import type { Html, HtmlValue } from '../html';
import { html } from '../html';
import type { ReportInput } from '../report-input';
import { figureOf, type ComparisonBasis, type FigureChange } from '../run-comparison';
import { reportTable } from '../table';
import { inShort } from './repetitions';

interface Row {
  readonly change: FigureChange;
  readonly figure: Figure;
  readonly cellIndex: number;
}

export function runComparisonSection({ comparedRun, results }: ReportInput): Html | undefined {
  if (comparedRun === undefined) return undefined;
  const { comparison, now } = comparedRun;
  const rows = comparison.cells.flatMap(({ figures }, cellIndex) =>
    figures.map((change): Row => ({ change, figure: figureOf(change), cellIndex })),
  );
  const { labels } = now.length === 0 ? { labels: [] } : distinguish(now.map((cell) => cell.results[0]!));
  const told = rows.filter(({ change }) => change.isBeyondNoise !== null);
  const changed = told.filter(({ change }) => change.isBeyondNoise);
  const table = (shown: readonly Row[]) =>
    reportTable<Row>(
      [
        { heading: 'Figure', cell: ({ figure }) => html`${figure.name}<small>${figure.unit}</small>` },
        { heading: 'Earlier', isNumber: true, cell: ({ figure, change }) => inShort(figure, change.earlier) },
        { heading: 'Now', isNumber: true, cell: ({ figure, change }) => inShort(figure, change.now) },
        { heading: 'Change (95 %)', isNumber: true, cell: difference },
        {
          heading: 'Says',
          cell: ({ change, cellIndex }) => judgement(change, comparison.cells[cellIndex]!.sharesPairs),
        },
      ],
      shown,
      {
        groupTitle: ({ cellIndex }, index) => {
          const { measurementIds, earlierMeasurementIds } = comparison.cells[cellIndex]!;
          return shown[index - 1]?.cellIndex === cellIndex
            ? undefined
            : html`${labels[cellIndex]}<small>${ids(measurementIds)}; earlier ${ids(earlierMeasurementIds)}</small>`;
        },
      },
    );
  return html`<section id="run-comparison">
    <h2>Compared with run ${comparison.earlierRunId}</h2>
    <p class="lead">
      This run less the earlier one, where both measured the same: types, conditions, tool and settings. The interval
      covers the true change 95 times in
      100${told.length > 0 && `: of ${counted(told.length, 'figure')} that did not change at all, about ${oneInTwenty(told.length)} would look changed by chance`}.
    </p>
    ${rows.length === 0 && html`<p>The two runs have no measurement in common.</p>`}
    ${
      told.length > 0 &&
      html`<p>
        <b>${changed.length} of ${counted(told.length, 'figure')}</b> changed beyond the
        noise.${rows.length > told.length && ` Of ${rows.length - told.length} more nothing tells the noise.`}
      </p>`
    }
    ${changed.length > 0 && html`<div class="card">${table(changed)}</div>`}
    ${
      rows.length > changed.length &&
      html`<div class="card">
        <details>
          <summary>All ${counted(rows.length, 'figure')} of both runs</summary>
          ${table(rows)}
        </details>
      </div>`
    }
    ${onlyIn(
      'this run',
      results.filter(({ measurementId }) => comparison.onlyNow.includes(measurementId)),
    )}
    ${onlyIn('the earlier run', comparedRun.onlyEarlier)}
  </section>`;
}

const oneInTwenty = (count: number) => Math.max(1, Math.round(count / 20));

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
  single_measurement: 'a single measurement in one of them at least: no interval',
  several_modes: 'several modes: no one value to compare',
};

function judgement({ basis, isBeyondNoise }: FigureChange, sharesPairs: boolean): Html {
  if (isBeyondNoise === null) return html`<small>${NO_INTERVAL[basis]}</small>`;
  const alone =
    basis === 'own_intervals'
      ? html`<small>by the measurements’ own intervals; another pair may differ by more</small>`
      : sharesPairs && html`<small>repeated on the same pair; another pair may differ by more</small>`;
  return isBeyondNoise
    ? html`<span class="badge warn">beyond the noise</span>${alone}`
    : html`<span class="badge">within the noise</span>${alone}`;
}

/** Named one by one as long as a reader would read them. */
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

const ids = (all: readonly string[]) =>
  all.length > 3 ? `${all[0]} to ${all.at(-1)} (${all.length})` : all.join(', ');
