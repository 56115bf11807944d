/** A chart over which the reader can lay an article's figures, with a checkbox and the style sheet but no script. */
import type { Article } from '../articles/article';
import { rowChart, type ChartRow, type Mark, type RowChart } from '../charts/row-chart';
import { chartPair, type ChartForm } from '../charts/svg';
import type { Html } from '../html';
import { html } from '../html';

/** A row with the marks of an article's figures. */
export interface OverlaidRow extends ChartRow {
  readonly overlay?: readonly Mark[];
}

export type OverlaidChart = Omit<RowChart, 'rows'> & { readonly rows: readonly OverlaidRow[] };

/** Nobody looks for a row in a longer chart; the tables have all of them. */
const MAX_ROWS = 60;

export function overlaidRowChart(whole: OverlaidChart, article: Article<unknown>): Html | undefined {
  const chart = { ...whole, rows: whole.rows.slice(0, MAX_ROWS) };
  const drawn = (isOverlaid: boolean) => (form: ChartForm) =>
    rowChart(
      {
        ...chart,
        id: isOverlaid ? `${chart.id}-overlaid` : chart.id,
        rows: chart.rows.map(({ overlay = [], ...row }) =>
          isOverlaid ? { ...row, marks: [...row.marks, ...overlay] } : row,
        ),
      },
      form,
    );
  const hasOverlay = chart.rows.some(({ overlay }) => overlay !== undefined && overlay.length > 0);
  const body = withOverlay(chart.id, drawn(false), hasOverlay ? drawn(true) : undefined, article);
  return whole.rows.length <= MAX_ROWS
    ? body
    : html`${body}
        <p class="sub">The first ${MAX_ROWS} of ${whole.rows.length} rows.</p>`;
}

/** @param overlaid undefined where the run measured nothing that the article has a figure for */
export function withOverlay(
  id: string,
  plain: (form: ChartForm) => string | undefined,
  overlaid: ((form: ChartForm) => string | undefined) | undefined,
  article: Article<unknown>,
): Html | undefined {
  const chart = chartPair(plain);
  if (chart === undefined || overlaid === undefined) return chart;
  return html`<div class="overlaid">
    <input type="checkbox" class="switch" id="${id}-switch" /><label for="${id}-switch"
      >Show the figures of the ${article.name}</label
    >
    <div class="without">${chart}</div>
    <div class="with">
      ${chartPair(overlaid)}
      <p class="sub">${article.source}. ${article.differs}</p>
    </div>
  </div>`;
}
