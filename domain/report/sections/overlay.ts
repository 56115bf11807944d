/** A chart with an article's figures laid over it at will: a checkbox and the style sheet do it, no script. */
import type { Article } from '../articles/article';
import { chartPair } from '../charts/chart-pair';
import { rowChart, type ChartRow, type Mark, type RowChart } from '../charts/row-chart';
import type { ChartForm } from '../charts/svg';
import type { Html } from '../html';
import { html } from '../html';

/** A row and what an article has for it. */
export interface OverlaidRow extends ChartRow {
  readonly overlay?: readonly Mark[];
}

export type OverlaidChart = Omit<RowChart, 'rows'> & { readonly rows: readonly OverlaidRow[] };

/** Above this nobody looks for a row in a picture; the tables have them all. */
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

/** @param overlaid undefined where the run has nothing that the article measured */
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
      >With the figures of the ${article.name}</label
    >
    <div class="without">${chart}</div>
    <div class="with">
      ${chartPair(overlaid)}
      <p class="sub">${article.source}. ${article.differs}</p>
    </div>
  </div>`;
}
