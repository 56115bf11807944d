/** A chart over which the reader can lay an article's figures, with a checkbox and the style sheet but no script. */
import { contendedShare } from '../../model/contended';
import { repeatedArticle, type Article } from '../articles/article';
import type { Cell } from '../cells';
import { rowChart, type ChartRow, type Mark, type RowChart } from '../charts/row-chart';
import { chartPair, type ChartForm } from '../charts/svg';
import { html, type Html } from '../html';
import { contentionBadge } from './verdicts';

/** How an article's figures are drawn over a row. */
interface Overlay<Figures> {
  readonly article: Article<Figures>;
  /** What the marks show, for the legend. */
  readonly shows: string;
  readonly markOf: (figures: Figures) => Pick<Mark, 'values' | 'range'>;
}

/** A row with the repetitions that it shows. The article is asked for figures of the first one. */
type MeasuredRow = ChartRow & Pick<Cell, 'results'>;

/** Nobody looks for a row in a longer chart; the tables have all of them. */
const MAX_ROWS = 60;

export function overlaidRowChart<Figures>(
  { id, rows: allRows, ...chart }: Omit<RowChart, 'rows'> & { readonly rows: readonly MeasuredRow[] },
  { article, shows, markOf }: Overlay<Figures>,
): Html | undefined {
  const rows = allRows.slice(0, MAX_ROWS);
  const overlaid = rows.map(({ marks, results, ...row }) => {
    const figures = repeatedArticle(article, results[0]);
    const overlay = figures && { name: `${article.name}: ${shows}`, ...markOf(figures), isOverlay: true };
    return { ...row, marks: overlay === undefined ? marks : [...marks, overlay] };
  });
  const hasOverlay = overlaid.some(({ marks }) => marks.some(({ isOverlay }) => isOverlay));
  const body = withOverlay(
    id,
    (form) => rowChart({ ...chart, id, rows }, form),
    hasOverlay ? (form) => rowChart({ ...chart, id: `${id}-overlaid`, rows: overlaid }, form) : undefined,
    article,
  );
  if (body === undefined) return undefined;
  const busy = rows.flatMap(({ label, results }) => {
    const badge = contentionBadge(contendedShare(results));
    return badge === undefined ? [] : [html`${badge} ${label} `];
  });
  return html`${body}
  ${allRows.length > MAX_ROWS && html`<p class="sub">The first ${MAX_ROWS} of ${allRows.length} rows.</p>`}
  ${busy.length > 0 && html`<p class="sub">${busy}</p>`}`;
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
