/** What changed against the run that the plan names. */
import type { MeasurementResult } from '../../measurement/measurement';
import type { RepetitionStatistics } from '../../statistics/repetitions';
import { distinguish } from '../dimensions';
import type { Figure } from '../figures';
import { counted } from '../format';
import type { Html, HtmlValue } from '../html';
import { html } from '../html';
import type { ReportInput } from '../report-input';
import { figureOf, type ComparisonBasis, type FigureChange } from '../run-comparison';
import { foldedTable } from '../table';
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
  return html`<section id="run-comparison">
    <h2>Compared with run ${comparison.earlierRunId}</h2>
    <p class="lead">
      This run less the earlier one, where both measured the same: types, conditions, tool and settings. The interval
      covers the true change 95 times in
      100${told.length > 0 && `: of ${counted(told.length, 'figure')} that did not change at all, about ${oneInTwenty(told.length)} would look changed by chance`}.
    </p>
    ${rows.length === 0 && html`<p>The two runs have no measurement in common.</p>`}
    ${
      rows.length > 0 &&
      html`<div class="card">
        ${foldedTable<Row>(
          `All ${counted(rows.length, 'figure')}`,
          [
            { heading: 'Figure', cell: ({ figure }) => html`${figure.name}<small>${figure.unit}</small>` },
            { heading: 'Earlier', isNumber: true, cell: ({ figure, change }) => inShort(figure, change.earlier) },
            { heading: 'Now', isNumber: true, cell: ({ figure, change }) => inShort(figure, change.now) },
            { heading: 'Change (95 %)', isNumber: true, cell: difference },
            { heading: 'Says', cell: ({ change }) => judgement(change) },
          ],
          rows,
          {
            groupTitle: ({ cellIndex }, index) =>
              rows[index - 1]?.cellIndex === cellIndex
                ? undefined
                : html`${labels[cellIndex]}<small
                      >${comparison.cells[cellIndex]!.measurementIds.join(', ')}; earlier
                      ${comparison.cells[cellIndex]!.earlierMeasurementIds.join(', ')}</small
                    >`,
          },
        )}
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
  if (mean === null || mean <= 0) return undefined;
  const percent = (value / mean) * 100;
  const text = Math.abs(percent) < 10 ? Math.abs(percent).toFixed(1) : Math.abs(percent).toFixed(0);
  return `${percent > 0 ? '+' : '−'}${text} %`;
}

const NO_INTERVAL: Readonly<Partial<Record<ComparisonBasis, string>>> = {
  single_measurement: 'one measurement each: no interval',
  several_modes: 'several modes: no one value to compare',
};

function judgement({ basis, isBeyondNoise }: FigureChange): Html {
  if (isBeyondNoise === null) return html`<small>${NO_INTERVAL[basis]}</small>`;
  const alone =
    basis === 'own_intervals' &&
    html`<small>by the measurements’ own intervals; another pair may differ by more</small>`;
  return isBeyondNoise
    ? html`<span class="badge warn">beyond the noise</span>${alone}`
    : html`<span class="badge">within the noise</span>${alone}`;
}

function onlyIn(which: string, results: readonly MeasurementResult[]): Html | undefined {
  if (results.length === 0) return undefined;
  const { labels } = distinguish(results);
  return html`<p class="sub">
    Only in ${which}: ${results.map((result, index) => `${result.measurementId} (${labels[index]})`).join('; ')}
  </p>`;
}
